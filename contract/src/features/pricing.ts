/** The public price list: ratios of every offered model, and the groups that can use it; and how the calls of one model go. */
import { z } from "zod";
import { callFigures, callTimes } from "../call-figures.ts";
import { endpoint } from "../endpoint.ts";
import { vendorRow } from "../family/vendors.ts";
import { listPage, queryInteger, queryPage, queryPageSize, queryText } from "../query.ts";
import { listedFacts } from "../pricing/listed-facts.ts";
import { MODEL_KINDS } from "../pricing/model-kind.ts";

/** Ratios that replace the entry's own where the input is longer than the bound. */
export const pricingTier = z.object({
  above_input_tokens: z.number(),
  model_ratio: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
});

export const pricingEntry = z.object({
  model_name: z.string(),
  /** 0: priced by tokens. 1: priced by call. */
  quota_type: z.number(),
  /** Prompt price: a ratio of 1 is 2 USD per 1M tokens. 0 where priced by call. */
  model_ratio: z.number(),
  /** USD per call; 0 where priced by tokens. */
  model_price: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
  /** The same as `cache_creation_ratio`, under the name that other programs of this API family read. */
  create_cache_ratio: z.number(),
  /** Absent where pictures cost the same as text, as in the next two. */
  image_ratio: z.number().optional(),
  audio_ratio: z.number().optional(),
  audio_completion_ratio: z.number().optional(),
  /** Ratio of generated images; absent where they cost the same as text. */
  image_output_ratio: z.number().optional(),
  /** In ascending order; absent where every context length has the same price. */
  tiers: z.array(pricingTier).optional(),
  owner_by: z.string(),
  /** Number of its vendor in `vendors`; absent where the vendor is unknown. */
  vendor_id: z.number().optional(),
  /** By which calls it is asked, the preferred one first: ENDPOINT_TYPES. */
  supported_endpoint_types: z.array(z.string()),
  /** Groups that the caller may use and in which an enabled channel offers the model; none where only others can. */
  enable_groups: z.array(z.string()),
  /** Groups that can use the model but that the caller cannot choose; absent for visitors, who see only groups open to all. */
  other_groups: z.array(z.string()).optional(),
  /** What the model is for, by its name. */
  kind: z.enum(MODEL_KINDS),
  /** Vendor, context length and modalities, as far as the price list has them. */
  ...listedFacts.shape,
  /** The day on which it is taken off, as `2026-12-31`; absent where it stays. */
  expiration_date: z.string().optional(),
  /** False where neither the operator nor the price data has a price. Calls are then refused or, where they are accepted, charged at ratio 37.5. */
  has_price: z.boolean(),
});
export type PricingTier = z.output<typeof pricingTier>;
export type PricingEntry = z.output<typeof pricingEntry>;

const decimals = z.record(z.string(), z.number());

export const getRatioConfig = endpoint({
  method: "GET",
  path: "/api/ratio_config",
  access: "public",
  object: "none",
  summary: "Ratios of all models that some group can call, for other sites to compare; where ExposeRatioEnabled is on",
  data: z.object({
    model_ratio: decimals,
    completion_ratio: decimals,
    cache_ratio: decimals,
    create_cache_ratio: decimals,
    /** USD a call. */
    model_price: decimals,
  }),
});

export const getPricing = endpoint({
  method: "GET",
  path: "/api/pricing",
  access: "optional",
  object: "none",
  hasMessage: false,
  summary: "Prices of all enabled models, and the groups that can use them",
  data: z.array(pricingEntry),
  extra: z.object({
    group_ratio: z.record(z.string(), z.number()),
    usable_group: z.record(z.string(), z.string()),
    /** Path and method of each of the endpoint types above. */
    supported_endpoint: z.record(z.string(), z.object({ path: z.string(), method: z.string() })),
    /** The vendors of the models of this list. */
    vendors: z.array(vendorRow),
    /** Groups that a token of the group `auto` is led through, as far as the caller may use them. */
    auto_groups: z.array(z.string()),
    /** Changes with the form of this list. */
    pricing_version: z.string(),
  }),
});

export const listVendors = endpoint({
  method: "GET",
  path: "/api/vendors",
  access: "admin",
  object: "none",
  act: "any",
  summary: "All vendors that the price list can name, by number",
  query: z.object({ p: queryPage(1), page_size: queryPageSize }),
  data: listPage(vendorRow),
});

/** Days of availability on the page of a model; the last one is today. */
export const MODEL_DAYS = 90;
/** Days of which the page of a model says what the viewer spent. */
export const MODEL_SPEND_DAYS = 30;
/** Days of calls by which the list compares times until the first token. */
export const MODEL_SPEED_DAYS = 7;
/** Channels of a model that its page lists at most. */
export const MODEL_CHANNELS = 100;

