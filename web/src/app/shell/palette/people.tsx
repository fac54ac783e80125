/** People in the command palette, for administrators; picking a person opens their usage log. */
import { IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { searchUsers, type ManagedUser } from "../../../../../contract/src/features/users.ts";
import { call } from "../../../lib/api.ts";
import { formatQuota } from "../../../lib/format.ts";
import { useIsAdmin } from "../../../lib/viewer.ts";
import type { PaletteItem, PaletteSection } from "./item.ts";

const MAX_FOUND = 5;

function useFoundPeople(text: string): ManagedUser[] {
  const isAdmin = useIsAdmin();
  const query = useQuery({
    queryKey: ["palette", "users", text],
    queryFn: ({ signal }) => call(searchUsers, { query: { keyword: text, page_size: MAX_FOUND }, signal }),
    enabled: text !== "" && isAdmin,
  });
  return query.data?.items ?? [];
}

/** People found by id, name or e-mail, with their remaining quota. */
export function usePeopleSection(text: string, go: (address: string) => void): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const items = useFoundPeople(text).map((person): PaletteItem => ({
    id: `user-${person.id}`,
    name: person.username,
    icon: <IconUser size={16} stroke={1.5} />,
    detail: person.display_name === person.username ? `#${person.id}` : person.display_name,
    side:
      person.DeletedAt === null ? t("palette:left", { amount: formatQuota(person.quota) }) : t("palette:deregistered"),
    run: () => go(`/log?username=${encodeURIComponent(person.username)}`),
  }));
  return { id: "users", title: t("palette:users"), items };
}
