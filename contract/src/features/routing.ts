/** The route explainer: the channels that a call would be tried at and why others are skipped, for a planned call or a past one. */
import { z } from "zod";
import { CHANNEL_CHOICES } from "../channels/choices.ts";
import { endpoint } from "../endpoint.ts";
import { integerOf } from "../query.ts";
import { SKIP_REASONS, type SkipCode } from "../receipt-codes.ts";
import { MODEL_NAME_MAX } from "./channels.ts";

/** What a call may ask for, as far as its channels differ by it. */
export const ROUTED_OPERATIONS = [
  "chat",
  "completions",
  "embeddings",
  "rerank",
  "moderations",
  "images",
  "image_edits",
  "speech",
  "transcriptions",
  "translations",
  "realtime",
  "drawings",
  "songs",
  "videos",
] as const;

/** Channels listed by name; the rest is only counted. */
export const OUT_LISTED_MAX = 200;

const text = z.string().max(1000).nullish();
const number = z.union([z.number(), z.string()]).nullish();

export const routeQuestion = z.object({
  model: z.string().trim().min(1).max(MODEL_NAME_MAX),
  /** Name or id of a user; absent: no user's limits are checked. */
  user: text,
  /** Goes before `user`: its owner's call, by the token's own group and models. */
  token_id: number,
  /** Overrides the group of the token or the user; "default" if no user is named. */
  group: text,
  /** Tokens of the input; 0 where absent. */
  input_tokens: number.transform((value) => Math.max(0, integerOf(value) ?? 0)),
  operation: z.enum(ROUTED_OPERATIONS).default("chat"),
  is_stream: z.boolean().default(true),
});
export type RouteQuestion = z.input<typeof routeQuestion>;

/** A code of SKIP_REASONS with its values. */
const skipReason = z.object({
  code: z.enum(Object.keys(SKIP_REASONS) as [SkipCode, ...SkipCode[]]),
  values: z.record(z.string(), z.string()).optional(),
});

export const routeCandidate = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  weight: z.number(),
  /** Of being the first that is tried in its step, from 0 to 1. */
  chance: z.number(),
  open_calls: z.number(),
  /** Average time to the first token; null where it is not measured. */
  latency_ms: z.number().nullable(),
  /** Why calls rather go elsewhere now; null where they need not. */
  resting: skipReason.nullable(),
  /** Unix milliseconds; null where it does not rest. */
  resting_until_ms: z.number().nullable(),
});
export type RouteCandidate = z.output<typeof routeCandidate>;

/** `group`: in which of the call's groups these channels are asked. */
export const routeStep = z.object({ group: z.string(), priority: z.number(), channels: z.array(routeCandidate) });
export type RouteStep = z.output<typeof routeStep>;

export const routeOut = z.object({ id: z.number(), name: z.string(), type: z.number(), reason: skipReason });
export type RouteOut = z.output<typeof routeOut>;

/** Why a call is refused: code and message of the error that its caller gets. */
const refusal = z.object({ code: z.string(), status: z.number(), message: z.string() });

export const routeExplanation = z.object({
  model: z.string(),
  /** Blank where the call is refused before a group is found. */
  group: z.string(),
  /** Every group that the call may be tried in, in their order: several for a token of the group `auto` that retries across its groups. */
  groups: z.array(z.string()),
  input_tokens: z.number(),
  user: z.object({ id: z.number(), username: z.string() }).nullable(),
  token: z.object({ id: z.number(), name: z.string() }).nullable(),
  refusal: refusal.nullable(),
  choice: z.enum(CHANNEL_CHOICES),
  /** Part of the calls for which weights decide all the same, from 0 to 1. */
  explored_share: z.number(),
  /** Conversations stick to the channel that has their prompt cache. */
  has_affinity: z.boolean(),
  /** Channels that one call is tried at, at most. */
  max_tries: z.number(),
  /** In their order; channels that rest come last. */
  steps: z.array(routeStep),
  /** The first 200, those nearest to the call first. */
  out: z.array(routeOut),
  out_total: z.number(),
});
export type RouteExplanation = z.output<typeof routeExplanation>;

export const pastTry = z.object({
  id: z.number(),
  name: z.string(),
  status: z.number(),
  ms: z.number(),
  /** Blank for the one that answered. */
  reason: z.string(),
});

export const pastRoute = z.object({
  request_id: z.string(),
  created_at: z.number(),
  user: z.object({ id: z.number(), username: z.string() }),
  token: z.object({ id: z.number(), name: z.string() }).nullable(),
  model: z.string(),
  group: z.string(),
  is_stream: z.boolean(),
  /** Null for a call that was answered. */
  refusal: refusal.nullable(),
  tried: z.array(pastTry),
  out: z.array(routeOut),
  out_total: z.number(),
});
export type PastRoute = z.output<typeof pastRoute>;

const admin = { access: "admin", object: "site" } as const;

export const explainRoute = endpoint({
  method: "POST",
  path: "/api/channel/route",
  ...admin,
  act: "channels_see",
  summary:
    "Which channels such a call would be tried at now, in which order and by which chance, and why each other one is out. Nothing is sent anywhere",
  body: routeQuestion,
  data: routeExplanation,
});

/** Most callers of each kind that are offered for a text. */
export const CALLERS_LISTED_MAX = 20;

export const routeCallers = z.object({
  users: z.array(z.object({ id: z.number(), username: z.string() })),
  tokens: z.array(z.object({ id: z.number(), name: z.string(), username: z.string() })),
});
export type RouteCallers = z.output<typeof routeCallers>;

export const findCallers = endpoint({
  method: "GET",
  path: "/api/channel/route_callers",
  ...admin,
  act: "channels_see",
  summary:
    "Users and tokens whose name contains `keyword` or whose id it is, to ask where their calls go; of a user's own with `user`. At most 20 each",
  query: z.object({ keyword: z.string().trim().max(100).default(""), user: z.string().trim().max(100).default("") }),
  data: routeCallers,
});

export const explainPastRoute = endpoint({
  method: "GET",
  path: "/api/channel/route/{request_id}",
  ...admin,
  act: ["channels_see", "logs"],
  summary: "Which channels a past call was tried at and why others were passed over, as its log row has it",
  params: z.object({
    request_id: z
      .string()
      .max(64)
      .transform((id) => id.replaceAll(/\s/g, "")),
  }),
  data: pastRoute,
});
