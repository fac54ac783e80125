/** Model lists of upstreams, watched: what a channel's upstream offers and the channel does not, and the reverse; endpoints for administrators. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { pathId } from "../query.ts";

/** Names that one channel may list as ignored, and models of a difference that are kept and shown. */
export const IGNORED_MODELS_MAX = 500;
export const WATCHED_MODELS_MAX = 1000;

/** Keys of a channel's `settings` (dto/channel_settings.go of github.com/QuantumNous/new-api). What that console keeps there of its last check means nothing here. */
export const watchSettings = {
  /** The upstream's list is fetched again and again. */
  upstream_model_update_check_enabled: z.boolean().optional(),
  /** New models are added without being asked for; none is ever removed so. */
  upstream_model_update_auto_sync_enabled: z.boolean().optional(),
  /** New models that are not mentioned: names, or `regex:` and a pattern. */
  upstream_model_update_ignored_models: z.array(nameText.max(600)).max(IGNORED_MODELS_MAX).nullish(),
  upstream_model_update_last_check_time: z.number().optional(),
  upstream_model_update_last_detected_models: z.array(z.string()).nullish(),
  upstream_model_update_last_removed_models: z.array(z.string()).nullish(),
};

export const watchSettingsSchema = z.object(watchSettings);
export type WatchSettings = z.output<typeof watchSettingsSchema>;

const models = z.array(nameText).max(WATCHED_MODELS_MAX);

const modelWatch = z.object({
  check_enabled: z.boolean(),
  auto_sync_enabled: z.boolean(),
  ignored_models: z.array(z.string()),
  /** Models that the upstream lists and the channel lacks, by name; the first 1000. */
  add_models: z.array(z.string()),
  /** Models of the channel that the upstream does not list. */
  remove_models: z.array(z.string()),
  /** Unix seconds; 0 for never. */
  last_check_time: z.number(),
  /** Why the list could not be fetched last; blank where it could. */
  failure: z.string(),
});
export type ModelWatch = z.output<typeof modelWatch>;

const admin = { access: "admin", object: "site" } as const;

export const getModelWatch = endpoint({
  method: "GET",
  path: "/api/channel/{id}/upstream_models",
  ...admin,
  act: "channels_see",
  summary:
    "What was found when the upstream's model list was fetched last, as far as it still differs from the channel's models",
  params: pathId,
  data: modelWatch,
});

export const detectModels = endpoint({
  method: "POST",
  path: "/api/channel/upstream_updates/detect",
  ...admin,
  act: "channels_operate",
  summary: "Fetches the model list of a channel's upstream now and answers how it differs; nothing is added",
  body: z.object({ id: z.int() }),
  data: modelWatch.extend({ channel_id: z.number(), channel_name: z.string() }),
});

export const detectAllModels = endpoint({
  method: "POST",
  path: "/api/channel/upstream_updates/detect_all",
  ...admin,
  act: "channels_operate",
  summary: "Starts fetching the lists of all channels that are watched, in the background; answers how many",
  data: z.number(),
});

export const applyModels = endpoint({
  method: "POST",
  path: "/api/channel/upstream_updates/apply",
  ...admin,
  act: "channels_write",
  summary:
    "Adds and removes models that were found, and ignores others from now on; names that are not among those found are left out. Answers what was done and what is left",
  body: z.object({
    id: z.int(),
    add_models: models.optional(),
    remove_models: models.optional(),
    ignore_models: models.optional(),
  }),
  data: z.object({
    id: z.number(),
    added_models: z.array(z.string()),
    removed_models: z.array(z.string()),
    ignored_models: z.array(z.string()),
    remaining_models: z.array(z.string()),
    remaining_remove_models: z.array(z.string()),
    /** Comma-joined. */
    models: z.string(),
    settings: z.string(),
  }),
});
export type AppliedModels = z.output<NonNullable<(typeof applyModels)["data"]>>;
