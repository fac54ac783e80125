/** The side bar's entries: one table of pages with the permission, the role and the flag that each needs, and the name by which it is hidden. */
import {
  IconArrowsSplit2,
  IconChartBar,
  IconCoins,
  IconHistory,
  IconHeartbeat,
  IconKey,
  IconListDetails,
  IconMailForward,
  IconMessage2,
  IconMusic,
  IconPalette,
  IconPhoto,
  IconReceipt2,
  IconRoute,
  IconServer,
  IconSettings,
  IconTicket,
  IconUserCog,
  IconUsers,
  IconWallet,
  type TablerIcon,
} from "@tabler/icons-react";
import {
  isSidebarEntryShown,
  readSidebarChoice,
  type SidebarEntry,
  type SidebarGroup,
} from "../../../../contract/src/bar-entries.ts";
import type { Act } from "../../../../contract/src/permissions.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { useStatus } from "../../lib/status.ts";
import { isStoredTrue, STORAGE } from "../../lib/storage.ts";
import { mayOf, useViewer, type Viewer } from "../../lib/viewer.ts";

export interface Entry {
  /** Key of its text under `entries` in the shell's locale file. */
  id: string;
  /** Its name in the choices of which entries are shown. */
  module: SidebarEntry;
  to:
    | "/playground"
    | "/studio"
    | "/detail"
    | "/token"
    | "/log"
    | "/midjourney"
    | "/task"
    | "/channel"
    | "/prices"
    | "/channel/health"
    | "/channel/route"
    | "/redemption"
    | "/topup/orders"
    | "/topup"
    | "/user"
    | "/notification"
    | "/audit"
    | "/system"
    | "/setting"
    | "/personal";
  icon: TablerIcon;
  /** Key that goes there after "g". */
  letter: string;
  /** Addresses below `to` that are other entries'. */
  othersAddresses?: readonly string[];
  /** For administrators who may do this. */
  act?: Act;
  isRootOnly?: boolean;
  /** Shown only while this stored flag reads 'true'. */
  flag?: typeof STORAGE.enableDataExport | typeof STORAGE.enableDrawing | typeof STORAGE.enableTask;
}

export interface EntryGroup {
  id: SidebarGroup;
  entries: readonly Entry[];
}

const ENTRY_GROUPS: readonly EntryGroup[] = [
  {
    id: "chat",
    entries: [
      { id: "playground", module: "playground", to: "/playground", icon: IconMessage2, letter: "y" },
      { id: "studio", module: "studio", to: "/studio", icon: IconPalette, letter: "v" },
    ],
  },
  {
    id: "console",
    entries: [
      {
        id: "dashboard",
        module: "detail",
        to: "/detail",
        icon: IconChartBar,
        letter: "d",
        flag: STORAGE.enableDataExport,
      },
      { id: "tokens", module: "token", to: "/token", icon: IconKey, letter: "t" },
      { id: "logs", module: "log", to: "/log", icon: IconListDetails, letter: "l" },
      {
        id: "drawing",
        module: "midjourney",
        to: "/midjourney",
        icon: IconPhoto,
        letter: "i",
        flag: STORAGE.enableDrawing,
      },
      { id: "tasks", module: "task", to: "/task", icon: IconMusic, letter: "k", flag: STORAGE.enableTask },
    ],
  },
  {
    id: "admin",
    entries: [
      {
        id: "channels",
        module: "channel",
        to: "/channel",
        icon: IconArrowsSplit2,
        letter: "c",
        othersAddresses: ["/channel/health", "/channel/route"],
        act: "channels_see",
      },
      { id: "health", module: "health", to: "/channel/health", icon: IconHeartbeat, letter: "e", act: "channels_see" },
      { id: "routing", module: "route", to: "/channel/route", icon: IconRoute, letter: "x", act: "channels_see" },
      { id: "prices", module: "prices", to: "/prices", icon: IconCoins, letter: "p", act: "money" },
      { id: "redemptions", module: "redemption", to: "/redemption", icon: IconTicket, letter: "r", act: "money" },
      { id: "orders", module: "orders", to: "/topup/orders", icon: IconReceipt2, letter: "b", act: "money" },
      {
        id: "users",
        module: "user",
        to: "/user",
        icon: IconUsers,
        letter: "u",
        othersAddresses: ["/user/edit"],
        act: ["users", "money"],
      },
      {
        id: "notifications",
        module: "notification",
        to: "/notification",
        icon: IconMailForward,
        letter: "m",
        isRootOnly: true,
      },
      { id: "audit", module: "audit", to: "/audit", icon: IconHistory, letter: "a", act: "any" },
      { id: "system", module: "system", to: "/system", icon: IconServer, letter: "z", isRootOnly: true },
      { id: "settings", module: "setting", to: "/setting", icon: IconSettings, letter: "o", act: ["options", "money"] },
    ],
  },
  {
    id: "personal",
    entries: [
      {
        id: "wallet",
        module: "topup",
        to: "/topup",
        icon: IconWallet,
        letter: "w",
        othersAddresses: ["/topup/orders"],
      },
      { id: "personal", module: "personal", to: "/personal", icon: IconUserCog, letter: "s" },
    ],
  },
];

