/** The dashboard (spec sections 2, 9): usage by hour from the roll-up, and everything its screen shows of a range in one answer. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { queryText, queryTime } from "../query.ts";

export const GRANULARITIES = ["hour", "day", "week"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Models shown by name; the rest is one sum. */
export const NAMED_MODELS = 9;
/** Users and channels listed at once. */
export const NAMED_PAYERS = 8;
/** The longest range of `/api/data/self`. */
export const SELF_SPAN_SECONDS = 2_592_000;
/** The longest range of the overview. */
export const OVERVIEW_SPAN_SECONDS = 93 * 86_400;

/** One model in one hour, as clients of this API family read it. */
export const usageRow = z.object({
  /** Always 0: a roll-up has no rows of its own. */
  id: z.number(),
  /** 0 and "" where the row is the sum of everybody. */
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

const sums = {
  requests: z.number(),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
};
export const usageSums = z.object(sums);
export type UsageSums = z.output<typeof usageSums>;

/** One number for each bucket, in their order. */
const series = z.object({ quota: z.array(z.number()), requests: z.array(z.number()), tokens: z.array(z.number()) });
export type UsageSeries = z.output<typeof series>;

export const modelUsage = z.object({
  /** "" for the sum of all models that are not named. */
  model: z.string(),
  /** 1, or how many models the sum is of. */
  model_count: z.number(),
  ...sums,
  series,
});
export type ModelUsage = z.output<typeof modelUsage>;

/** A user or a channel; id 0 and name "" for the sum of those not listed, name "" for one that is gone. */
export const payerUsage = z.object({ id: z.number(), name: z.string(), payer_count: z.number(), ...sums });
export type PayerUsage = z.output<typeof payerUsage>;

const overview = z.object({
  /** What was counted, in Unix seconds: whole hours, inclusive. */
  start: z.number(),
  end: z.number(),
  granularity: z.enum(GRANULARITIES),
  time_zone: z.string(),
  /** 0; 30 or 45 where the zone's days begin inside an hour of UTC, and buckets so many minutes after. */
  minutes_past_hour: z.number(),
  /** First second of each bucket; empty buckets are there too. */
  buckets: z.array(z.number()),
  /** By quota, greatest first; the sum of the others is last. */
  models: z.array(modelUsage),
  totals: usageSums,
  /** The range of the same length before. */
  previous: usageSums,
  /** Quota used since midnight in the viewer's zone. */
  today_quota: z.number(),
  /** Calls and tokens of the last 60 seconds. */
  rpm: z.number(),
  tpm: z.number(),
  /** What is left and what was ever used; of all users together where the overview is of everybody. */
  balance: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  /** The balance at the end of each bucket; empty where the range has too many movements to go back through. */
  balance_series: z.array(z.number()),
});
export const ownOverview = overview;
export type OwnOverview = z.output<typeof ownOverview>;

export const siteOverview = overview.extend({ users: z.array(payerUsage), channels: z.array(payerUsage) });
export type SiteOverview = z.output<typeof siteOverview>;

/** Unix seconds, inclusive: the hours that begin in between. */
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
  summary: "Usage by hour and model: of one user, or the sum of everybody",
  query: z.object({ ...range, username: queryText }),
  data: z.array(usageRow),
});

export const listOwnUsage = endpoint({
  method: "GET",
  path: "/api/data/self",
  access: "user",
  summary: "The own usage by hour and model, of at most 30 days",
  query: z.object(range),
  data: z.array(usageRow),
});

export const getOverview = endpoint({
  method: "GET",
  path: "/api/data/overview",
  access: "admin",
  summary: "The dashboard of everybody, or of the user named",
  query: z.object({ ...view, username: queryText }),
  data: siteOverview,
});

export const getOwnOverview = endpoint({
  method: "GET",
  path: "/api/data/self/overview",
  access: "user",
  summary: "The dashboard of the own account",
  query: z.object(view),
  data: ownOverview,
});

export const findUsageByUser = endpoint({
  method: "GET",
  path: "/api/data/users",
  access: "admin",
  summary: "Usage of the users whose name contains `keyword`, the greatest first",
  query: z.object({ ...range, keyword: queryText }),
  data: z.array(payerUsage),
});
