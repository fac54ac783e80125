/** The keys of a channel that has several: endpoints for administrators. No response carries a key. */
import { z } from "zod";
import { KEY_CHOICES, KEY_STATUS, KEYS_PER_CHANNEL_MAX, severalKeysChoice } from "./choices.ts";
import { endpoint, LONG_BODY_BYTES } from "../endpoint.ts";
import { pathId, queryInteger, queryPage, queryPageSize } from "../query.ts";

export const channelKeyRow = z.object({
  id: z.number(),
  /** Enough to recognise the key and never enough to use it: its first and last characters, or the end of a service account's id. */
  mark: z.string(),
  /** One of KEY_STATUS. */
  status: z.number(),
  /** Why it was disabled automatically: the upstream's message; blank for any other. */
  status_reason: z.string(),
  /** When its status changed last, in Unix seconds; 0 for never. */
  status_time: z.number(),
  /** Calls that it was sent with, and how many of them the upstream did not answer. */
  used_count: z.number(),
  failed_count: z.number(),
  created_time: z.number(),
});
export type ChannelKeyRow = z.output<typeof channelKeyRow>;

export const channelKeyList = z.object({
  key_choice: z.literal(KEY_CHOICES),
  /** Keys that pass the filter. */
  total: z.number(),
  enabled: z.number(),
  disabled: z.number(),
  auto_disabled: z.number(),
  /** None for a channel of one key. */
  keys: z.array(channelKeyRow),
});
export type ChannelKeyList = z.output<typeof channelKeyList>;

const keyIds = z.array(z.int()).min(1).max(KEYS_PER_CHANNEL_MAX);
/** Keys by their ids, or all of the channel, or all that were disabled automatically. */
const byIds = z.object({ ids: keyIds });
const keySelection = [byIds, z.object({ which: z.literal(["all", "auto_disabled"]) })] as const;

const admin = { access: "admin", object: "site", params: pathId } as const;

export const listChannelKeys = endpoint({
  method: "GET",
  path: "/api/channel/{id}/keys",
  ...admin,
  act: "channels_see",
  summary: "The keys of a channel that has several, by id, without the keys themselves; pages count from 0",
  query: z.object({ p: queryPage(0), page_size: queryPageSize, status: queryInteger }),
  data: channelKeyList,
});

export const addChannelKeys = endpoint({
  method: "POST",
  path: "/api/channel/{id}/keys",
  ...admin,
  act: "channels_secrets",
  summary: `Adds keys: one a line, a JSON object is one, a JSON list holds several. A channel of one key becomes one of several, at most ${KEYS_PER_CHANNEL_MAX}; answers how many were added and how many it had already`,
  body: z.object({ key: z.string(), key_choice: severalKeysChoice.optional() }),
  bodyBytes: LONG_BODY_BYTES,
  data: z.object({ added: z.number(), duplicates: z.number() }),
});

export const updateChannelKeys = endpoint({
  method: "PUT",
  path: "/api/channel/{id}/keys",
  ...admin,
  act: "channels_write",
  summary: "Changes how calls get one of the channel's keys",
  body: z.object({ key_choice: severalKeysChoice }),
});

export const setChannelKeyStatuses = endpoint({
  method: "POST",
  path: "/api/channel/{id}/keys/status",
  ...admin,
  act: "channels_operate",
  summary: "Enables (1) or disables (2) keys of a channel, auto-disabled ones too; answers how many changed",
  body: z.union(
    keySelection.map((each) => each.extend({ status: z.literal([KEY_STATUS.enabled, KEY_STATUS.disabled]) })),
  ),
  data: z.number(),
});

export const deleteChannelKeys = endpoint({
  method: "POST",
  path: "/api/channel/{id}/keys/delete",
  ...admin,
  act: "channels_secrets",
  summary: "Removes keys from a channel, by their ids or all that were disabled automatically; its last key stays",
  body: z.union([byIds, z.object({ which: z.literal("auto_disabled") })]),
  data: z.number(),
});

/** Acts of new-api's console on keys, by their places among the keys of a channel, counted from 0 (controller/channel.go of github.com/QuantumNous/new-api). */
export const KEY_ACTS = [
  "get_key_status",
  "enable_key",
  "disable_key",
  "delete_key",
  "enable_all_keys",
  "disable_all_keys",
  "delete_disabled_keys",
] as const;

const keyPage = z.object({
  keys: z.array(
    z.object({
      index: z.number(),
      status: z.number(),
      disabled_time: z.number(),
      reason: z.string(),
      key_preview: z.string(),
    }),
  ),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
  total_pages: z.number(),
  enabled_count: z.number(),
  manual_disabled_count: z.number(),
  auto_disabled_count: z.number(),
});
export type KeyPage = z.output<typeof keyPage>;

export const manageKeys = endpoint({
  method: "POST",
  path: "/api/channel/multi_key/manage",
  access: "admin",
  object: "site",
  act: "channels_write",
  summary:
    "The acts of other consoles of this API family on the keys of a channel, by `key_index`, its place by id from 0; `delete_disabled_keys` removes those that were disabled automatically",
  body: z.object({
    channel_id: z.int(),
    action: z.enum(KEY_ACTS),
    key_index: z.int().min(0).max(KEYS_PER_CHANNEL_MAX).optional(),
    page: z.int().min(0).optional(),
    page_size: z.int().min(1).max(100).optional(),
    status: z.int().optional(),
  }),
  /** Absent but for `get_key_status`. */
  data: keyPage.optional(),
});
