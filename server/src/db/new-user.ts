/** A new user's row with its defaults: no linked identity, nothing spent, the default group. */
import type { Insertable } from "kysely";
import { foldName } from "../../../contract/src/names.ts";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import { ROLE } from "../../../contract/src/roles.ts";
import type { UserTable } from "./schema.ts";

/** Quota is 0: the initial quota of a user is posted to the ledger. */
export const NEW_USER = {
  password_hash: null,
  display_name: "",
  role: ROLE.user,
  status: USER_STATUS.enabled,
  email: null,
  github_id: null,
  oidc_id: null,
  wechat_id: null,
  telegram_id: null,
  linux_do_id: null,
  access_token_hash: null,
  quota: 0,
  held: 0,
  used_quota: 0,
  request_count: 0,
  group_name: "default",
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  setting: "{}",
  created_time: 0,
  deleted_at: null,
} as const satisfies Omit<Insertable<UserTable>, "username" | "username_key" | "aff_code" | "changed_version">;

/** The two columns of a user name: displayed, and folded for comparison. */
export const nameColumns = (username: string) => ({ username, username_key: foldName(username) });
