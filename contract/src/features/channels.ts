/** Channel endpoints: connections to upstream providers. No response carries a channel's key. */
import { z } from "zod";
import { balanceFailure } from "../channels/balances.ts";
import { channelCreate, channelDraft, channelUpdate, tagUpdate } from "../channels/channel-form.ts";
import { channelChoice, channelChoiceWith, channelView } from "../channels/channel-list.ts";
import { draftTestFacts, testFailure, testProgress } from "../channels/channel-tests.ts";
import { KEY_CHOICES } from "../channels/choices.ts";
import { modelObject, providerRow } from "../channels/provider-row.ts";
import { endpoint, LONG_BODY_BYTES } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { listPage, pathId, queryInteger, queryPage, queryPageSize, queryText } from "../query.ts";

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;
export const CHANNEL_NAME_MAX = 128;
export const MODEL_NAME_MAX = 255;
export const PRIORITY_MIN = -999;

export const channelRow = z.object({
  id: z.number(),
  type: z.number(),
  name: z.string(),
  status: z.number(),
  /** First and last characters of the key; blank where the key is too short to show any. The key itself is write-only. */
  key_first: z.string(),
  key_last: z.string(),
  key_set_time: z.number(),
  /** How a call gets one of several keys; `one` where there is only one. */
  key_choice: z.literal(KEY_CHOICES),
  /** Keys of a channel with several, and how many of them are enabled; both 1 for a channel of one key. */
  key_count: z.number(),
  enabled_key_count: z.number(),
  base_url: z.string(),
  other: z.string(),
  /** Comma-joined. */
  models: z.string(),
  /** Comma-joined. */
  group: z.string(),
  /** JSON text, or blank. */
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  param_override: z.string(),
  setting: z.string(),
  /** JSON text, or blank: which fields of requests go on. */
  settings: z.string(),
  /** JSON text, or blank; values of the operator's own are `***`. */
  header_override: z.string(),
  remark: z.string(),
  /** JSON text, or blank: what the upstream asks for its calls. */
  costs: z.string(),
  openai_organization: z.string(),
  test_model: z.string(),
  tag: z.string(),
  priority: z.number(),
  weight: z.number(),
  auto_ban: z.number(),
  /** Calls with a longer estimated input go to other channels; null for no limit. */
  max_input_tokens: z.number().nullable(),
  /** Duration in milliseconds of the last test that passed; 0 where none has. */
  response_time: z.number(),
  /** Time of the last test, passed or failed, in Unix seconds; 0 for never. */
  test_time: z.number(),
  /** One of TEST_RESULT. */
  test_result: z.number(),
  /** Why the last test failed; null where it passed or there was none. */
  test_failure: testFailure.nullable(),
  /** The last balance its upstream reported, in `balance_currency`; negative if the account owes. */
  balance: z.number(),
  /** As the upstream counts, nothing is converted: an ISO 4217 code, or its own `points`. */
  balance_currency: z.string(),
  /** When the upstream reported it, in Unix seconds; 0 for never. */
  balance_updated_time: z.number(),
  /** Why it could not be read last; null where it could or was never asked for. */
  balance_failure: balanceFailure.nullable(),
  /** Models that its upstream was found to list and the channel lacks, and the reverse. */
  new_models: z.number(),
  vanished_models: z.number(),
  used_quota: z.number(),
  /** Until when its circuit breaker is open, the latest of all processes, in Unix milliseconds; 0 where it is closed. */
  cooling_until_ms: z.number(),
  /** JSON text: status_reason, status_time. */
  other_info: z.string(),
  created_time: z.number(),
  /** Changes with every change of the channel; send it back with one. */
  revision: z.number(),
});
export type ChannelRow = z.output<typeof channelRow>;

const text = z.string().nullish();

/** Channels belong to the site: every administrator may see and change all of them. */
const admin = { access: "admin", object: "site" } as const;
const seeing = { ...admin, act: "channels_see" } as const;
const operating = { ...admin, act: "channels_operate" } as const;
const writing = { ...admin, act: "channels_write" } as const;
const countedWriting = { ...writing, data: z.number() } as const;
const countedOperating = { ...operating, data: z.number() } as const;
const CHOICE =
  "With a `filter` its `total` has to be what matches now; else nothing is done and `selection_changed` says how many match";

export const listChannels = endpoint({
  method: "GET",
  path: "/api/channel",
  ...seeing,
  summary:
    "Channels by priority, by id or by `sort`, filtered as in the search; pages count from 1, and 0 is the first too. In tag mode a page is a page of tags with all their channels",
  query: z.object({ p: queryPage(1), page_size: queryPageSize, ...channelView }),
  data: listPage(channelRow),
});