const times = callTimes.pick({ p50_ms: true, p95_ms: true });

/** One channel that has the model, for administrators who may see channels. */
const servingChannel = z.object({
  id: z.number(),
  name: z.string(),
  status: z.enum(["enabled", "disabled", "auto_disabled"]),
  /** Unix milliseconds; 0 where calls go to it. */
  cooling_until_ms: z.number(),
  /** Of attempts of the last 24 hours, as on the health page. */
  figures: callFigures,
});
export type ServingChannel = z.output<typeof servingChannel>;

export const modelFigures = z.object({
  model: z.string(),
  /** First second of each of the last 90 days in the zone asked for, oldest first. */
  days: z.array(z.number()),
  /** Answered calls of each day in thousandths, rounded down; null without calls. Refused requests do not count. */
  answered_permille: z.array(z.number().nullable()),
  first_token: z.array(times),
  /** Until the answer was complete. */
  total: z.array(times),
  /** The same of all these days together. */
  whole: z.object({
    answered_permille: z.number().nullable(),
    /** Failed calls, refused ones among them, in thousandths as on the dashboard; at least 1 where any failed. */
    failed_permille: z.number().nullable(),
    first_token: times,
    total: times,
  }),
  /** Of the caller alone, in the last 30 days. */
  spend: z.object({
    quota: z.number(),
    requests: z.number(),
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
  }),
  /** Enabled ones first, those with most calls first, 100 at most; null for callers who may not see channels. */
  channels: z.array(servingChannel).nullable(),
});
export type ModelFigures = z.output<typeof modelFigures>;

export const getModelFigures = endpoint({
  method: "GET",
  path: "/api/pricing/model",
  access: "user",
  object: "self",
  summary:
    "How the calls of one model went in the last 90 days, in shares and times without counts, and what the caller spent on it in 30; for administrators the channels that have it",
  query: z.object({ model_name: queryText, time_zone: queryText }),
  data: modelFigures,
});

/** Newest answered calls of a model whose receipts are read, and the days that they may be old. */
export const CACHED_CALLS = 1000;
export const CACHED_DAYS = 7;

const cachedTokens = {
  calls: z.number(),
  prompt_tokens: z.number(),
  /** Of these, the tokens that upstreams read from their caches. */
  cached_tokens: z.number(),
};

export const modelCache = z.object({
  /** False where the calls are the caller's own. */
  of_everybody: z.boolean(),
  /** Of the newest 1,000 answered calls of the last 7 days. */
  ...cachedTokens,
  /** Older calls were not looked at; Unix seconds. */
  since: z.number(),
  /** By the program that called, those with most tokens first; `client` is "" for all that are not known. */
  clients: z.array(z.object({ client: z.string(), ...cachedTokens })),
});
export type ModelCache = z.output<typeof modelCache>;

export const getModelCache = endpoint({
  method: "GET",
  path: "/api/pricing/cache",
  access: "user",
  object: "self",
  summary:
    "How many tokens of a model's prompts upstreams read from their caches, by the program that called: of the caller's newest calls, and of everybody's for administrators who see the log",
  query: z.object({ model_name: queryText }),
  data: modelCache,
});

export const listModelSpeeds = endpoint({
  method: "GET",
  path: "/api/pricing/speeds",
  access: "user",
  object: "none",
  summary: "Median milliseconds until the first token of the models of the price list, over the last 7 days",
  data: z.record(z.string(), z.number()),
});

/** Ranges of the rankings, in days; the first where none or another is asked for. */
export const RANKING_DAYS = [7, 30] as const;
/** Models that the rankings list at most. */
export const RANKED_MODELS = 100;

export const rankings = z.object({
  /** Option ModelRankingsEnabled; where it is off nothing is listed. */
  enabled: z.boolean(),
  days: z.number(),
  /** The most used first. */
  models: z.array(
    z.object({
      rank: z.number(),
      model: z.string(),
      /** Of the answered calls of all listed models, in thousandths. */
      share_permille: z.number(),
    }),
  ),
  /** Unix seconds; it stays for ten minutes. */
  made_at: z.number(),
});
export type Rankings = z.output<typeof rankings>;

export const getRankings = endpoint({
  method: "GET",
  path: "/api/rankings",
  access: "optional",
  object: "none",
  summary:
    "Which models of the price list are used most, by share of the answered calls of 7 or 30 days, while ModelRankingsEnabled is on; models with fewer than 10 calls are left out",
  query: z.object({ days: queryInteger }),
  data: rankings,
});
