/** Channels (spec sections 3, 4, 5, 7): connections to upstream providers. No answer ever carries a channel's key. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { pathId, queryFlag, queryInteger, queryPage, queryPageSize, queryText } from "../query.ts";

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;
export const CHANNEL_NAME_MAX = 128;
export const MODEL_NAME_MAX = 255;
export const PRIORITY_MIN = -999;

export const channelRow = z.object({
  id: z.number(),
  type: z.number(),
  name: z.string(),
  status: z.number(),
  /** First and last characters of the key, blank where it is too short to show any; the key itself is write-only. */
  key_first: z.string(),
  key_last: z.string(),
  key_set_time: z.number(),
  base_url: z.string(),
  other: z.string(),
  /** Comma-joined. */
  models: z.string(),
  /** Comma-joined. */
  group: z.string(),
  /** JSON texts, or blank. */
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  param_override: z.string(),
  setting: z.string(),
  openai_organization: z.string(),
  test_model: z.string(),
  tag: z.string(),
  priority: z.number(),
  weight: z.number(),
  auto_ban: z.number(),
  max_input_tokens: z.number().nullable(),
  /** Milliseconds; 0 not tested. */
  response_time: z.number(),
  test_time: z.number(),
  /** USD. */
  balance: z.number(),
  balance_updated_time: z.number(),
  used_quota: z.number(),
  /** JSON text: status_reason, status_time. */
  other_info: z.string(),
  created_time: z.number(),
});
export type ChannelRow = z.output<typeof channelRow>;

const text = z.string().nullish();
const number = z.union([z.number(), z.string()]).nullish();

const channelFields = {
  type: z.number().optional(),
  name: text,
  base_url: text,
  other: text,
  /** Comma-joined. */
  models: text,
  /** Comma-joined; `groups` wins where both are sent. */
  group: text,
  groups: z.array(z.string()).nullish(),
  model_mapping: text,
  status_code_mapping: text,
  param_override: text,
  setting: text,
  openai_organization: text,
  test_model: text,
  tag: text,
  priority: number,
  weight: number,
  auto_ban: z.union([z.number(), z.boolean()]).nullish(),
  max_input_tokens: number,
};

export const channelCreate = z.object({
  ...channelFields,
  /** One key a line: each becomes a channel of its own. */
  key: text,
});
export type ChannelCreate = z.output<typeof channelCreate>;

/** Only fields that are sent change; `""` clears a text. A blank or absent key keeps the stored one. */
export const channelUpdate = z.object({ ...channelFields, id: z.int(), key: text, status: z.number().optional() });
export type ChannelUpdate = z.output<typeof channelUpdate>;

export const tagUpdate = z.object({
  tag: z.string(),
  /** `""` takes the channels out of the tag. */
  new_tag: text,
  model_mapping: text,
  models: text,
  groups: z.union([z.string(), z.array(z.string())]).nullish(),
  priority: number,
  weight: number,
});
export type TagUpdate = z.output<typeof tagUpdate>;

/** One provider as the drawer draws it: providers' manifests, and nothing else, decide which types exist. */
export const providerRow = z.object({
  id: z.number(),
  slug: z.string(),
  name: z.string(),
  default_base_url: z.string(),
  key_hint: z.string(),
  fields: z.array(
    z.object({
      name: z.enum(["base_url", "other", "openai_organization"]),
      label: z.string(),
      is_required: z.boolean(),
      placeholder: z.string(),
    }),
  ),
  models: z.array(z.string()),
  can_test: z.boolean(),
  mark: z.object({ glyph: z.string(), colour: z.string() }),
});
export type ProviderRow = z.output<typeof providerRow>;

/** Run over all channels: at most one at a time. */
export const testProgress = z.object({
  running: z.boolean(),
  done: z.number(),
  total: z.number(),
  failed: z.number(),
  disabled: z.number(),
  enabled: z.number(),
  started_time: z.number(),
  finished_time: z.number(),
});
export type TestProgress = z.output<typeof testProgress>;

const admin = "admin" as const;
const ids = z.object({ ids: z.array(z.int()).min(1).max(10_000) });
const channelView = {
  id_sort: queryFlag,
  tag_mode: queryFlag,
  status: queryInteger,
  type: queryInteger,
  /** Only channels without a tag: what tag mode leaves out. */
  untagged: queryFlag,
};

export const listChannels = endpoint({
  method: "GET",
  path: "/api/channel",
  access: admin,
  summary:
    "Channels by priority, or by id; pages count from 0. In tag mode a page is a page of tags with all their channels",
  query: z.object({ p: queryPage(0), page_size: queryPageSize, ...channelView }),
  data: z.array(channelRow),
});

export const searchChannels = endpoint({
  method: "GET",
  path: "/api/channel/search",
  access: admin,
  summary:
    "Channels by id, part of name or base URL, exact key or its first 6 or last 4 characters; by group and model",
  query: z.object({ keyword: queryText, group: queryText, model: queryText, ...channelView }),
  data: z.array(channelRow),
});

