/** The fields by which the log can be summed up, who may ask for each, and the filter that each one's values are for. */
import type { LogGroupField } from "../../../../../contract/src/logs/sums.ts";

export type GroupField = Exclude<LogGroupField, "group">;

const GROUP_FIELDS = [
  "user",
  "token",
  "model",
  "channel",
  "client",
  "error_code",
] as const satisfies readonly GroupField[];

/** Names of the filters in the address. */
export const FILTER_OF_FIELD = {
  user: "username",
  token: "token_name",
  model: "model_name",
  channel: "channel",
  client: "client",
  error_code: "error_code",
} as const satisfies Record<GroupField, string>;

const FOR_ADMINS: readonly GroupField[] = ["user", "channel"];

/** The fields that a reader may ask for, in the order in which they are offered. */
export const groupFields = (isAdmin: boolean): readonly GroupField[] =>
  GROUP_FIELDS.filter((field) => isAdmin || !FOR_ADMINS.includes(field));
