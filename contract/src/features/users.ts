/** User endpoints for administrators: the paged list and its search, one account, and what can be done to it. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { permissionCatalogue } from "../family/permission-catalogue.ts";
import { PERMISSIONS } from "../permissions.ts";
import { nameText } from "../names.ts";
import { pathId, queryInteger, queryPage, queryPageSize, queryText } from "../query.ts";

/** Any other status counts as disabled. `notActivated` comes with imported accounts, which cannot be enabled. */
export const USER_STATUS = { enabled: 1, disabled: 2, notActivated: 3 } as const;

/** What the list's filter `status` takes: a stored status of accounts that live, or the derived 4. */
export const USER_LIST_STATUS = { ...USER_STATUS, deregistered: 4 } as const;

export const USER_SORTS = [
  "id",
  "username",
  "role",
  "quota",
  "used_quota",
  "request_count",
  "aff_count",
  "created_time",
] as const;
export type UserSort = (typeof USER_SORTS)[number];

/** One account, without anything that logs in. E-mail and bindings are blank where the account is closed to the caller. */
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

/** The same for administrators. */
export const managedUser = userRow.extend({
  /** Unix seconds; 0 unknown. */
  created_time: z.number(),
  /** User name of the inviter; blank if none. */
  inviter_name: z.string(),
  /** What administrators note; blank for the caller's own account, and for people of the caller's role and above. */
  remark: z.string(),
  /** What an administrator may do; empty for everybody below. Null where the caller is not the super administrator. */
  admin_permissions: z.array(z.enum(PERMISSIONS)).nullable(),
  /** Unix seconds of the last call of a token or of the console, up to five minutes old; 0 never, and where the account is closed to the caller. */
  last_active_time: z.number(),
  /** An authenticator app or a passkey; null where the account is closed to the caller. */
  has_second_factor: z.boolean().nullable(),
});
export type ManagedUser = z.output<typeof managedUser>;

const list = {
  /** One of USER_LIST_STATUS. */
  status: queryInteger,
  role: queryInteger,
  /** Exact; absent: all. */
  group: queryText,
  /** One of USER_SORTS. */
  sort: queryText,
  /** `asc` or `desc` (default). */
  order: queryText,
  p: queryPage(1),
  page_size: queryPageSize,
};

const userPage = z.object({
  items: z.array(managedUser),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
});
export type UserPage = z.output<typeof userPage>;

export const listUsers = endpoint({
  method: "GET",
  path: "/api/user",
  access: "admin",
  act: ["users", "money"],
  object: "site",
  summary: "All users, newest first or by `sort`, deregistered ones too",
  query: z.object(list),
  data: userPage,
});

export const searchUsers = endpoint({
  method: "GET",
  path: "/api/user/search",
  access: "admin",
  act: ["users", "money"],
  object: "site",
  summary: "Users by id, or by a part of user name, display name, e-mail or remark; and by group, status and role",
  query: z.object({ keyword: queryText, ...list }),
  data: userPage,
});

export const getUser = endpoint({
  method: "GET",
  path: "/api/user/{id}",
  access: "admin",
  act: ["users", "money"],
  object: "lowerRole",
  summary: "One user that is not deregistered; the super administrator may read their own account too",
  params: pathId,
  data: managedUser,
});

/** 128 characters, of which each may be two units. */
const password = z.string().max(400);

export const createUser = endpoint({
  method: "POST",
  path: "/api/user",
  access: "admin",
  act: "users",
  object: "site",
  summary:
    "Makes a user with what new users are given; the password is temporary where the site has TemporaryPasswordsEnabled. With the role of an administrator it wants the super administrator and a password confirmed within ten minutes, so no access token",
  body: z.object({
    username: nameText,
    /** 8 to 128 characters. */
    password,
    /** The user name where absent or blank. */
    display_name: nameText.optional(),
    /** 1 where absent. 10 is for the super administrator; a caller can only create users below their own role. */
    role: z.int().optional(),
  }),
  data: managedUser,
});

export const USER_REMARK_MAX = 255;
/** Characters of the reason for a change of a balance. */
export const QUOTA_REASON_MAX = 200;

const userId = z.int().min(1);

const changeId = z.string().regex(/^[\w-]{16,32}$/);

