/** Audit entries of channel changes: fields as the row shows them; of keys, headers and proxy logins only that they changed. */
import type { FieldChange } from "../kit/audit-trail.ts";
import { channelView } from "./rules.ts";
import type { ChannelPatch, StoredChannel } from "./store.ts";

/** Fields of a channel's row that are in the trail with their values, by their names in the form. */
const SHOWN = [
  "name",
  "type",
  "status",
  "base_url",
  "other",
  "models",
  "group",
  "model_mapping",
  "status_code_mapping",
  "param_override",
  "setting",
  "settings",
  "openai_organization",
  "test_model",
  "tag",
  "priority",
  "weight",
  "auto_ban",
  "max_input_tokens",
  "costs",
  "remark",
] as const;

/** Columns whose values are secrets, or hold some. */
const SECRET = ["key_hash", "header_override", "setting"] as const;
const SECRET_NAMES = { key_hash: "key", header_override: "header_override", setting: "proxy_login" } as const;

/** A value as the trail has it. */
export const channelText = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** A field of the row as the trail has it. */
const fieldOf = (row: StoredChannel, field: (typeof SHOWN)[number]): string =>
  channelText(channelView({ ...row, header_override: "" })[field]);

/** The fields that a patch changes. */
export function channelChanges(before: StoredChannel, patch: ChannelPatch): FieldChange[] {
  const after: StoredChannel = { ...before, ...patch };
  const shown = SHOWN.map((field) => ({ field, from: fieldOf(before, field), to: fieldOf(after, field) }));
  const changed: FieldChange[] = shown.filter(({ from, to }) => from !== to);
  const isShown = (field: string) => changed.some((each) => each.field === field);
  const secrets = SECRET.filter(
    (column) => patch[column] !== undefined && patch[column] !== before[column] && !isShown(column),
  );
  return [...changed, ...secrets.map((column) => ({ field: SECRET_NAMES[column] }))];
}
