/** Which changes can be taken back, and by whom, as far as the entry shows. Pure. */
import type { AuditChange } from "../../../../contract/src/features/audit.ts";
import { isOptionName, optionDefinition } from "../../../../contract/src/options/options.ts";
import { mayDo, type PermissionHolder, permissionOfOption } from "../../../../contract/src/permissions.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { objectOf, parseJson, textOf } from "../../util/json-read.ts";

interface Entry {
  /** JSON of the event. */
  event: string;
  changes: readonly AuditChange[];
}

/** Fields of a channel that neither move its key elsewhere nor are secrets: those are changed in its form. */
const CHANNEL_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "status",
  "models",
  "group",
  "model_mapping",
  "status_code_mapping",
  "param_override",
  "openai_organization",
  "test_model",
  "tag",
  "priority",
  "weight",
  "auto_ban",
  "max_input_tokens",
  "costs",
  "remark",
]);
/** Fields of a user. A balance is no field: what was given is taken in another entry of the ledger. */
const USER_FIELDS: ReadonlySet<string> = new Set(["username", "display_name", "group_name"]);

const every = (changes: readonly AuditChange[], fields: ReadonlySet<string>): boolean =>
  changes.every(({ field }) => fields.has(field));

function mayChangeOption(holder: PermissionHolder, name: string): boolean {
  if (!isOptionName(name)) return false;
  const definition = optionDefinition(name);
  return definition.owner === "root" ? isRoot(holder.role) : mayDo(holder, permissionOfOption(name, definition));
}

/** By the code of the event. */
const RULES: Readonly<Record<string, (changes: readonly AuditChange[], holder: PermissionHolder) => boolean>> = {
  option_changed: (changes, holder) => changes.every(({ field }) => mayChangeOption(holder, field)),
  prices_changed: (_, holder) => mayDo(holder, "money"),
  channel_changed: (changes, holder) => every(changes, CHANNEL_FIELDS) && mayDo(holder, "channels_write"),
  user_changed: (changes, holder) =>
    every(changes, USER_FIELDS) &&
    changes.every(({ field }) => mayDo(holder, field === "group_name" ? "money" : "users")),
};

export const codeOf = ({ event }: Pick<Entry, "event">): string => textOf(objectOf(parseJson(event))["code"]);

/** Whether the entry has everything that is needed to take it back, and the holder may do that. */
export function isRevertible(entry: Entry, holder: PermissionHolder): boolean {
  const { changes } = entry;
  const isWhole = changes.every(({ from, to, is_cut }) => from !== undefined && to !== undefined && !is_cut);
  return changes.length > 0 && isWhole && (RULES[codeOf(entry)]?.(changes, holder) ?? false);
}
