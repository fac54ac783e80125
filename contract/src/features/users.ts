/** Users as administrators see them: the paged list and its search. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { queryPage, queryPageSize, queryText } from "../query.ts";

/** One account, without anything that logs in. E-mail and bindings are blank where the account is closed to the caller. */
export const USER_STATUS = { enabled: 1, disabled: 2 } as const;

export const userRow = z.object({
  id: z.number(),
  username: z.string(),
  /** Always blank. */
  password: z.literal(""),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  group: z.string(),
  aff_code: z.string(),
  aff_count: z.number(),
  aff_quota: z.number(),
  aff_history_quota: z.number(),
  inviter_id: z.number(),
  /** RFC 3339 time; null for an account that lives. */
  DeletedAt: z.string().nullable(),
});
export type UserRow = z.output<typeof userRow>;

const paging = { p: queryPage(1), page_size: queryPageSize };

const userPage = z.object({
  items: z.array(userRow),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
});

export const listUsers = endpoint({
  method: "GET",
  path: "/api/user",
  access: "admin",
  object: "site",
  summary: "All users, newest first, deregistered ones too",
  query: z.object(paging),
  data: userPage,
});

export const searchUsers = endpoint({
  method: "GET",
  path: "/api/user/search",
  access: "admin",
  object: "site",
  summary: "Users by id, or by a part of user name, display name or e-mail; and by group",
  query: z.object({
    keyword: queryText,
    /** Exact; absent: all. */
    group: queryText,
    ...paging,
  }),
  data: userPage,
});