export const userChange = z.object({
  id: userId,
  username: nameText.optional(),
  display_name: nameText.optional(),
  /** 8 to 128 characters; blank keeps the old one. */
  password: password.optional(),
  /** One of the option GroupRatio. */
  group: nameText.max(64).optional(),
  /** What administrators note; blank removes it. */
  remark: z.string().max(USER_REMARK_MAX).optional(),
  /** Wanted balance; posted as a difference, never written. */
  quota: z.number().optional(),
  /** The balance the editor was opened with: the difference to it is posted, so that usage in between is not undone. */
  quota_seen: z.number().optional(),
  /** Signed correction; wins over `quota`. */
  quota_delta: z.number().optional(),
  /** Why the balance changes, for the ledger and the administrators' log. */
  reason: z.string().max(QUOTA_REASON_MAX).optional(),
  /** Made by the client for one change of the balance: sent again with the same, it is not posted a second time. */
  change_id: changeId.optional(),
});
export type UserChange = z.output<typeof userChange>;

export const updateUser = endpoint({
  method: "PUT",
  path: "/api/user",
  access: "admin",
  act: ["users", "money"],
  object: "lowerRole",
  summary:
    "Changes the fields that are sent; a new password ends the user's sessions and access tokens, and is temporary where the site has TemporaryPasswordsEnabled. The super administrator may change their own display name, group and quota here. Another password or user name wants a password confirmed within ten minutes, so no access token",
  body: userChange,
  data: managedUser,
});

export const USER_ACTIONS = ["promote", "demote", "enable", "disable", "end_sessions", "delete"] as const;
export type UserAction = (typeof USER_ACTIONS)[number];

/** What `value` of an act on a balance is: what is added or taken, or the balance that is wanted. */
const QUOTA_MODES = ["add", "subtract", "override"] as const;
export type QuotaMode = (typeof QUOTA_MODES)[number];

/** What a row shows after an action. */
const managedState = managedUser.pick({ role: true, status: true, DeletedAt: true });
export type ManagedState = z.output<typeof managedState>;

export const manageUser = endpoint({
  method: "POST",
  path: "/api/user/manage",
  access: "admin",
  act: ["users", "money"],
  object: "lowerRole",
  summary:
    "Promotes to administrator or demotes (super administrator only), enables, disables, ends all sessions and access tokens, or deregisters; with `add_quota` moves the balance by `value` as `mode` says, posted to the ledger. Answers what the user is now. Promoting, demoting and deregistering an administrator want a password confirmed within ten minutes, so no access token",
  body: z.object({
    id: userId,
    action: z.enum([...USER_ACTIONS, "add_quota"]),
    /** With `add_quota`. */
    mode: z.enum(QUOTA_MODES).optional(),
    /** With `add_quota`: whole units of quota, above 0 unless the mode is `override`. */
    value: z.int().optional(),
    /** As of a change of the user: sent again with the same, it is not posted a second time. */
    change_id: changeId.optional(),
  }),
  data: managedState,
});

export const setPermissions = endpoint({
  method: "PUT",
  path: "/api/user/{id}/permissions",
  access: "root",
  object: "lowerRole",
  summary:
    "Says what an administrator may do: all acts that are sent, and no other; in force everywhere within a second. With all of them they are as administrators are by default, and get acts that a later version adds",
  params: pathId,
  body: z.object({ permissions: z.array(z.enum(PERMISSIONS)).max(PERMISSIONS.length) }),
  data: managedUser,
  stepUp: true,
});

export const getPermissionCatalogue = endpoint({
  method: "GET",
  path: "/api/authz/catalog",
  access: "admin",
  act: "any",
  object: "none",
  summary:
    "What an administrator can be permitted, in the form of the API family: resources with their actions, and what each role has. Permissions of one administrator are set by `PUT /api/user/{id}/permissions`",
  data: permissionCatalogue,
});

export const deleteUser = endpoint({
  method: "DELETE",
  path: "/api/user/{id}",
  access: "admin",
  act: "users",
  object: "lowerRole",
  summary:
    "Deregisters a user: the row stays, nothing of theirs signs in any more. An administrator is deregistered after a password confirmed within ten minutes alone",
  params: pathId,
});
