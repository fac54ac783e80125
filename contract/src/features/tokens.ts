/** Tokens: the keys people call the gateway with. Everybody sees and edits only their own. */
import { z } from "zod";
import { isAddressOrRange } from "../address.ts";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { pathId, queryFlag, queryInteger, queryPage, queryText } from "../query.ts";

export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
/** Longest name, in characters. */
export const TOKEN_NAME_MAX = 30;
/** Most tokens one POST makes. */
export const TOKEN_BATCH_MAX = 100;
/** Most tokens that one act takes by their ids, or leaves out of those that match a filter. */
export const TOKEN_IDS_MAX = 10_000;
/** `expired_time` of a token that never expires. */
export const NEVER_EXPIRES = -1;

/** `key` is the whole key without `sk-`: only its owner ever gets this row, and people copy keys from the list. */
export const tokenRow = z.object({
  id: z.number(),
  user_id: z.number(),
  key: z.string(),
  /** 3 and 4 are derived when read. */
  status: z.number(),
  name: z.string(),
  created_time: z.number(),
  /** Unix seconds of the last call; 0 never. */
  accessed_time: z.number(),
  /** Unix seconds; -1 never. */
  expired_time: z.number(),
  remain_quota: z.number(),
  used_quota: z.number(),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  /** Comma-joined model names. */
  model_limits: z.string(),
  /** One address or CIDR range per line. */
  allow_ips: z.string(),
  /** Empty: the user's group. */
  group: z.string(),
});
export type TokenRow = z.output<typeof tokenRow>;

export const TOKEN_SORTS = [
  "id",
  "name",
  "status",
  "used_quota",
  "remain_quota",
  "created_time",
  "accessed_time",
  "expired_time",
] as const;
export type TokenSort = (typeof TOKEN_SORTS)[number];

/** First line of an IP list that is neither an address nor a CIDR range, with its number from 1; undefined when all are good. */
export function firstBadAddress(allowIps: string): { line: number; text: string } | undefined {
  const lines = allowIps.split(/\r?\n/).map((text, index) => ({ line: index + 1, text: text.trim() }));
  return lines.find(({ text }) => text !== "" && !isAddressOrRange(text));
}

const tokenFields = {
  name: nameText.optional(),
  expired_time: z.number().optional(),
  unlimited_quota: z.boolean().optional(),
  model_limits_enabled: z.boolean().optional(),
  model_limits: z.string().max(60_000).optional(),
  allow_ips: z.string().max(60_000).nullish(),
  group: nameText.max(64).optional(),
};

export const tokenCreate = z.object({
  ...tokenFields,
  /** Quota the token starts with; 0 where absent. */
  remain_quota: z.number().optional(),
  /** How many to make, 1 to 100. From the second on the name gets a 6-character random suffix. */
  count: z.number().optional(),
});
export type TokenCreate = z.output<typeof tokenCreate>;

export const tokenUpdate = z.object({
  ...tokenFields,
  id: z.int(),
  /** 1 or 2. Read only with `status_only`, or when it differs from the stored one. */
  status: z.number().optional(),
  /** Wanted remaining quota; posted as a difference, never written. */
  remain_quota: z.number().optional(),
  /** The remaining quota the editor was opened with: the difference is taken to this, so what calls used meanwhile is kept. */
  remain_quota_seen: z.number().optional(),
  /** Signed correction; wins over `remain_quota`. */
  remain_quota_delta: z.number().optional(),
});
export type TokenUpdate = z.output<typeof tokenUpdate>;

export const listTokens = endpoint({
  method: "GET",
  path: "/api/token",
  access: "user",
  object: "own",
  summary: "Own tokens, newest first; pages count from 0, the total is in X-Total-Count",
  query: z.object({
    p: queryPage(0),
    size: queryInteger,
    page_size: queryInteger,
    /** One of the statuses 1 to 4. */
    status: queryInteger,
    group: queryText,
    /** One of TOKEN_SORTS. */
    sort: queryText,
    /** `asc` or `desc` (default). */
    order: queryText,
  }),
  data: z.array(tokenRow),
});

export const searchTokens = endpoint({
  method: "GET",
  path: "/api/token/search",
  access: "user",
  object: "own",
  summary: "Own tokens whose name contains `keyword` and whose key is, or begins or ends with, `token`",
  query: z.object({
    keyword: queryText,
    token: queryText,
    p: queryPage(0),
    size: queryInteger,
    /** 100 where absent: clients of this API family take the answer for everything there is. */
    page_size: queryInteger,
    status: queryInteger,
    group: queryText,
    /** One of TOKEN_SORTS. */
    sort: queryText,
    /** `asc` or `desc` (default). */
    order: queryText,
  }),
  data: z.array(tokenRow),
});

export const getToken = endpoint({
  method: "GET",
  path: "/api/token/{id}",
  access: "user",
  object: "own",
  summary: "One own token",
  params: pathId,
  data: tokenRow,
});

export const createToken = endpoint({
  method: "POST",
  path: "/api/token",
  access: "user",
  object: "own",
  summary: "Makes a token, or `count` of them in one transaction; `data` is the (first) token, `tokens` are all",
  body: tokenCreate,
  data: tokenRow,
  extra: z.object({ tokens: z.array(tokenRow) }),
});

export const updateToken = endpoint({
  method: "PUT",
  path: "/api/token",
  access: "user",
  object: "own",
  summary: "Changes the fields that are sent; with status_only nothing but the status",
  query: z.object({ status_only: queryFlag }),
  body: tokenUpdate,
  data: tokenRow,
});

export const deleteToken = endpoint({
  method: "DELETE",
  path: "/api/token/{id}",
  access: "user",
  object: "own",
  summary: "Deletes an own token; calls with its key are refused at once",
  params: pathId,
});

const tokenFilter = z.strictObject({
  keyword: queryText,
  token: queryText,
  /** One of the statuses 1 to 4. */
  status: queryInteger,
  group: queryText,
});

const tokenIds = z.array(z.int()).max(TOKEN_IDS_MAX);
const action = z.enum(["enable", "disable", "delete"]);

/** Tokens by their ids, where those that are gone are passed over; or all that match a filter, and what is done with them. */
export const tokenBatch = z.union([
  z.object({ ids: tokenIds.min(1), action }),
  z.object({
    /** As in the search; an unknown name is refused, for without it more tokens would match. */
    filter: tokenFilter,
    /** How many matched when this was chosen, the excluded ones among them; where another number matches now, nothing is done. */
    total: z.int().min(1),
    excluded: tokenIds.default([]),
    action,
  }),
]);
/** As it is sent. */
export type TokenBatch = z.input<typeof tokenBatch>;
export type ParsedTokenBatch = z.output<typeof tokenBatch>;

/** How an act on many tokens ended; the three numbers add up to the tokens there were. */
export const tokenBatchResult = z.object({
  done: z.number(),
  /** They were as wanted before. */
  unchanged: z.number(),
  /** Expired and exhausted tokens, which cannot be enabled. */
  refused: z.number(),
});
export type TokenBatchResult = z.output<typeof tokenBatchResult>;

export const batchTokens = endpoint({
  method: "POST",
  path: "/api/token/batch",
  access: "user",
  object: "own",
  summary:
    "Enables, disables or deletes own tokens, by their ids or all that match a filter; answers how many were done, were so already, and were refused. With a `filter` its `total` has to be what matches now; else nothing is done and `selection_changed` says how many match",
  body: tokenBatch,
  data: tokenBatchResult,
});
