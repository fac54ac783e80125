/** Token endpoints: the credentials with which users call the gateway. Users see and edit only their own. */
import { z } from "zod";
import { isAddressOrRange } from "../address.ts";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { listPage, pathId, queryFlag, queryInteger, queryPage, queryText } from "../query.ts";

export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
/** Longest name, in characters. */
export const TOKEN_NAME_MAX = 30;
/** The largest number of tokens that one POST creates. */
export const TOKEN_BATCH_MAX = 100;
/** Bytes that the model and address lists of one user's tokens may have together: every process holds them in memory. */
export const TOKEN_LISTS_BYTES = 8_388_608;
/** The largest number of ids that an act on many tokens accepts, selected or excluded. */
export const TOKEN_IDS_MAX = 10_000;
/** Groups that one token of the group `auto` may list. */
export const TOKEN_GROUPS_MAX = 16;
/** `expired_time` of a token that never expires. */
export const NEVER_EXPIRES = -1;

/** `key` is the whole key without `sk-`: only its owner gets this row, and can copy keys from the list. */
export const tokenRow = z.object({
  id: z.number(),
  user_id: z.number(),
  key: z.string(),
  /** 3 and 4 are derived when the row is read. */
  status: z.number(),
  name: z.string(),
  created_time: z.number(),
  /** Unix seconds of the last call; 0 for never. */
  accessed_time: z.number(),
  /** Unix seconds; -1 for never. */
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
  /** Groups that a token of the group `auto` tries, in this order; empty for those of the option AutoGroups. */
  auto_groups: z.array(z.string()),
  /** Whether a call of such a token that fails in one group is retried in the next. */
  cross_group_retry: z.boolean(),
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

/** The first line of an IP list that is neither an address nor a CIDR range, counted from 1; undefined where all lines are valid. */
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
  auto_groups: z.array(nameText.max(64)).max(TOKEN_GROUPS_MAX).optional(),
  cross_group_retry: z.boolean().optional(),
};

export const tokenCreate = z.object({
  ...tokenFields,
  /** Quota the token starts with; 0 where absent. */
  remain_quota: z.number().optional(),
  /** How many tokens to create, 1 to 100. From the second one on, the name gets a random suffix of 6 characters. */
  count: z.number().optional(),
});
export type TokenCreate = z.output<typeof tokenCreate>;

export const tokenUpdate = z.object({
  ...tokenFields,
  id: z.int(),
  /** 1 or 2. Read only with `status_only`, or when it differs from the stored one. */
  status: z.number().optional(),
  /** Wanted remaining quota; the difference is posted to the ledger, the balance is never overwritten. */
  remain_quota: z.number().optional(),
  /** The remaining quota that the editor showed. The difference is taken from it, so that quota used by calls meanwhile stays used. */
  remain_quota_seen: z.number().optional(),
  /** Signed difference; takes precedence over `remain_quota`. */
  remain_quota_delta: z.number().optional(),
});
export type TokenUpdate = z.output<typeof tokenUpdate>;

export const listTokens = endpoint({
  method: "GET",
  path: "/api/token",
  access: "user",
  object: "own",
  summary: "Own tokens, newest first; pages count from 1, and 0 is the first too",
  query: z.object({
    p: queryPage(1),
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
  data: listPage(tokenRow),
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
    p: queryPage(1),
    size: queryInteger,
    /** 100 where absent: clients of this API family take one answer for the complete list. */
    page_size: queryInteger,
    status: queryInteger,
    group: queryText,
    /** One of TOKEN_SORTS. */
    sort: queryText,
    /** `asc` or `desc` (default). */
    order: queryText,
  }),
  data: listPage(tokenRow),
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

/** Tokens selected by their ids (missing ones are ignored) or all that match a filter, and what is done with them. */
export const tokenBatch = z.union([
  z.object({ ids: tokenIds.min(1), action }),
  z.object({
    /** As in the search. An unknown filter is refused: ignoring it would match more tokens than the caller meant. */
    filter: tokenFilter,
    /** How many tokens matched when they were selected, excluded ones included. If that number has changed, nothing is done. */
    total: z.int().min(1),
    excluded: tokenIds.default([]),
    action,
  }),
]);
/** The body as clients send it. */
export type TokenBatch = z.input<typeof tokenBatch>;
export type ParsedTokenBatch = z.output<typeof tokenBatch>;

/** Result of an act on many tokens; the three numbers add up to the tokens that were found. */
export const tokenBatchResult = z.object({
  done: z.number(),
  /** Tokens that already had the wanted status. */
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

/** Tokens whose keys one call gives. */
export const TOKEN_KEYS_MAX = 100;

export const getTokenKeys = endpoint({
  method: "POST",
  path: "/api/token/batch/keys",
  access: "user",
  object: "own",
  summary: "The keys of own tokens, without `sk-`, by their ids; ids of no own token are left out",
  body: z.object({ ids: z.array(z.int()).min(1).max(TOKEN_KEYS_MAX) }),
  data: z.object({ keys: z.record(z.string(), z.string()) }),
});
