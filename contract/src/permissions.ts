/** What single administrators may do: the acts by which the super administrator restricts them, and which of them an option asks for. */
import type { OptionSection } from "./options/sections.ts";
import { isAdmin, isRoot } from "./roles.ts";

/**
 * In the order of the matrix. `channels_see`: read channels and their health; `channels_operate`: enable, disable, test, ask for balances and
 * models; `channels_write`: make, change and delete; `channels_secrets`: keys, and where they are sent. `money`: balances, groups of users, codes,
 * orders, prices and ratios. `options`: the other settings that are not the super administrator's. `logs`: logs, tasks and dashboards of everybody.
 */
export const PERMISSIONS = [
  "channels_see",
  "channels_operate",
  "channels_write",
  "channels_secrets",
  "users",
  "money",
  "options",
  "logs",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What an endpoint for administrators asks for: `any` is open to all of them, of a list one is enough. */
export type Act = "any" | Permission | readonly Permission[];

/** Whose permissions are asked for. */
export interface PermissionHolder {
  role: number;
  /** As stored: separated by commas; null where nothing was restricted. */
  permissions: string | null;
}

/** What a person may do as an administrator: everything for the super administrator and for one who is not restricted, nothing below. */
export function permissionsOf({ role, permissions }: PermissionHolder): readonly Permission[] {
  if (!isAdmin(role)) return [];
  if (isRoot(role) || permissions === null) return PERMISSIONS;
  const held = new Set(permissions.split(","));
  return PERMISSIONS.filter((permission) => held.has(permission));
}

/** Whether a person may do it. */
export function mayDo(holder: PermissionHolder, act: Act): boolean {
  if (act === "any") return isAdmin(holder.role);
  const held = permissionsOf(holder);
  return typeof act === "string" ? held.includes(act) : act.some((permission) => held.includes(permission));
}

/** The column for what is granted; null for everything, so that an act that is added later is among it. */
export const storedPermissions = (granted: readonly Permission[]): string | null =>
  PERMISSIONS.every((permission) => granted.includes(permission))
    ? null
    : PERMISSIONS.filter((permission) => granted.includes(permission)).join(",");

/** Sections of the settings that decide what calls cost and what people are given. */
const MONEY_SECTIONS: ReadonlySet<string> = new Set<OptionSection>([
  "quota",
  "check_in",
  "prices",
  "unpriced_models",
  "price_tables",
  "groups",
  "price_list",
  "payment",
]);
/** Others that do: what a unit is worth, and whether models without a price are served. */
const MONEY_OPTIONS: ReadonlySet<string> = new Set(["QuotaPerUnit", "SelfUseModeEnabled"]);

/** Permissions that setting an option needs, beside its owner. */
export const permissionOfOption = (name: string, { section }: { section: string }): Permission =>
  MONEY_OPTIONS.has(name) || MONEY_SECTIONS.has(section) ? "money" : "options";
