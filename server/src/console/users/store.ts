/** Queries of users for administrators: pages of the list, and one row for update. No credential column is read here. */
import type { Expression, ExpressionBuilder, Selectable, SqlBool, Transaction } from "kysely";
import { USER_LIST_STATUS } from "../../../../contract/src/features/users.ts";
import type { UserSort } from "../../../../contract/src/features/users.ts";
import type { Database } from "../../db/database.ts";
import { contains, locked } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema, UserTable } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { endSignIns } from "../session-store.ts";
import { idIn, type SortedPage } from "../kit/lists.ts";

export interface UserFilter {
  /** Part of user name, display name, e-mail or remark; a whole number is an id too. */
  keyword?: string | undefined;
  group?: string | undefined;
  role?: number | undefined;
  /** One of USER_LIST_STATUS. */
  status?: number | undefined;
}

const COLUMNS = [
  "id",
  "username",
  "display_name",
  "role",
  "permissions",
  "status",
  "email",
  "quota",
  "used_quota",
  "request_count",
  "group_name",
  "aff_code",
  "aff_count",
  "aff_quota",
  "aff_history_quota",
  "inviter_id",
  "created_time",
  "deleted_at",
  "remark",
] as const;

export type StoredUser = Pick<Selectable<UserTable>, (typeof COLUMNS)[number]>;

/** Whose e-mail addresses may be searched: everybody's below this role, and the caller's own. */
export interface Reach {
  userId: number;
  belowRole: number;
}

type Users = ExpressionBuilder<Schema, "users">;

function keywordIs(database: Database, builder: Users, keyword: string, reach: Reach): Expression<SqlBool> {
  const { and, or, ref } = builder;
  const isOpen = or([builder("role", "<", reach.belowRole), builder("id", "=", reach.userId)]);
  const ways = [
    contains(database, ref("username"), keyword),
    contains(database, ref("display_name"), keyword),
    // An address that is not shown is not found by either: a search would spell it out.
    and([isOpen, contains(database, ref("email"), keyword)]),
    and([
      builder("role", "<", reach.belowRole),
      builder("id", "!=", reach.userId),
      contains(database, ref("remark"), keyword),
    ]),
  ];
  const id = idIn(keyword);
  return or(id === undefined ? ways : [...ways, builder("id", "=", id)]);
}

function filtered(database: Database, { keyword, group, role, status }: UserFilter, reach: Reach) {
  let users = database.kysely.selectFrom("users");
  if (group !== undefined) users = users.where("group_name", "=", group);
  if (role !== undefined) users = users.where("role", "=", role);
  if (status === USER_LIST_STATUS.deregistered) users = users.where("deleted_at", "is not", null);
  else if (status !== undefined) users = users.where("status", "=", status).where("deleted_at", "is", null);
  return keyword === undefined ? users : users.where((builder) => keywordIs(database, builder, keyword, reach));
}

/** One page; rows that the sort takes for equal go by id. */
export function findUsers(
  database: Database,
  filter: UserFilter,
  reach: Reach,
  { sort, isDescending, limit, offset }: SortedPage<UserSort>,
): Promise<StoredUser[]> {
  const direction = isDescending ? "desc" : "asc";
  const found = filtered(database, filter, reach).select(COLUMNS).orderBy(sort, direction).orderBy("id", direction);
  return found.limit(limit).offset(offset).execute();
}

export async function countUsers(database: Database, filter: UserFilter, reach: Reach): Promise<number> {
  const row = await filtered(database, filter, reach)
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

const userById = (queries: Queries, id: number) => queries.selectFrom("users").select(COLUMNS).where("id", "=", id);

/** One row, of a deregistered user too. */
export const findUser = (queries: Queries, id: number): Promise<StoredUser | undefined> =>
  userById(queries, id).executeTakeFirst();

/** Columns that an administrator may write: never a balance. */
export type UserPatch = Partial<
  Pick<
    Selectable<UserTable>,
    | "username"
    | "username_key"
    | "display_name"
    | "password_hash"
    | "is_password_temporary"
    | "group_name"
    | "remark"
    | "role"
    | "permissions"
    | "status"
    | "deleted_at"
  >
>;

export interface PatchedUser {
  before: StoredUser;
  after: StoredUser;
}

interface PatchIds {
  actorId: number;
  userId: number;
}

type DecidePatch = (
  actor: StoredUser | undefined,
  user: StoredUser,
  transaction: Transaction<Schema>,
) => Promise<{ patch: UserPatch; endsSessions?: boolean }>;

/**
 * Lets `decide` see the actor and the user as they are inside the transaction, and writes what it gives; rows of another table may be
 * written by `decide` too. Where `endsSessions` says so, every session and access token of the user ends in the same transaction.
 * Undefined where the user is not there. Throws what `decide` throws, and the driver's unique violation: the transaction has to end then.
 */
export async function patchUserIn(
  database: Database,
  transaction: Transaction<Schema>,
  { actorId, userId }: PatchIds,
  decide: DecidePatch,
): Promise<PatchedUser | undefined> {
  // Taken first: all writers of users take this lock, so no role or status changes between the check and the write.
  const changed_version = await bumpVersion(transaction, "users");
  // Calls that are settled stand in no line: they wait for the row, whose balance may be what is decided on.
  const before = await locked(database, userById(transaction, userId)).executeTakeFirst();
  if (before === undefined) return undefined;
  const { patch, endsSessions = false } = await decide(await findUser(transaction, actorId), before, transaction);
  if (Object.keys(patch).length > 0)
    await transaction
      .updateTable("users")
      .set({ ...patch, changed_version })
      .where("id", "=", userId)
      .execute();
  if (endsSessions) await endSignIns(transaction, userId);
  return { before, after: { ...before, ...patch } };
}

/** As `patchUserIn`, in a transaction of its own: what is thrown undoes everything. */
export const patchUser = (database: Database, ids: PatchIds, decide: DecidePatch): Promise<PatchedUser | undefined> =>
  database.kysely.transaction().execute((transaction) => patchUserIn(database, transaction, ids, decide));

const DAY_SECONDS = 86_400;

/** The balance right after an administrator changed it last, within the day before `now` (Unix seconds); undefined where none did. */
export async function balanceSetLast(queries: Queries, userId: number, now: number): Promise<number | undefined> {
  const row = await queries
    .selectFrom("ledger")
    .select("detail")
    .where("kind", "=", "adjustment")
    .where("user_id", "=", userId)
    .where("created_at", ">", now - DAY_SECONDS)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const { to } = JSON.parse(row?.detail ?? "{}") as { to?: number };
  return to;
}

export const isPosted = async (queries: Queries, entryId: string): Promise<boolean> =>
  (await queries.selectFrom("ledger").select("id").where("entry_id", "=", entryId).executeTakeFirst()) !== undefined;
