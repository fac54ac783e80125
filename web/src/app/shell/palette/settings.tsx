/** Settings in the command palette, for administrators; picking one opens its field. */
import { IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { findSettings, type Setting } from "../../../features/options/find.ts";
import { descriptionsQuery } from "../../../features/options/queries.ts";
import { useIsAdmin } from "../../../lib/viewer.ts";
import { MAX_FOUND } from "./lookups.ts";
import type { PaletteSection } from "./item.ts";

/** Their words load with the first search. */
function useSettingIndex(isWanted: boolean): readonly Setting[] {
  const { i18n } = useTranslation("shell");
  const descriptions = useQuery({ ...descriptionsQuery, enabled: isWanted }).data;
  const { data } = useQuery({
    queryKey: ["options", "index", i18n.language],
    queryFn: async () => (await import("../../../features/options/setting-index.ts")).settingIndex(descriptions ?? []),
    enabled: isWanted && descriptions !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? [];
}

export function useSettingSection(text: string, go: (address: string) => void): PaletteSection {
  const { t } = useTranslation("shell");
  const isAdmin = useIsAdmin();
  const index = useSettingIndex(isAdmin && text !== "");
  const items = findSettings(index, text, MAX_FOUND).map(({ id, kind, label, place, address }) => ({
    id: `setting-${kind}-${id}`,
    name: label,
    icon: <IconSettings size={16} stroke={1.5} />,
    detail: place,
    run: () => go(address),
  }));
  return { id: "settings", title: t("entries.settings"), items };
}
