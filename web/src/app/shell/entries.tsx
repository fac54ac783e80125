/** The side bar's entries: one table of pages, who sees them and under which flag. Only pages that exist are listed. */
import { IconArrowsSplit2, IconKey, IconListDetails, type TablerIcon } from "@tabler/icons-react";

export interface Entry {
  /** Key of its text under `entries` in the shell's locale file. */
  id: string;
  to: "/token" | "/log" | "/channel";
  icon: TablerIcon;
  isAdminOnly?: boolean;
}

export interface EntryGroup {
  id: "console" | "admin" | "personal";
  entries: readonly Entry[];
}

export const ENTRY_GROUPS: readonly EntryGroup[] = [
  {
    id: "console",
    entries: [
      { id: "tokens", to: "/token", icon: IconKey },
      { id: "logs", to: "/log", icon: IconListDetails },
    ],
  },
  { id: "admin", entries: [{ id: "channels", to: "/channel", icon: IconArrowsSplit2, isAdminOnly: true }] },
];

/** The groups with at least one entry for this viewer. */
export function visibleGroups(isAdmin: boolean): EntryGroup[] {
  return ENTRY_GROUPS.map((group) => ({ ...group, entries: group.entries.filter((entry) => isAdmin || entry.isAdminOnly !== true) })).filter((group) => group.entries.length > 0);
}
