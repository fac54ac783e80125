/**
 * Which entries of the top bar and the side bar are shown: the site's choice and each person's own, in the JSON forms of new-api
 * (`HeaderNavModules`, `SidebarModulesAdmin`, `sidebar_modules` of a user's setting). Hiding an entry is no permission: its page opens as before.
 * Needs no library; the schemas are in options/schemas.ts.
 */
import { isRoot } from "./roles.ts";

/** Entries of the top bar, in its order. */
export const HEADER_ENTRIES = ["home", "console", "pricing", "docs", "about"] as const;
export type HeaderEntry = (typeof HEADER_ENTRIES)[number];

/** Entries of the side bar by its groups, in its order. `studio`, `health`, `route`, `prices`, `orders`, `notification`, `audit` and `system` are ours; the other names are those of new-api. */
export const SIDEBAR_ENTRIES = {
  chat: ["playground", "studio", "chat"],
  console: ["detail", "token", "log", "midjourney", "task"],
  admin: [
    "channel",
    "health",
    "route",
    "prices",
    "redemption",
    "orders",
    "user",
    "notification",
    "audit",
    "system",
    "setting",
  ],
  personal: ["topup", "personal"],
} as const;
export type SidebarGroup = keyof typeof SIDEBAR_ENTRIES;
export type SidebarEntry = { [Group in SidebarGroup]: (typeof SIDEBAR_ENTRIES)[Group][number] }[SidebarGroup];

export const SIDEBAR_GROUPS = ["chat", "console", "admin", "personal"] as const satisfies readonly SidebarGroup[];

/** Characters of the JSON text of a person's choice. */
export const SIDEBAR_TEXT_MAX = 4000;

/** By entry whether it is shown; the price list also says whether it wants a login. Names of other programs' modules mean nothing here. */
export type HeaderChoice = Readonly<
  Record<string, boolean | Readonly<{ enabled?: boolean | undefined; requireAuth?: boolean | undefined }>>
>;
/** By group and entry whether it is shown; `enabled` is the whole group. */
export type SidebarChoice = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

const own = <Value>(map: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

/** Whether the site shows an entry of the top bar; one that it says nothing of is shown. */
export function isHeaderEntryShown(choice: HeaderChoice, entry: HeaderEntry): boolean {
  const said = own(choice, entry);
  return typeof said === "object" ? said.enabled !== false : said !== false;
}

/** Whether the price list is for those who are logged in only. */
export function isPricingForUsers(choice: HeaderChoice): boolean {
  const said = own(choice, "pricing");
  return typeof said === "object" && said.requireAuth === true;
}

/** Whether one choice shows an entry; `enabled` asks for the whole group. What it says nothing of is shown. */
export const isShownBy = (choice: SidebarChoice, group: SidebarGroup, entry: SidebarEntry | "enabled"): boolean =>
  own(own(choice, group), "enabled") !== false && own(own(choice, group), entry) !== false;

/** Where each choice is made: there is always a way back to it. */
export const isAlwaysShown = (entry: SidebarEntry, role: number): boolean =>
  entry === "personal" || (entry === "setting" && isRoot(role));

/** Whether an entry of the side bar is shown to a person, by the site's choice and their own. */
export function isSidebarEntryShown(
  { site, person }: { site: SidebarChoice; person: SidebarChoice },
  group: SidebarGroup,
  entry: SidebarEntry,
  role: number,
): boolean {
  return isAlwaysShown(entry, role) || (isShownBy(site, group, entry) && isShownBy(person, group, entry));
}

/** The choice with one entry, or a whole group, shown or hidden; what it says of others stays. */
export function withSidebarEntry(
  choice: SidebarChoice,
  { group, entry, isShown }: { group: SidebarGroup; entry: SidebarEntry | "enabled"; isShown: boolean },
): SidebarChoice {
  return { ...choice, [group]: { ...own(choice, group), [entry]: isShown } };
}

/** The choice with one entry of the top bar shown or hidden. */
export function withHeaderEntry(choice: HeaderChoice, entry: HeaderEntry, isShown: boolean): HeaderChoice {
  const said = own(choice, entry);
  return { ...choice, [entry]: typeof said === "object" ? { ...said, enabled: isShown } : isShown };
}

/** The choice with the price list for users only, or for everybody. */
export const withPricingForUsers = (choice: HeaderChoice, requireAuth: boolean): HeaderChoice => ({
  ...choice,
  pricing: { enabled: isHeaderEntryShown(choice, "pricing"), requireAuth },
});

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function mapOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

/** Reads a choice that the server has checked; a text that is none shows everything. */
export const readHeaderChoice = (text: string): HeaderChoice => mapOf(text) as HeaderChoice;

/** Reads a choice that the server has checked; a text that is none shows everything. */
export const readSidebarChoice = (text: string): SidebarChoice => mapOf(text) as SidebarChoice;