export const getChannel = endpoint({
  method: "GET",
  path: "/api/channel/{id}",
  access: admin,
  summary: "One channel",
  params: pathId,
  data: channelRow,
});

export const createChannel = endpoint({
  method: "POST",
  path: "/api/channel",
  access: admin,
  summary: "Makes one channel for each line of `key`; answers their ids",
  body: channelCreate,
  data: z.array(z.number()),
});

export const updateChannel = endpoint({
  method: "PUT",
  path: "/api/channel",
  access: admin,
  summary: "Changes the fields that are sent",
  body: channelUpdate,
  data: channelRow,
});

export const deleteChannel = endpoint({
  method: "DELETE",
  path: "/api/channel/{id}",
  access: admin,
  summary: "Deletes a channel",
  params: pathId,
});

export const deleteDisabledChannels = endpoint({
  method: "DELETE",
  path: "/api/channel/disabled",
  access: admin,
  summary: "Deletes all channels that are disabled or auto-disabled; answers how many",
  data: z.number(),
});

export const deleteChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch",
  access: admin,
  summary: "Deletes the channels with these ids; answers how many there were",
  body: ids,
  data: z.number(),
});

export const fixChannels = endpoint({
  method: "POST",
  path: "/api/channel/fix",
  access: admin,
  summary: "Builds all abilities anew from the channels; answers the number of channels",
  data: z.number(),
});

export const copyChannel = endpoint({
  method: "POST",
  path: "/api/channel/copy/{id}",
  access: admin,
  summary: "Copies a channel with its key on the server; the copy is disabled. Answers it",
  params: pathId,
  data: channelRow,
});

export const updateTag = endpoint({
  method: "PUT",
  path: "/api/channel/tag",
  access: admin,
  summary: "Changes all channels of a tag; answers how many",
  body: tagUpdate,
  data: z.number(),
});

export const enableTag = endpoint({
  method: "POST",
  path: "/api/channel/tag/enabled",
  access: admin,
  summary: "Enables all channels of a tag; answers how many",
  body: z.object({ tag: z.string() }),
  data: z.number(),
});

export const disableTag = endpoint({
  method: "POST",
  path: "/api/channel/tag/disabled",
  access: admin,
  summary: "Disables all channels of a tag; answers how many",
  body: z.object({ tag: z.string() }),
  data: z.number(),
});

export const tagChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/tag",
  access: admin,
  summary: "Puts channels under a tag (null takes them out); answers how many there were",
  body: ids.extend({ tag: z.string().nullable() }),
  data: z.number(),
});

export const fetchChannelModels = endpoint({
  method: "GET",
  path: "/api/channel/fetch_models/{id}",
  access: admin,
  summary: "Models that a stored channel's upstream lists",
  params: pathId,
  data: z.array(z.string()),
});

export const fetchUpstreamModels = endpoint({
  method: "POST",
  path: "/api/channel/fetch_models",
  access: admin,
  summary: "Models that an upstream lists, before its channel is saved",
  body: z.object({ base_url: text, type: z.number(), key: text, other: text, openai_organization: text }),
  data: z.array(z.string()),
});

const test = {
  access: admin,
  summary: "Sends one short call through the channel; nothing is charged. `time` is in seconds",
  params: pathId,
  query: z.object({ model: queryText }),
  extra: z.object({ time: z.number() }),
} as const;

export const testChannelByGet = endpoint({
  method: "GET",
  path: "/api/channel/test/{id}",
  changesState: true,
  ...test,
});
export const testChannel = endpoint({ method: "POST", path: "/api/channel/test/{id}", ...test });

const testAll = {
  access: admin,
  summary: "Starts a test of all channels in the background; see /api/channel/test/progress",
} as const;

export const testAllChannelsByGet = endpoint({
  method: "GET",
  path: "/api/channel/test",
  changesState: true,
  ...testAll,
});
export const testAllChannels = endpoint({ method: "POST", path: "/api/channel/test", ...testAll });

export const getTestProgress = endpoint({
  method: "GET",
  path: "/api/channel/test/progress",
  access: admin,
  summary: "How far the test of all channels is, or how the last one ended",
  data: testProgress,
});

export const listProviders = endpoint({
  method: "GET",
  path: "/api/channel/providers",
  access: admin,
  summary: "Channel types with their fields, hints and default models",
  data: z.array(providerRow),
});

/** The model objects that clients of this API family expect; only `id` carries a fact. */
export const modelObject = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.number(),
  owned_by: z.string(),
});

export const listChannelModels = endpoint({
  method: "GET",
  path: "/api/channel/models",
  access: admin,
  summary: "Default models of all providers, each once",
  data: z.array(modelObject),
});

export const listEnabledModels = endpoint({
  method: "GET",
  path: "/api/channel/models_enabled",
  access: admin,
  summary: "Names of the models that some enabled channel offers",
  data: z.array(z.string()),
});

export const listModelsByType = endpoint({
  method: "GET",
  path: "/api/models",
  access: "user",
  summary: "Channel type to its default models",
  data: z.record(z.string(), z.array(z.string())),
});
