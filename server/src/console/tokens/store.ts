/** Queries of tokens: every one names the owner, so a foreign id is simply not there. Balances are only read here (billing writes them). */
import { sql } from "kysely";
import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool, Transaction, Updateable } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { TokenSort } from "../../../../contract/src/features/tokens.ts";
import { NEVER_EXPIRES, TOKEN_LISTS_BYTES, TOKEN_STATUS } from "../../../../contract/src/features/tokens.ts";
import type { Database } from "../../db/database.ts";
import { contains, locked } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema, TokenTable } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import type { SortedPage } from "../kit/lists.ts";

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

export type TokenPage = SortedPage<TokenSort>;

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

const tokenOf = (queries: Queries, userId: number, id: number) =>
  queries
    .selectFrom("tokens")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null);

/** A live token of this user; undefined for an absent, deleted or foreign one. */
export const findToken = (queries: Queries, userId: number, id: number): Promise<StoredToken | undefined> =>
  tokenOf(queries, userId, id).executeTakeFirst();

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

/** Throws token_limit_reached where the user has no room for `more` tokens. */
async function checkRoom(queries: Queries, userId: number, more: number, max: number): Promise<void> {
  const { count } = await queries
    .selectFrom("tokens")
    .select((builder) => builder.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(count) + more <= max) return;
  const message = `One user may have ${max} tokens; you have ${count}`;
  throw new AppError("token_limit_reached", { message, field: "count", values: { max, count: Number(count) } });
}

/** Bytes of all lists of the user's tokens. */
async function listBytes(queries: Queries, userId: number): Promise<number> {
  const { bytes } = await queries
    .selectFrom("tokens")
    // No engine reads the texts themselves for this, as it would to count their characters.
    .select(sql<number | null>`sum(octet_length(model_limits) + octet_length(allow_ips))`.as("bytes"))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

/** Throws token_lists_large where the user's lists have become too large together. */
async function checkLists(queries: Queries, userId: number, before: number): Promise<void> {
  const now = await listBytes(queries, userId);
  if (now > TOKEN_LISTS_BYTES && now > before) throw new AppError("token_lists_large", { field: "model_limits" });
}

const hasLists = ({ model_limits, allow_ips }: Partial<Pick<NewToken, "model_limits" | "allow_ips">>): boolean =>
  Boolean(model_limits) || Boolean(allow_ips);

/**
 * Inserts all of them, of one user, or none; gives their ids. Throws token_limit_reached where the user would have more than `max`, and
 * token_lists_large.
 */
export async function insertTokens(database: Database, tokens: readonly NewToken[], max: number): Promise<number[]> {
  const { user_id: userId = 0 } = tokens[0] ?? {};
  // Looked at before, too: a call that changes nothing makes no other wait.
  await checkRoom(database.kysely, userId, tokens.length, max);
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of tokens stand in this line, so that what is counted next holds for what is written.
    const changed_version = await bumpVersion(transaction, "tokens");
    await checkRoom(transaction, userId, tokens.length, max);
    await transaction
      .insertInto("tokens")
      .values(tokens.map((token) => ({ ...token, changed_version })))
      .execute();
    if (tokens.some(hasLists)) await checkLists(transaction, userId, 0);
    const hashes = tokens.map(({ key_hash }) => key_hash);
    const rows = await transaction
      .selectFrom("tokens")
      .select(["id", "key_hash"])
      .where("key_hash", "in", hashes)
      .execute();
    const idOf = new Map(rows.map(({ id, key_hash }) => [key_hash, id]));
    return hashes.map((hash) => idOf.get(hash) ?? 0);
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
    | "auto_groups"
    | "cross_group_retry"
    | "status"
  >
>;

/**
 * Lets `decide` see the row as it is inside the transaction and writes what it gives; false where the token is not there.
 * Throws what `decide` throws: the transaction has to end then.
 */
export async function patchToken(
  database: Database,
  transaction: Transaction<Schema>,
  { userId, id }: { userId: number; id: number },
  decide: (row: StoredToken) => TokenPatch,
): Promise<boolean> {
  // Taken first: all writers of tokens stand in this line. Calls that are settled do not, and wait for the row.
  const changed_version = await bumpVersion(transaction, "tokens");
  const row = await locked(database, tokenOf(transaction, userId, id)).executeTakeFirst();
  if (row === undefined) return false;
  const patch = decide(row);
  const before = hasLists(patch) ? await listBytes(transaction, userId) : 0;
  await writeToken(transaction, id, { ...patch, changed_version });
  if (hasLists(patch)) await checkLists(transaction, userId, before);
  return true;
}

async function writeToken(transaction: Transaction<Schema>, id: number, change: Updateable<TokenTable>): Promise<void> {
  await transaction.updateTable("tokens").set(change).where("id", "=", id).execute();
}

/** Columns of a deleted token: the row stays for the ledger, without large values. */
const deletion = (now: number) => ({ deleted_at: now, model_limits: "", allow_ips: "" });

/** Marks a token as deleted; its row stays for the ledger. False where it is not there. `now` in Unix seconds. */
export function softDeleteToken(database: Database, userId: number, id: number, now: number): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "tokens");
    const row = await findToken(transaction, userId, id);
    if (row === undefined) return false;
    await writeToken(transaction, id, { ...deletion(now), changed_version });
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
        .set({ ...("status" in change ? change : deletion(change.deleted_at)), changed_version })
        .where("id", "in", changed)
        .execute();
    }
    return judged.map(({ verdict }) => verdict);
  });
}