export const searchChannels = endpoint({
  method: "GET",
  path: "/api/channel/search",
  ...seeing,
  summary:
    "All channels by id, part of name, base URL or remark, exact key, its mark or its first 6 or last 4 characters; by group, model, status, type and last test. On one page where no `page_size` is sent",
  query: z.object({ p: queryPage(1), page_size: queryInteger, ...channelView }),
  data: listPage(channelRow),
});

export const listChannelTags = endpoint({
  method: "GET",
  path: "/api/channel/tags",
  ...seeing,
  summary: "Tags that channels have, by name",
  data: z.array(z.string()),
});

export const weighChannel = endpoint({
  method: "POST",
  path: "/api/channel/tier",
  ...seeing,
  summary:
    "The enabled channels of a priority that share a model and a group with what is sent: how many, and the sum of their weights. `id` is left out",
  body: z.object({
    id: z.number().optional(),
    priority: z.number(),
    models: z.array(nameText).max(10_000),
    groups: z.array(nameText).max(1000),
  }),
  data: z.object({ others: z.number(), weight: z.number() }),
});

export const getChannel = endpoint({
  method: "GET",
  path: "/api/channel/{id}",
  ...seeing,
  summary: "One channel",
  params: pathId,
  data: channelRow,
});

export const createChannel = endpoint({
  method: "POST",
  path: "/api/channel",
  ...writing,
  summary: "Makes one channel for each key in `key`, or with `keys_make` one channel of them all; answers their ids",
  body: channelCreate,
  bodyBytes: LONG_BODY_BYTES,
  data: z.array(z.number()),
});

export const updateChannel = endpoint({
  method: "PUT",
  path: "/api/channel",
  ...admin,
  act: ["channels_write", "channels_operate"],
  summary:
    "Changes the fields that are sent. Another type, base URL or proxy wants the key again, or a super administrator who confirmed who he is",
  body: channelUpdate,
  bodyBytes: LONG_BODY_BYTES,
  data: channelRow,
});

export const deleteChannel = endpoint({
  method: "DELETE",
  path: "/api/channel/{id}",
  ...writing,
  summary: "Deletes a channel",
  params: pathId,
});

export const deleteDisabledChannels = endpoint({
  method: "DELETE",
  path: "/api/channel/disabled",
  ...countedWriting,
  summary: "Deletes all channels that are disabled or auto-disabled; answers how many",
});

export const deleteChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch",
  ...countedWriting,
  summary: `Deletes the channels with these ids, or all that match a filter; answers how many there were. ${CHOICE}`,
  body: channelChoice,
});

export const fixChannels = endpoint({
  method: "POST",
  path: "/api/channel/fix",
  ...countedOperating,
  summary: "Builds all abilities anew from the channels; answers the number of channels",
});

export const copyChannel = endpoint({
  method: "POST",
  path: "/api/channel/copy/{id}",
  ...admin,
  act: "channels_secrets",
  summary: "Copies a channel with all its keys on the server; the copy is disabled. Answers it",
  params: pathId,
  data: channelRow,
});

export const updateTag = endpoint({
  method: "PUT",
  path: "/api/channel/tag",
  ...countedWriting,
  summary: "Changes all channels of a tag; answers how many",
  body: tagUpdate,
  bodyBytes: LONG_BODY_BYTES,
});

export const listTagModels = endpoint({
  method: "GET",
  path: "/api/channel/tag/models",
  ...seeing,
  summary: "The models of the channel of a tag that has most of them, comma-joined; blank where no channel has the tag",
  query: z.object({ tag: queryText }),
  data: z.string(),
});

const ofTag = { ...countedOperating, body: z.object({ tag: z.string() }) } as const;

export const enableTag = endpoint({
  method: "POST",
  path: "/api/channel/tag/enabled",
  ...ofTag,
  summary: "Enables all channels of a tag; answers how many",
});

export const disableTag = endpoint({
  method: "POST",
  path: "/api/channel/tag/disabled",
  ...ofTag,
  summary: "Disables all channels of a tag; answers how many",
});

export const tagChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/tag",
  ...countedWriting,
  summary: `Puts channels under a tag (null takes them out); answers how many there were. ${CHOICE}`,
  body: channelChoiceWith({ tag: nameText.nullable() }),
});

