/** The side bar's entries: one table of pages with the role and the flag that each needs. */
import {
  IconArrowsSplit2,
  IconChartBar,
  IconKey,
  IconListDetails,
  IconMailForward,
  IconMessage2,
  IconMusic,
  IconPhoto,
  IconReceipt2,
  IconSettings,
  IconTicket,
  IconUserCog,
  IconUsers,
  IconWallet,
  type TablerIcon,
} from "@tabler/icons-react";
import { isAdmin, isRoot } from "../../../../contract/src/roles.ts";
import { isStoredTrue, STORAGE } from "../../lib/storage.ts";

export interface Entry {
  /** Key of its text under `entries` in the shell's locale file. */
  id: string;
  to:
    | "/playground"
    | "/detail"
    | "/token"
    | "/log"
    | "/midjourney"
    | "/task"
    | "/channel"
    | "/redemption"
    | "/topup/orders"
    | "/topup"
    | "/user"
    | "/notification"
    | "/setting"
    | "/personal";
  icon: TablerIcon;
  /** Key that goes there after "g". */
  letter: string;
  /** An address below `to` that is another entry's. */
  othersAddress?: string;
  isAdminOnly?: boolean;
  isRootOnly?: boolean;
  /** Shown only while this stored flag reads 'true'. */
  flag?: typeof STORAGE.enableDataExport | typeof STORAGE.enableDrawing | typeof STORAGE.enableTask;
}

export interface EntryGroup {
  id: "chat" | "console" | "admin" | "personal";
  entries: readonly Entry[];
}

const ENTRY_GROUPS: readonly EntryGroup[] = [
  {
    id: "chat",
    entries: [{ id: "playground", to: "/playground", icon: IconMessage2, letter: "y" }],
  },
  {
    id: "console",
    entries: [
      { id: "dashboard", to: "/detail", icon: IconChartBar, letter: "d", flag: STORAGE.enableDataExport },
      { id: "tokens", to: "/token", icon: IconKey, letter: "t" },
      { id: "logs", to: "/log", icon: IconListDetails, letter: "l" },
      { id: "drawing", to: "/midjourney", icon: IconPhoto, letter: "i", flag: STORAGE.enableDrawing },
      { id: "tasks", to: "/task", icon: IconMusic, letter: "k", flag: STORAGE.enableTask },
    ],
  },
  {
    id: "admin",
    entries: [
      { id: "channels", to: "/channel", icon: IconArrowsSplit2, letter: "c", isAdminOnly: true },
      { id: "redemptions", to: "/redemption", icon: IconTicket, letter: "r", isAdminOnly: true },
      { id: "orders", to: "/topup/orders", icon: IconReceipt2, letter: "b", isAdminOnly: true },
      { id: "users", to: "/user", icon: IconUsers, letter: "u", othersAddress: "/user/edit", isAdminOnly: true },
      { id: "notifications", to: "/notification", icon: IconMailForward, letter: "m", isRootOnly: true },
      { id: "settings", to: "/setting", icon: IconSettings, letter: "o", isAdminOnly: true },
    ],
  },
  {
    id: "personal",
    entries: [
      { id: "wallet", to: "/topup", icon: IconWallet, letter: "w", othersAddress: "/topup/orders" },
      { id: "personal", to: "/personal", icon: IconUserCog, letter: "s" },
    ],
  },
];

const isVisible = (entry: Entry, role: number): boolean =>
  (isAdmin(role) || entry.isAdminOnly !== true) &&
  (isRoot(role) || entry.isRootOnly !== true) &&
  (entry.flag === undefined || isStoredTrue(entry.flag));

/** The groups with at least one entry for this viewer, by their role and the stored flags. */
export function visibleGroups(role: number): EntryGroup[] {
  return ENTRY_GROUPS.map((group) => ({
    ...group,
    entries: group.entries.filter((entry) => isVisible(entry, role)),
  })).filter((group) => group.entries.length > 0);
}

/** Whether a user with this role may open the page at `pathname`, whose entry is the one with the longest address that fits. */
export function mayOpen(pathname: string, role: number): boolean {
  const path = pathname.replace(/(?<=.)\/+$/, "");
  const fitting = ENTRY_GROUPS.flatMap(({ entries }) => entries).filter(
    ({ to, othersAddress }) => (path === to || path.startsWith(`${to}/`)) && path !== othersAddress,
  );
  const entry = fitting.toSorted((left, right) => right.to.length - left.to.length)[0];
  return entry === undefined || ((isAdmin(role) || !entry.isAdminOnly) && (isRoot(role) || !entry.isRootOnly));
}
