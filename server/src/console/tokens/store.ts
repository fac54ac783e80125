/** Queries of tokens: every one names the owner, so a foreign id is simply not there. Balances are only read here (billing writes them). */
import { sql } from "kysely";
import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool, Transaction, Updateable } from "kysely";
import type { TokenSort } from "../../../../contract/src/features/tokens.ts";
import { NEVER_EXPIRES, TOKEN_STATUS } from "../../../../contract/src/features/tokens.ts";
import type { Database } from "../../db/database.ts";
import { contains, insertReturningId } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema, TokenTable } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";

export type StoredToken = Selectable<TokenTable>;

export interface TokenFilter {
  userId: number;
  /** Derived status, 1 to 4. */
  status?: number | undefined;
  group?: string | undefined;
  /** Part of the name. */
  keyword?: string | undefined;
  /** Look-up hash of a whole key, and the text itself for its beginning and end. */
  key?: { hash: string; text: string } | undefined;
}

export interface TokenPage {
  sort: TokenSort;
  isDescending: boolean;
  offset: number;
  limit: number;
}

type TokenExpressions = ExpressionBuilder<Schema, "tokens">;

const KEY_FIRST_LENGTH = 6;
const KEY_LAST_LENGTH = 4;

/** The derived status as SQL; `statusOf` in rules.ts says the same of one row, and a test holds them together. */
function statusIs(builder: TokenExpressions, status: number, now: number): Expression<SqlBool> {
  const { and, or, not } = builder;
  const disabled = builder("status", "=", TOKEN_STATUS.disabled);
  const isOverdue = and([builder("expired_time", "!=", NEVER_EXPIRES), builder("expired_time", "<=", now)]);
  const isSpent = and([builder("unlimited_quota", "=", 0), builder("remain_quota", "<=", 0)]);
  const isFresh = and([not(isOverdue), not(isSpent)]);
  const stored = (value: number) => and([builder("status", "=", value), isFresh]);
  switch (status) {
    case TOKEN_STATUS.disabled:
      return disabled;
    case TOKEN_STATUS.expired:
      return and([not(disabled), or([isOverdue, stored(TOKEN_STATUS.expired)])]);
    case TOKEN_STATUS.exhausted:
      return and([not(disabled), not(isOverdue), or([isSpent, stored(TOKEN_STATUS.exhausted)])]);
    default:
      return stored(status);
  }
}

/** The key's stored beginning or end; longer parts of a key are not kept anywhere and find nothing. */
function keyMatches(builder: TokenExpressions, key: { hash: string; text: string }): Expression<SqlBool> {
  const { hash, text } = key;
  const ways: Expression<SqlBool>[] = [builder("key_hash", "=", hash)];
  if (text.length <= KEY_FIRST_LENGTH) ways.push(sql<SqlBool>`substr(key_first, 1, ${text.length}) = ${text}`);
  if (text.length <= KEY_LAST_LENGTH) {
    ways.push(sql<SqlBool>`substr(key_last, ${KEY_LAST_LENGTH - text.length + 1}, ${text.length}) = ${text}`);
  }
  return builder.or(ways);
}

function filtered(database: Database, filter: TokenFilter, now: number) {
  const { userId, status, group, keyword, key } = filter;
  let query = database.kysely.selectFrom("tokens").where("user_id", "=", userId).where("deleted_at", "is", null);
  if (status !== undefined) query = query.where((builder) => statusIs(builder, status, now));
  if (group !== undefined) query = query.where("group_name", "=", group);
  if (keyword !== undefined) query = query.where((builder) => contains(database, builder.ref("name"), keyword));
  if (key !== undefined) query = query.where((builder) => keyMatches(builder, key));
  return query;
}

