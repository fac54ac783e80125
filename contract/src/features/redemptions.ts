/** Redemption codes: administrators make them and hand them out; each can be redeemed once and credits its quota. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { pathId, queryFlag, queryInteger, queryPage, queryPageSize, queryText } from "../query.ts";

export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const;
/** What a list can be narrowed to: the stored statuses, and codes that are unused and have expired, which are not among the unused ones there. */
export const REDEMPTION_LIST_STATUS = { ...REDEMPTION_STATUS, expired: 4 } as const;
/** Longest name, in characters. */
export const REDEMPTION_NAME_MAX = 20;
/** The largest number of codes that one POST makes. */
export const REDEMPTION_BATCH_MAX = 100;
/** Most quota of one code: so many of the largest fit into a balance that sums stay exact. */
export const REDEMPTION_QUOTA_MAX = 1_000_000_000_000;
/** What the form for new codes begins with, in quota. */
export const NEW_REDEMPTION_QUOTA = 100_000;

/** `key` is the whole code: only administrators get this row, and they hand codes out. */
export const redemptionRow = z.object({
  id: z.number(),
  /** Who made it. */
  user_id: z.number(),
  username: z.string(),
  key: z.string(),
  /** One of REDEMPTION_STATUS. */
  status: z.number(),
  name: z.string(),
  /** What it is worth, in quota. */
  quota: z.number(),
  /** Unix seconds. */
  created_time: z.number(),
  /** Unix seconds; 0 for a code that was not used. */
  redeemed_time: z.number(),
  /** Unix seconds from which it can no longer be redeemed; 0 for a code that does not expire. */
  expired_time: z.number(),
  /** User id of who redeemed it; 0 if unused. */
  used_user_id: z.number(),
  /** User name of who redeemed it; blank if unused. */
  used_username: z.string(),
});
export type RedemptionRow = z.output<typeof redemptionRow>;

export const REDEMPTION_SORTS = [
  "id",
  "name",
  "status",
  "quota",
  "created_time",
  "redeemed_time",
  "expired_time",
] as const;
export type RedemptionSort = (typeof REDEMPTION_SORTS)[number];

const list = {
  /** One of REDEMPTION_LIST_STATUS. */
  status: queryInteger,
  /** One of REDEMPTION_SORTS. */
  sort: queryText,
  /** `asc` or `desc` (default). */
  order: queryText,
  p: queryPage(1),
  page_size: queryPageSize,
};

const redemptionPage = z.object({
  items: z.array(redemptionRow),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
});
export type RedemptionPage = z.output<typeof redemptionPage>;

export const listRedemptions = endpoint({
  method: "GET",
  path: "/api/redemption",
  access: "admin",
  act: "money",
  object: "site",
  summary: "All redemption codes, newest first or by `sort`",
  query: z.object(list),
  data: redemptionPage,
});

export const searchRedemptions = endpoint({
  method: "GET",
  path: "/api/redemption/search",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Redemption codes by id, by a part of the name, by the code or its last four characters; and by status",
  query: z.object({ keyword: queryText, ...list }),
  data: redemptionPage,
});

export const getRedemption = endpoint({
  method: "GET",
  path: "/api/redemption/{id}",
  access: "admin",
  act: "money",
  object: "site",
  summary: "One redemption code",
  params: pathId,
  data: redemptionRow,
});

export const redemptionCreate = z.object({
  /** 1 to 20 characters; the quota as the site shows it where absent or blank. */
  name: nameText.optional(),
  /** What each is worth: whole units, at least 1. */
  quota: z.number(),
  /** How many to make, 1 to 100; 1 where absent. */
  count: z.number().optional(),
  /** Unix seconds in the future from which they can no longer be redeemed; 0 or absent for never. */
  expired_time: z.number().optional(),
});
export type RedemptionCreate = z.output<typeof redemptionCreate>;

export const createRedemptions = endpoint({
  method: "POST",
  path: "/api/redemption",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Makes `count` codes of one name, quota and expiry, all or none; `data` are the codes",
  body: redemptionCreate,
  data: z.array(z.string()),
});

export const redemptionUpdate = z.object({
  id: z.int(),
  name: nameText.optional(),
  quota: z.number().optional(),
  /** As when it is made; the stored time is taken although it is past. */
  expired_time: z.number().optional(),
  /** 1 or 2. Read only with `status_only`. */
  status: z.number().optional(),
});
export type RedemptionUpdate = z.output<typeof redemptionUpdate>;

export const updateRedemption = endpoint({
  method: "PUT",
  path: "/api/redemption",
  access: "admin",
  act: "money",
  object: "site",
  summary:
    "Changes name, quota and expiry of an unused code; with status_only disables it or enables it again. A used one stays as it is",
  query: z.object({ status_only: queryFlag }),
  body: redemptionUpdate,
  data: redemptionRow,
});

export const deleteInvalidRedemptions = endpoint({
  method: "DELETE",
  path: "/api/redemption/invalid",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Deletes every code that is used, disabled or expired; `data` is how many there were",
  data: z.number(),
});

export const deleteRedemption = endpoint({
  method: "DELETE",
  path: "/api/redemption/{id}",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Deletes a code; one that was not used can no longer be redeemed",
  params: pathId,
});

export const redeemCode = endpoint({
  method: "POST",
  path: "/api/user/topup",
  access: "user",
  object: "self",
  summary:
    "Adds what a redemption code is worth to the own balance, once; `data` is that quota. Wrong codes are slowed down",
  body: z.object({ key: z.string().max(200).default("") }),
  data: z.number(),
});
