/** Settings in the command palette, found by synonyms too; picking one opens its field, and a switch can be turned from here. */
import { IconSettings, IconToggleLeft, IconToggleRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../../lib/i18n.ts";
import type { OptionDescription, OptionRow } from "../../../../../contract/src/features/options.ts";
import { permissionOfOption } from "../../../../../contract/src/permissions.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { findSettings, type Setting } from "../../../features/options/find.ts";
import { descriptionsQuery } from "../../../features/options/queries.ts";
import { askToTurn } from "../../../features/options/turn.ts";
import { mayOf, useMay, useViewer, type Viewer } from "../../../lib/viewer.ts";
import { rowsQuery } from "../../../ui/option-rows.ts";
import { type Go, glyph, MAX_FOUND, type PaletteItem, type PaletteSection } from "./item.ts";

/** Their words load with the first search. */
function useSettingIndex(descriptions: readonly OptionDescription[] | undefined): readonly Setting[] {
  const { language } = useTranslation("shell");
  const { data } = useQuery({
    queryKey: ["options", "index", language],
    queryFn: async () => (await import("../../../features/options/setting-index.ts")).settingIndex(descriptions ?? []),
    enabled: descriptions !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? [];
}

/** Whether the viewer may change an option, as the settings page decides it. */
const mayChange = ({ key, owner, section }: OptionDescription, viewer: Viewer | null): boolean =>
  owner === "root" ? isRoot(viewer?.role ?? 0) : mayOf(viewer, permissionOfOption(key, { section }));

/** Turns a switch on its page, which shows the change and asks before anything is stored. */
function useTurnItem(rows: readonly OptionRow[], go: Go): (setting: Setting) => PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  return ({ id, label, address }) => {
    const row = rows.find(({ key }) => key === id);
    if (row === undefined) return [];
    const isOn = row.value === "true";
    const turn = () => {
      askToTurn(id, !isOn);
      go(address);
    };
    return [
      {
        id: `turn-${id}`,
        name: t(isOn ? "palette:turnOff" : "palette:turnOn", { name: label }),
        icon: isOn ? <IconToggleRight {...glyph} /> : <IconToggleLeft {...glyph} />,
        detail: t(isOn ? "palette:isOn" : "palette:isOff"),
        wantsChoice: true,
        run: turn,
      },
    ];
  };
}

/** Settings for administrators; a switch that the viewer may change has a second entry that turns it. */
export function useSettingSection(text: string, go: Go): PaletteSection {
  const { t } = useTranslation("shell");
  const viewer = useViewer();
  const isWanted = useMay(["options", "money"]) && text !== "";
  const descriptions = useQuery({ ...descriptionsQuery, enabled: isWanted }).data;
  const index = useSettingIndex(isWanted ? descriptions : undefined);
  const found = isWanted ? findSettings(index, text, MAX_FOUND) : [];
  const turnable = new Set(
    (descriptions ?? []).filter((each) => each.kind === "boolean" && mayChange(each, viewer)).map(({ key }) => key),
  );
  const isTurnable = ({ id, isSwitch }: Setting): boolean => isSwitch && turnable.has(id);
  const rows = useQuery({ ...rowsQuery, enabled: found.some(isTurnable) }).data ?? [];
  const turnItem = useTurnItem(rows, go);
  const items = found.flatMap((setting): PaletteItem[] => [
    {
      id: `setting-${setting.kind}-${setting.id}`,
      name: setting.label,
      icon: <IconSettings {...glyph} />,
      detail: setting.place,
      run: () => go(setting.address),
    },
    ...(isTurnable(setting) ? turnItem(setting) : []),
  ]);
  return { id: "settings", title: t("entries.settings"), items };
}
