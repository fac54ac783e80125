/** Queries of users for administrators: pages by id, newest first. No column that logs somebody in is read here. */
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from "kysely";
import type { Database } from "../../db/database.ts";
import { contains } from "../../db/portable.ts";
import type { Schema, UserTable } from "../../db/schema.ts";

export interface UserFilter {
  /** Part of user name, display name or e-mail; a whole number is an id too. */
  keyword?: string | undefined;
  group?: string | undefined;
}

const COLUMNS = [
  "id",
  "username",
  "display_name",
  "role",
  "status",
  "email",
  "github_id",
  "oidc_id",
  "wechat_id",
  "telegram_id",
  "linux_do_id",
  "quota",
  "used_quota",
  "request_count",
  "group_name",
  "aff_code",
  "aff_count",
  "aff_quota",
  "aff_history_quota",
  "inviter_id",
  "deleted_at",
] as const;

export type StoredUser = Pick<Selectable<UserTable>, (typeof COLUMNS)[number]>;

/** Whose e-mail addresses may be searched: everybody's below this role, and the caller's own. */
export interface Reach {
  userId: number;
  belowRole: number;
}

type Users = ExpressionBuilder<Schema, "users">;

/** Whole numbers that are exact, whichever their digits. */
const ID = /^[1-9]\d{0,14}$/;

function keywordIs(database: Database, builder: Users, keyword: string, reach: Reach): Expression<SqlBool> {
  const { and, or, ref } = builder;
  const isOpen = or([builder("role", "<", reach.belowRole), builder("id", "=", reach.userId)]);
  const ways = [
    contains(database, ref("username"), keyword),
    contains(database, ref("display_name"), keyword),
    // An address that is not shown is not found by either: a search would spell it out.
    and([isOpen, contains(database, ref("email"), keyword)]),
  ];
  return or(ID.test(keyword) ? [...ways, builder("id", "=", Number(keyword))] : ways);
}

function filtered(database: Database, { keyword, group }: UserFilter, reach: Reach) {
  const all = database.kysely.selectFrom("users");
  const inGroup = group === undefined ? all : all.where("group_name", "=", group);
  return keyword === undefined ? inGroup : inGroup.where((builder) => keywordIs(database, builder, keyword, reach));
}

/** One page, newest first. */
export function findUsers(
  database: Database,
  filter: UserFilter,
  reach: Reach,
  page: { offset: number; limit: number },
): Promise<StoredUser[]> {
  return filtered(database, filter, reach)
    .select(COLUMNS)
    .orderBy("id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function countUsers(database: Database, filter: UserFilter, reach: Reach): Promise<number> {
  const row = await filtered(database, filter, reach)
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}
