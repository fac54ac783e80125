/** Queries of redemption codes: pages of the list, and changes that only a code of the right status takes. */
import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool } from "kysely";
import type { RedemptionSort } from "../../../../contract/src/features/redemptions.ts";
import { REDEMPTION_LIST_STATUS, REDEMPTION_STATUS } from "../../../../contract/src/features/redemptions.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows, contains } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { RedemptionTable, Schema } from "../../db/schema.ts";
import { idIn, type SortedPage } from "../kit/lists.ts";

export type StoredRedemption = Selectable<RedemptionTable>;

/** Whether a code has not expired. `now` in Unix seconds. */
const isOpen = (builder: ExpressionBuilder<Schema, "redemptions">, now: number): Expression<SqlBool> =>
  builder.or([builder("expired_time", "=", 0), builder("expired_time", ">", now)]);

export interface RedemptionFilter {
  /** One of REDEMPTION_LIST_STATUS. */
  status?: number | undefined;
  /** Unix seconds. */
  now: number;
  /** Part of the name, or the last four characters of the code; a whole number is an id too. `hash`: look-up hash of the text as a code. */
  keyword?: { text: string; hash: string } | undefined;
}

function keywordIs(
  database: Database,
  builder: ExpressionBuilder<Schema, "redemptions">,
  { text, hash }: { text: string; hash: string },
): Expression<SqlBool> {
  const ways = [
    contains(database, builder.ref("name"), text),
    builder("key_hash", "=", hash),
    builder("key_last", "=", text),
  ];
  const id = idIn(text);
  return builder.or(id === undefined ? ways : [...ways, builder("id", "=", id)]);
}

/** Whether a list narrowed to this status has the code. `now` in Unix seconds. */
function hasListStatus(builder: ExpressionBuilder<Schema, "redemptions">, status: number, now: number) {
  const { unused } = REDEMPTION_STATUS;
  if (status === unused) return builder.and([builder("status", "=", unused), isOpen(builder, now)]);
  if (status !== REDEMPTION_LIST_STATUS.expired) return builder("status", "=", status);
  return builder.and([builder("status", "=", unused), builder.not(isOpen(builder, now))]);
}

function filtered(database: Database, { status, keyword, now }: RedemptionFilter) {
  let codes = database.kysely.selectFrom("redemptions").where("deleted_at", "is", null);
  if (status !== undefined) codes = codes.where((builder) => hasListStatus(builder, status, now));
  return keyword === undefined ? codes : codes.where((builder) => keywordIs(database, builder, keyword));
}

/** One page and how many there are in all; rows that the sort takes for equal go by id. */
export async function findRedemptions(
  database: Database,
  filter: RedemptionFilter,
  { sort, isDescending, limit, offset }: SortedPage<RedemptionSort>,
): Promise<{ rows: StoredRedemption[]; total: number }> {
  const direction = isDescending ? "desc" : "asc";
  const found = filtered(database, filter);
  const sorted = found.selectAll().orderBy(sort, direction).orderBy("id", direction);
  const [rows, counted] = await Promise.all([
    sorted.limit(limit).offset(offset).execute(),
    found.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(counted.total) };
}

/** A code that is not deleted. */
export const findRedemption = (queries: Queries, id: number): Promise<StoredRedemption | undefined> =>
  queries.selectFrom("redemptions").selectAll().where("id", "=", id).where("deleted_at", "is", null).executeTakeFirst();

/** The same by the look-up hash of the code. */
export const findByHash = (queries: Queries, hash: string): Promise<StoredRedemption | undefined> =>
  queries
    .selectFrom("redemptions")
    .selectAll()
    .where("key_hash", "=", hash)
    .where("deleted_at", "is", null)
    .executeTakeFirst();

/** Inserts all of them or none, by one statement. */
export const insertRedemptions = async (
  database: Database,
  rows: readonly Insertable<RedemptionTable>[],
): Promise<void> =>
  void (await database.kysely
    .insertInto("redemptions")
    .values([...rows])
    .execute());

/** Writes name, quota and expiry of a code that is unused at this moment; false where it is not. */
export async function patchUnused(
  database: Database,
  id: number,
  patch: Partial<Pick<StoredRedemption, "name" | "quota" | "expired_time">>,
): Promise<boolean> {
  const result = await database.kysely
    .updateTable("redemptions")
    .set({ status: REDEMPTION_STATUS.unused, ...patch })
    .where("id", "=", id)
    .where("status", "=", REDEMPTION_STATUS.unused)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Disables or enables a code that is not used; false where it is, or is not there. */
export async function writeStatus(database: Database, id: number, status: number): Promise<boolean> {
  const result = await database.kysely
    .updateTable("redemptions")
    .set({ status })
    .where("id", "=", id)
    .where("status", "!=", REDEMPTION_STATUS.used)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Marks a code as deleted; false where it is not there. `now` in Unix seconds. */
export async function softDelete(database: Database, id: number, now: number): Promise<boolean> {
  const result = await database.kysely
    .updateTable("redemptions")
    .set({ deleted_at: now })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Marks all used, disabled and expired codes as deleted; gives how many. `now` in Unix seconds. */
export async function softDeleteInvalid(database: Database, now: number): Promise<number> {
  const result = await database.kysely
    .updateTable("redemptions")
    .set({ deleted_at: now })
    .where((row) =>
      row.or([row("status", "in", [REDEMPTION_STATUS.disabled, REDEMPTION_STATUS.used]), row.not(isOpen(row, now))]),
    )
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return affectedRows(result);
}

/**
 * Marks a code as used by a user if it is still unused, worth `quota` and not expired: the statement that decides who of many gets it.
 * @param now Unix seconds
 */
export async function takeCode(
  queries: Queries,
  { id, quota, userId, now }: { id: number; quota: number; userId: number; now: number },
): Promise<boolean> {
  const result = await queries
    .updateTable("redemptions")
    .set({ status: REDEMPTION_STATUS.used, used_user_id: userId, redeemed_time: now })
    .where("id", "=", id)
    .where("status", "=", REDEMPTION_STATUS.unused)
    .where("quota", "=", quota)
    .where((row) => isOpen(row, now))
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}