/** One page of a user's tokens and how many there are in all. `now` in Unix seconds. */
export async function findTokens(
  database: Database,
  filter: TokenFilter,
  page: TokenPage,
  now: number,
): Promise<{ rows: StoredToken[]; total: number }> {
  const direction = page.isDescending ? "desc" : "asc";
  const base = filtered(database, filter, now);
  const [rows, counted] = await Promise.all([
    base
      .selectAll()
      .orderBy(page.sort, direction)
      .orderBy("id", direction)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    base.select((builder) => builder.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(counted.total) };
}

/** Ids of all live tokens that pass the filter, in their order. `now` in Unix seconds. */
export async function findTokenIds(database: Database, filter: TokenFilter, now: number): Promise<number[]> {
  const rows = await filtered(database, filter, now).select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** A live token of this user; undefined for an absent, deleted or foreign one. */
export function findToken(queries: Queries, userId: number, id: number): Promise<StoredToken | undefined> {
  return queries
    .selectFrom("tokens")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** Live tokens of this user with these ids, in the order of the ids. */
export function findTokensByIds(queries: Queries, userId: number, ids: readonly number[]): Promise<StoredToken[]> {
  return queries
    .selectFrom("tokens")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", "in", [...ids])
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
}

export type NewToken = Omit<Insertable<TokenTable>, "id" | "changed_version">;

/** Inserts all of them or none; gives their ids. */
export function insertTokens(database: Database, tokens: readonly NewToken[]): Promise<number[]> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "tokens");
    const ids: number[] = [];
    for (const token of tokens) {
      ids.push(await insertReturningId(database, transaction, "tokens", { ...token, changed_version }));
    }
    return ids;
  });
}

/** Columns that the owner may write: never a balance. */
export type TokenPatch = Partial<
  Pick<
    StoredToken,
    | "name"
    | "expired_time"
    | "unlimited_quota"
    | "model_limits_enabled"
    | "model_limits"
    | "allow_ips"
    | "group_name"
    | "status"
  >
>;

/**
 * Lets `decide` see the row as it is inside the transaction and writes what it gives; false where the token is not there.
 * What `decide` throws undoes everything.
 */
export function patchToken(
  database: Database,
  userId: number,
  id: number,
  decide: (row: StoredToken) => TokenPatch,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of tokens stand in this line, so the row read next is the row that is written.
    const changed_version = await bumpVersion(transaction, "tokens");
    const row = await findToken(transaction, userId, id);
    if (row === undefined) return false;
    await writeToken(transaction, id, { ...decide(row), changed_version });
    return true;
  });
}

async function writeToken(transaction: Transaction<Schema>, id: number, change: Updateable<TokenTable>): Promise<void> {
  await transaction.updateTable("tokens").set(change).where("id", "=", id).execute();
}

/** Marks a token as deleted; its row stays for the ledger. False where it is not there. `now` in Unix seconds. */
export function softDeleteToken(database: Database, userId: number, id: number, now: number): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "tokens");
    const row = await findToken(transaction, userId, id);
    if (row === undefined) return false;
    await writeToken(transaction, id, { deleted_at: now, changed_version });
    return true;
  });
}

export interface TokensChange<Verdict extends string> {
  userId: number;
  /** At most some hundreds; those that are gone, deleted or foreign are passed over. */
  ids: readonly number[];
  /** Sees each row as it is inside the transaction; one that is `done` is changed. */
  judge: (row: StoredToken) => Verdict | "done";
  /** `deleted_at` in Unix seconds. */
  change: { status: number } | { deleted_at: number };
}

/** Changes in one transaction the tokens that `judge` finds to be done; gives every verdict. */
export function changeTokens<Verdict extends string>(
  database: Database,
  { userId, ids, judge, change }: TokensChange<Verdict>,
): Promise<(Verdict | "done")[]> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first, as in patchToken.
    const changed_version = await bumpVersion(transaction, "tokens");
    const judged = (await findTokensByIds(transaction, userId, ids)).map((row) => ({
      id: row.id,
      verdict: judge(row),
    }));
    const changed = judged.filter(({ verdict }) => verdict === "done").map(({ id }) => id);
    if (changed.length > 0) {
      await transaction
        .updateTable("tokens")
        .set({ ...change, changed_version })
        .where("id", "in", changed)
        .execute();
    }
    return judged.map(({ verdict }) => verdict);
  });
}
