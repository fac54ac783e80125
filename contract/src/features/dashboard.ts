/** Dashboard endpoints: hourly usage from the roll-up, and one response with everything that the page shows for a range. */
import { z } from "zod";
import { callFigures, callTimes, FAILURE_KINDS } from "../call-figures.ts";
import { endpoint } from "../endpoint.ts";
import { queryText, queryTime } from "../query.ts";

export const GRANULARITIES = ["hour", "day", "week"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** How many models are listed by name; the others are one sum. */
export const NAMED_MODELS = 9;
/** Longest range in seconds over which all users' tokens are compared: every hour has one row for each token that called. */
export const TOKEN_LIST_SPAN_SECONDS = 7 * 86_400;
/** How many models, channels and tokens are listed one by one with their calls. */
export const NAMED_FIGURES = 50;
/** How many users or channels one answer lists. */
export const NAMED_PAYERS = 8;
/** The longest range of `/api/data/self`. */
export const SELF_SPAN_SECONDS = 2_592_000;
/** The longest range of the overview. */
export const OVERVIEW_SPAN_SECONDS = 93 * 86_400;

/** One model in one hour, as clients of this API family read it. */
export const usageRow = z.object({
  /** Always 0: sums have no row id. */
  id: z.number(),
  /** 0 and "" where the row sums up all users. */
  user_id: z.number(),
  username: z.string(),
  model_name: z.string(),
  /** First second of the hour. */
  created_at: z.number(),
  token_used: z.number(),
  count: z.number(),
  quota: z.number(),
});
export type UsageRow = z.output<typeof usageRow>;

/** How many rows one answer of the flow has; what is beyond is the last row. */
export const FLOW_ROWS = 1000;

/** Usage of one token, model and group in the whole range, as clients of this API family read it. */
export const flowRow = z.object({
  /** "" where the row sums up all users. */
  username: z.string(),
  /** 0 with blank names for the sum of what is not listed. */
  token_id: z.number(),
  token_name: z.string(),
  use_group: z.string(),
  /** 0 and "" for others than administrators. */
  channel_id: z.number(),
  channel_name: z.string(),
  model_name: z.string(),
  token_used: z.number(),
  count: z.number(),
  quota: z.number(),
});
export type FlowRow = z.output<typeof flowRow>;

const sums = {
  requests: z.number(),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
};
export const usageSums = z.object(sums);
export type UsageSums = z.output<typeof usageSums>;

/** One number per bucket, in the order of the buckets. */
const series = z.object({ quota: z.array(z.number()), requests: z.array(z.number()), tokens: z.array(z.number()) });
export type UsageSeries = z.output<typeof series>;

export const modelUsage = z.object({
  /** "" for the sum of all models that are not named. */
  model: z.string(),
  /** How many models the row sums up; 1 for a named one. */
  model_count: z.number(),
  ...sums,
  series,
});
export type ModelUsage = z.output<typeof modelUsage>;

/** A user or a channel. Id 0 with the name "" is the sum of those not listed; another id with the name "" no longer exists. */
export const payerUsage = z.object({ id: z.number(), name: z.string(), payer_count: z.number(), ...sums });
export type PayerUsage = z.output<typeof payerUsage>;

const overview = z.object({
  /** The range that was counted, in Unix seconds: whole hours, inclusive. */
  start: z.number(),
  end: z.number(),
  granularity: z.enum(GRANULARITIES),
  time_zone: z.string(),
  /** Minutes by which buckets begin after the full hour of UTC: 0, or 30 or 45 in zones whose days begin between two full hours. */
  minutes_past_hour: z.number(),
  /** First second of each bucket; empty buckets are included. */
  buckets: z.array(z.number()),
  /** Sorted by quota, largest first; the sum of the others comes last. */
  models: z.array(modelUsage),
  totals: usageSums,
  /** The preceding range of the same length. */
  previous: usageSums,
  /** False where the first call was made within that range or after it, so that the comparison would be against an incomplete period. */
  previous_is_full: z.boolean(),
  /** Its sums, in buckets at the same distances from its beginning as those of the range. */
  previous_series: series,
  /** Quota used since midnight in the viewer's zone. */
  today_quota: z.number(),
  /** Calls and tokens of the last 60 seconds. */
  rpm: z.number(),
  tpm: z.number(),
  /** Remaining quota and quota used in total; the sums over all users if the overview covers all. */
  balance: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  /** Balance at the end of each bucket; empty where the range has too many adjustments to reconstruct it. */
  balance_series: z.array(z.number()),
});
export const ownOverview = overview;
export type OwnOverview = z.output<typeof ownOverview>;

const costSums = {
  /** What was charged, in quota. */
  quota: z.number(),
  /** The part of it that was charged for calls whose upstream cost is known: the margin is of this part. */
  costed_quota: z.number(),
  /** What those calls cost at the upstream. */
  cost: z.number(),
};
export const marginSums = z.object(costSums);
export type MarginSums = z.output<typeof marginSums>;

/** A channel or a model; the last one may sum up those not listed, as in the overview. */
const marginRow = z.object({ id: z.number(), name: z.string(), count: z.number(), ...costSums });
export type MarginRow = z.output<typeof marginRow>;

/** The operator's margin on calls. Only administrators get it. */
const margin = z.object({
  totals: marginSums,
  /** The preceding range of the same length. */
  previous: marginSums,
  /** Margin by bucket, in quota. */
  series: z.array(z.number()),
  models: z.array(marginRow),
  channels: z.array(marginRow),
});
export type Margin = z.output<typeof margin>;

export const siteOverview = overview.extend({ users: z.array(payerUsage), channels: z.array(payerUsage), margin });
export type SiteOverview = z.output<typeof siteOverview>;

const namedFigures = z.object({
  /** 0 for a model, for calls that tried no channel, and, among tokens, for the playground. */
  id: z.number(),
  /** "" where it no longer exists. */
  name: z.string(),
  /** Owner of the token; "" for models and channels. */
  username: z.string(),
  figures: callFigures,
});
export type NamedFigures = z.output<typeof namedFigures>;

const callReport = z.object({
  /** As in the overview. */
  start: z.number(),
  end: z.number(),
  granularity: z.enum(GRANULARITIES),
  buckets: z.array(z.number()),
  totals: callFigures,
  /** The preceding range of the same length; null where counting began within it or after it. */
  previous: callFigures.nullable(),
  /** One number per bucket. Times are p50 and p95; for one user the first is the average and the second is empty. */
  series: z.object({
    succeeded: z.array(z.number()),
    failures: z.record(z.enum(FAILURE_KINDS), z.array(z.number())),
    first_token: z.array(callTimes.pick({ average_ms: true, p50_ms: true, p95_ms: true })),
    total: z.array(callTimes.pick({ average_ms: true, p50_ms: true, p95_ms: true })),
  }),
  /** At most NAMED_FIGURES, those with the most failures first. Empty for one user, whose calls are counted by token. */
  models: z.array(namedFigures),
  /** The same by channel, for administrators. */
  channels: z.array(namedFigures),
  /** The same by token, for one user; the tokens of all users have an endpoint of their own. */
  tokens: z.array(namedFigures),
  /** True while calls from before this report existed are still being counted. */
  is_counting: z.boolean(),
});
export type CallReport = z.output<typeof callReport>;

/** Unix seconds, inclusive; hours that begin within the range are counted. */
const range = { start_timestamp: queryTime, end_timestamp: queryTime };
const view = {
  ...range,
  granularity: z.enum(GRANULARITIES).default("day"),
  /** IANA name; UTC where absent. */
  time_zone: queryText,
};

export const listUsage = endpoint({
  method: "GET",
  path: "/api/data",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Usage by hour and model: of one user, or the sum of everybody",
  query: z.object({ ...range, username: queryText }),
  data: z.array(usageRow),
});

export const listOwnUsage = endpoint({
  method: "GET",
  path: "/api/data/self",
  access: "user",
  object: "own",
  summary: "The own usage by hour and model, of at most 30 days",
  query: z.object(range),
  data: z.array(usageRow),
});

export const listFlow = endpoint({
  method: "GET",
  path: "/api/data/flow",
  access: "admin",
  object: "site",
  act: "logs",
  summary: "Usage by user, token, model, group and channel, the greatest first: of one user, or of everybody",
  query: z.object({ ...range, username: queryText }),
  data: z.array(flowRow),
});

export const listOwnFlow = endpoint({
  method: "GET",
  path: "/api/data/flow/self",
  access: "user",
  object: "own",
  summary: "The own usage by token, model and group, the greatest first, of at most 30 days",
  query: z.object(range),
  data: z.array(flowRow),
});

export const getOverview = endpoint({
  method: "GET",
  path: "/api/data/overview",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "The dashboard of everybody, or of the user named",
  query: z.object({ ...view, username: queryText }),
  data: siteOverview,
});

export const getOwnOverview = endpoint({
  method: "GET",
  path: "/api/data/self/overview",
  access: "user",
  object: "own",
  summary: "The dashboard of the own account",
  query: z.object(view),
  data: ownOverview,
});

export const findUsageByUser = endpoint({
  method: "GET",
  path: "/api/data/users",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Usage of the users whose name contains `keyword`, the greatest first",
  query: z.object({ ...range, keyword: queryText }),
  data: z.array(payerUsage),
});

export const getCallReport = endpoint({
  method: "GET",
  path: "/api/data/calls",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Failures and times of everybody's calls, or of the user named",
  query: z.object({ ...view, username: queryText }),
  data: callReport,
});

export const getOwnCallReport = endpoint({
  method: "GET",
  path: "/api/data/self/calls",
  access: "user",
  object: "own",
  summary: "Failures and times of the own calls",
  query: z.object(view),
  data: callReport,
});

export const listTokenCalls = endpoint({
  method: "GET",
  path: "/api/data/calls/tokens",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Failures and times of everybody's calls by token, those with most failures first; of 7 days at most",
  query: z.object(range),
  data: z.array(namedFigures),
});

/** Which first steps of a new installation are done. */
const firstSteps = z.object({ has_channel: z.boolean(), has_token: z.boolean(), has_call: z.boolean() });
export type FirstSteps = z.output<typeof firstSteps>;

/** Which first steps of a new member are done. */
const ownFirstSteps = z.object({
  /** There is a balance, or something was spent already. */
  has_balance: z.boolean(),
  has_token: z.boolean(),
  has_call: z.boolean(),
});
export type OwnFirstSteps = z.output<typeof ownFirstSteps>;

export const getOwnFirstSteps = endpoint({
  method: "GET",
  path: "/api/data/self/first_steps",
  access: "user",
  object: "self",
  summary: "Which of a member's first steps are done: a balance, a token, a call that was answered",
  data: ownFirstSteps,
});

export const getFirstSteps = endpoint({
  method: "GET",
  path: "/api/data/first_steps",
  access: "admin",
  act: "any",
  object: "site",
  summary: "Which of the first steps are done: an enabled channel, a token, a call that succeeded",
  data: firstSteps,
});
