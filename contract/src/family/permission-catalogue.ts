/** What an administrator can be permitted, in the form in which this API family lists it (controller/authz.go of github.com/QuantumNous/new-api). */
import { z } from "zod";
import type { Permission } from "../permissions.ts";

const action = z.object({ action: z.string(), label_key: z.string(), description_key: z.string() });
const resource = z.object({ resource: z.string(), label_key: z.string(), actions: z.array(action) });
const role = z.object({
  key: z.string(),
  name: z.string(),
  built_in: z.boolean(),
  /** Has everything, and nothing can be taken from it. */
  superuser: z.boolean(),
  grants: z.record(z.string(), z.record(z.string(), z.boolean())),
});
export const permissionCatalogue = z.object({ resources: z.array(resource), roles: z.array(role) });

/**
 * Where each permission stands there. Keys of channels are never read back here, so there is no action for seeing them; who may see all channels
 * is the same as who may see one.
 */
const PLACES: Readonly<Record<Permission, readonly [resource: string, action: string, does: string]>> = {
  channels_see: ["channel", "read", "See channels and their health"],
  channels_operate: ["channel", "operate", "Enable, disable and test channels, ask for balances and models"],
  channels_write: ["channel", "write", "Make, change and delete channels"],
  channels_secrets: ["channel", "sensitive_write", "Set keys, and where they are sent"],
  users: ["user", "write", "Manage accounts"],
  money: ["money", "write", "Manage balances, groups of users, codes, orders and prices"],
  options: ["option", "write", "Change settings that are not the super administrator's"],
  logs: ["log", "read", "See logs, tasks and dashboards of everybody"],
};

const LABELS: Readonly<Record<string, string>> = {
  channel: "Channels",
  user: "Users",
  money: "Money",
  option: "Settings",
  log: "Logs",
};

const ofResource = (name: string) => Object.values(PLACES).filter(([place]) => place === name);

const EVERYTHING = Object.fromEntries(
  Object.keys(LABELS).map((name) => [name, Object.fromEntries(ofResource(name).map(([, act]) => [act, true]))]),
);

/** The whole catalogue; the same for everybody. An administrator has everything until something is taken away. */
export const PERMISSION_CATALOGUE: z.output<typeof permissionCatalogue> = {
  resources: Object.entries(LABELS).map(([name, label_key]) => ({
    resource: name,
    label_key,
    actions: ofResource(name).map(([, act, does]) => ({ action: act, label_key: does, description_key: does })),
  })),
  roles: [
    { key: "root", name: "Super administrator", built_in: true, superuser: true, grants: EVERYTHING },
    { key: "admin", name: "Administrator", built_in: true, superuser: false, grants: EVERYTHING },
  ],
};