const isOpenTo = (entry: Entry, viewer: Viewer | null): boolean =>
  (entry.act === undefined || mayOf(viewer, entry.act)) && (entry.isRootOnly !== true || isRoot(viewer?.role ?? 0));

/** Entries that the site and the viewer hide. */
interface Hiding {
  site: string;
  person: string;
}

const isVisible = (entry: Entry, viewer: Viewer | null): boolean =>
  isOpenTo(entry, viewer) && (entry.flag === undefined || isStoredTrue(entry.flag));

/** The groups with at least one entry for this viewer, by what they may do, the stored flags, and what the site and they hide. */
export function visibleGroups(viewer: Viewer | null, { site, person }: Hiding): EntryGroup[] {
  const choices = { site: readSidebarChoice(site), person: readSidebarChoice(person) };
  const role = viewer?.role ?? 0;
  const isShown = (group: SidebarGroup, entry: Entry): boolean =>
    isVisible(entry, viewer) && isSidebarEntryShown(choices, group, entry.module, role);
  return ENTRY_GROUPS.map((group) => ({
    ...group,
    entries: group.entries.filter((entry) => isShown(group.id, entry)),
  })).filter((group) => group.entries.length > 0 || (group.id === "chat" && areChatsShown(role, { site, person })));
}

/** Whether the menu of chat applications is shown. */
export const areChatsShown = (role: number, { site, person }: Hiding): boolean =>
  isSidebarEntryShown({ site: readSidebarChoice(site), person: readSidebarChoice(person) }, "chat", "chat", role);

/** The texts of both choices, as the status and the stored viewer have them. */
export function useHiding(): Hiding {
  const { SidebarModulesAdmin: site } = useStatus();
  return { site, person: useViewer()?.sidebar_modules ?? "" };
}

/** Pages below an entry that are the super administrator's. */
const ROOT_PAGES: ReadonlySet<string> = new Set(["/user/permissions"]);

/** Whether this user may open the page at `pathname`, whose entry is the one with the longest address that fits. */
export function mayOpen(pathname: string, viewer: Viewer | null): boolean {
  const path = pathname.replace(/(?<=.)\/+$/, "");
  if (ROOT_PAGES.has(path) && !isRoot(viewer?.role ?? 0)) return false;
  const fitting = ENTRY_GROUPS.flatMap(({ entries }) => entries).filter(
    ({ to, othersAddresses = [] }) => (path === to || path.startsWith(`${to}/`)) && !othersAddresses.includes(path),
  );
  const entry = fitting.toSorted((left, right) => right.to.length - left.to.length)[0];
  return entry === undefined || isOpenTo(entry, viewer);
}