export const takeModelOff = endpoint({
  method: "POST",
  path: "/api/channel/batch/take_model",
  ...writing,
  summary: `Takes one model off channels: how many had it, and how many keep it as their only one. ${CHOICE}`,
  body: channelChoiceWith({ model: nameText }),
  data: z.object({ changed: z.number(), only: z.number() }),
});

export const setChannelStatuses = endpoint({
  method: "POST",
  path: "/api/channel/batch/status",
  ...countedOperating,
  summary: `Enables (1) or disables (2) channels, auto-disabled ones too; answers how many there were. ${CHOICE}`,
  body: channelChoiceWith({ status: z.literal([CHANNEL_STATUS.enabled, CHANNEL_STATUS.disabled]) }),
});

export const fetchChannelModels = endpoint({
  method: "GET",
  path: "/api/channel/fetch_models/{id}",
  ...operating,
  summary: "Models that a stored channel's upstream lists",
  params: pathId,
  data: z.array(z.string()),
});

export const fetchUpstreamModels = endpoint({
  method: "POST",
  path: "/api/channel/fetch_models",
  ...writing,
  summary: "Models that an upstream lists, before its channel is saved",
  body: z.object({ base_url: text, type: z.number(), key: text, other: text, openai_organization: text }),
  data: z.array(z.string()),
});

const test = {
  ...operating,
  summary:
    "Sends one short call through the channel, with the key `key` (its id) where it has several; nothing is charged. `time` is in seconds; where it failed `failure` says why by a code with its values",
  params: pathId,
  query: z.object({ model: queryText, key: queryInteger }),
  extra: z.object({ time: z.number(), failure: testFailure.optional() }),
} as const;

export const testChannelByGet = endpoint({
  method: "GET",
  path: "/api/channel/test/{id}",
  changesState: true,
  ...test,
});
export const testChannel = endpoint({ method: "POST", path: "/api/channel/test/{id}", ...test });

export const testChannelDraft = endpoint({
  method: "POST",
  path: "/api/channel/test/draft",
  ...writing,
  summary:
    "Sends one short call through a channel as it is described, without keeping it; with `id` the fields that are absent are those of the stored one. Without `key` the stored key is used where type, addresses and proxy are the stored ones, else the call is refused. `kind` says what the call is to show. Answers as the test of a stored channel, with what the call cost",
  body: channelDraft,
  bodyBytes: LONG_BODY_BYTES,
  extra: draftTestFacts,
});

const testAll = {
  ...operating,
  summary: "Starts a test of all channels in the background; see /api/channel/test/progress",
} as const;

export const testAllChannelsByGet = endpoint({
  method: "GET",
  path: "/api/channel/test",
  changesState: true,
  ...testAll,
});
export const testAllChannels = endpoint({ method: "POST", path: "/api/channel/test", ...testAll });

export const testChosenChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/test",
  ...countedOperating,
  summary: `Starts a test of chosen channels in the background, as that of all; answers how many are tested. ${CHOICE}`,
  body: channelChoice,
});

export const stopTests = endpoint({
  method: "POST",
  path: "/api/channel/test/stop",
  ...operating,
  summary: "Ends the test of channels, in whichever process it runs; answers how far it came",
  data: testProgress,
});

export const getTestProgress = endpoint({
  method: "GET",
  path: "/api/channel/test/progress",
  ...seeing,
  summary: "How far the test of all channels is, or how the last one ended",
  data: testProgress,
});

export const listProviders = endpoint({
  method: "GET",
  path: "/api/channel/providers",
  access: "admin",
  act: "any",
  object: "none",
  summary: "Channel types with their fields, hints and default models",
  data: z.array(providerRow),
});

export const listChannelModels = endpoint({
  method: "GET",
  path: "/api/channel/models",
  ...admin,
  act: "any",
  summary: "Default models of all providers, each once",
  data: z.array(modelObject),
});

export const listEnabledModels = endpoint({
  method: "GET",
  path: "/api/channel/models_enabled",
  ...admin,
  act: "any",
  summary: "Names of the models that some enabled channel offers",
  data: z.array(z.string()),
});

export const listUnpricedModels = endpoint({
  method: "POST",
  path: "/api/channel/models_unpriced",
  ...seeing,
  summary: "Of the names sent, those whose calls are refused for lack of a price; none in self-use mode",
  body: z.object({ models: z.array(nameText).max(10_000) }),
  data: z.array(z.string()),
});

export const listModelsByType = endpoint({
  method: "GET",
  path: "/api/models",
  access: "user",
  object: "none",
  summary: "Channel type to its default models",
  data: z.record(z.string(), z.array(z.string())),
});
