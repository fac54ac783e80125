/** The ledger backend for MySQL and MariaDB: holds as batches of conditional updates, settlements as batches of sums. */
import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from "mysql2/promise";
import { isUniqueViolation, retryDeadlocks } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { HoldRequest } from "../billing.ts";
import type { Posted } from "../adjustments.ts";
import { isDataError, type LedgerBackend, type PostedBatch } from "./backend.ts";
import {
  type LedgerEntry,
  type EndedHold,
  type KeySums,
  type LedgerRow,
  type Sums,
  sumCharges,
} from "../ledger-entry.ts";
import {
  type Granted,
  grantedOr,
  type HoldAnswer,
  holdBatch,
  type HoldRow,
  holdsByToken,
  holdsByUser,
  type HoldSession,
  newRows,
  type PendingHold,
  type PurseRow,
  type Purses,
  pursesOf,
  rowOf,
  type SumsById,
  sumsOf,
  tokenOf,
  userOf,
  wholly,
  withHolds,
} from "./hold-batch.ts";
import { Batcher } from "./batcher.ts";
import { LEDGER_COLUMNS, LOG_COLUMNS, ledgerCells, logCells } from "./cells.ts";

async function write(connection: PoolConnection, sql: string, values: unknown[] = []): Promise<number> {
  const [result] = await connection.query<ResultSetHeader>(sql, values);
  return result.affectedRows;
}

async function inTransaction<Result>(
  pool: Pool,
  work: (connection: PoolConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.getConnection();
  try {
    await connection.query("START TRANSACTION");
    const result = await work(connection);
    await connection.query("COMMIT");
    connection.release();
    return result;
  } catch (error) {
    await connection.query("ROLLBACK").then(
      () => connection.release(),
      () => connection.destroy(),
    );
    throw error;
  }
}

const TAKE_FROM_TOKEN =
  "UPDATE tokens SET held = held + ? WHERE id = ? AND (unlimited_quota = 1 OR remain_quota - held >= ?)";
const TAKE_FROM_USER = "UPDATE users SET held = held + ? WHERE id = ? AND quota - held >= ?";
const LOCK_TOKENS = `SELECT id, unlimited_quota, remain_quota - held AS free, held FROM tokens
  WHERE id IN (?) ORDER BY id FOR UPDATE`;
const LOCK_USERS = `SELECT id, 0 AS unlimited_quota, quota - held AS free, held FROM users
  WHERE id IN (?) ORDER BY id FOR UPDATE`;

const INSERT_HOLDS = `INSERT INTO holds (id, process_id, user_id, token_id, amount, created_time) VALUES ?
  ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount)`;

function insertHolds(connection: PoolConnection, processId: string, rows: readonly HoldRow[]): Promise<number> {
  const now = nowSeconds();
  const cells = rows.map(({ id, userId, tokenId, amount }) => [id, processId, userId, tokenId, amount, now]);
  return write(connection, INSERT_HOLDS, [cells]);
}

function holdSession(connection: PoolConnection, processId: string): HoldSession {
  const lock = async (text: string, ids: readonly number[]): Promise<Purses> => {
    const [rows] = await connection.query<RowDataPacket[]>(text, [ids]);
    return pursesOf(rows as PurseRow[]); // both texts name these columns
  };
  const add = (table: "tokens" | "users", sums: SumsById): Promise<number> => {
    const cases = sums.map(() => "WHEN ? THEN ?").join(" ");
    const text = `UPDATE ${table} SET held = held + CASE id ${cases} END WHERE id IN (?)`;
    return write(connection, text, [...sums.flat(), sums.map(([id]) => id)]);
  };
  return {
    lockTokens: (ids) => lock(LOCK_TOKENS, ids),
    lockUsers: (ids) => lock(LOCK_USERS, ids),
    addToTokens: (sums) => add("tokens", sums),
    addToUsers: (sums) => add("users", sums),
    insert: (rows) => insertHolds(connection, processId, rows),
  };
}

/** Undoes what a transaction did so far. */
class NotGranted extends Error {}

/** The holds of one account that has room for all of them, by one conditional update of each row. Throws NotGranted. */
async function takeAll(connection: PoolConnection, processId: string, rows: readonly HoldRow[]): Promise<void> {
  const steps = [
    [TAKE_FROM_TOKEN, sumsOf(rows, tokenOf)],
    [TAKE_FROM_USER, sumsOf(rows, userOf)],
  ] as const;
  for (const [text, sums] of steps)
    for (const [id, amount] of sums)
      if ((await write(connection, text, [amount, id, amount])) !== 1) throw new NotGranted();
  await insertHolds(connection, processId, rows);
}

const INSERT_LEDGER = `INSERT INTO ledger (${LEDGER_COLUMNS.join(", ")}) VALUES ?`;
const INSERT_LOGS = `INSERT INTO logs (${LOG_COLUMNS.join(", ")}) VALUES ?`;

/** All at once, or one by one where some were posted before; a duplicate undoes its own statement only. */
async function insertLedger(connection: PoolConnection, ledgerEntries: readonly LedgerEntry[]): Promise<boolean[]> {
  const rows = ledgerEntries.flatMap(({ ledger }) => (ledger === undefined ? [] : [ledger]));
  if (rows.length === 0) return ledgerEntries.map(() => true);
  try {
    await write(connection, INSERT_LEDGER, [rows.map(ledgerCells)]);
    return ledgerEntries.map(() => true);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return newRows(ledgerEntries, await insertOneByOne(connection, rows));
  }
}

async function insertOneByOne(connection: PoolConnection, rows: readonly LedgerRow[]): Promise<Set<string>> {
  const inserted = new Set<string>();
  for (const row of rows) {
    try {
      await write(connection, INSERT_LEDGER, [[ledgerCells(row)]]);
      inserted.add(row.entryId);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
  return inserted;
}

const LOCK_HOLDS = "SELECT id, user_id, token_id, amount FROM holds WHERE id IN (?) ORDER BY id FOR UPDATE";

async function deleteHolds(connection: PoolConnection, ledgerEntries: readonly LedgerEntry[]): Promise<EndedHold[]> {
  const ids = ledgerEntries.flatMap(({ hold }) => (hold === undefined ? [] : [hold.id]));
  if (ids.length === 0) return [];
  const [rows] = await connection.query<RowDataPacket[]>(LOCK_HOLDS, [ids]);
  if (rows.length === 0) return [];
  await write(connection, "DELETE FROM holds WHERE id IN (?)", [rows.map((row) => String(row["id"]))]);
  return rows.map((row) => ({
    id: String(row["id"]),
    userId: Number(row["user_id"]),
    tokenId: Number(row["token_id"]),
    amount: Number(row["amount"]),
  }));
}

const UPSERT_HOURS = `INSERT INTO usage_hours
  (hour, user_id, token_id, channel_id, model, group_name, requests, quota, prompt_tokens, completion_tokens,
   cost, costed_quota) VALUES ?
  ON DUPLICATE KEY UPDATE requests = requests + VALUES(requests), quota = quota + VALUES(quota),
  prompt_tokens = prompt_tokens + VALUES(prompt_tokens), completion_tokens = completion_tokens + VALUES(completion_tokens),
  cost = cost + VALUES(cost), costed_quota = costed_quota + VALUES(costed_quota)`;

async function upsertHours(connection: PoolConnection, { hours }: Sums): Promise<void> {
  if (hours.length === 0) return;
  const rows = hours.map((hour) => {
    const { userId, tokenId, channelId, model, groupName, requests, quota } = hour;
    const key = [hour.hour, userId, tokenId, channelId, model, groupName];
    return [...key, requests, quota, hour.promptTokens, hour.completionTokens, hour.cost, hour.costedQuota];
  });
  await write(connection, UPSERT_HOURS, [rows]);
}

const INSERT_CHANNEL_USAGE = "INSERT INTO channel_usage (channel_id, used) VALUES ?";

async function insertChannelUsage(connection: PoolConnection, { channels }: Sums): Promise<void> {
  if (channels.length > 0) await write(connection, INSERT_CHANNEL_USAGE, [channels.map(({ id, used }) => [id, used])]);
}

type Row = KeySums & { held: number };
type Changes = Readonly<
  Record<string, { combine: (column: string, change: string) => string; of: (row: Row) => number }>
>;

const plus = (column: string, change: string): string => `${column} + ${change}`;
const minus = (column: string, change: string): string => `${column} - ${change}`;
const later = (column: string, change: string): string => `GREATEST(${column}, ${change})`;

const CHANGES: Readonly<Record<"tokens" | "users", Changes>> = {
  tokens: {
    remain_quota: { combine: plus, of: (row) => row.quota },
    used_quota: { combine: plus, of: (row) => row.used },
    accessed_time: { combine: later, of: (row) => row.seen },
    held: { combine: minus, of: (row) => row.held },
  },
  users: {
    quota: { combine: plus, of: (row) => row.quota },
    used_quota: { combine: plus, of: (row) => row.used },
    request_count: { combine: plus, of: (row) => row.requests },
    held: { combine: minus, of: (row) => row.held },
  },
};

/** One statement for all rows of a table; the primary key's order is the order of its locks. */
async function update(connection: PoolConnection, table: "tokens" | "users", rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const cases = `CASE id ${rows.map(() => "WHEN ? THEN ?").join(" ")} END`;
  const changes = Object.entries(CHANGES[table]);
  const settings = changes.map(([column, { combine }]) => `${column} = ${combine(column, cases)}`);
  const values = changes.flatMap(([, { of }]) => rows.flatMap((row) => [row.id, of(row)]));
  await write(connection, `UPDATE ${table} SET ${settings.join(", ")} WHERE id IN (?)`, [
    ...values,
    rows.map(({ id }) => id),
  ]);
}

/** Refunds alone add to a balance here. Throws a RangeError where one could not be counted exactly any more. */
async function checkLimit(connection: PoolConnection, { users }: Sums): Promise<void> {
  const ids = users.filter(({ quota }) => quota > 0).map(({ id }) => id);
  if (ids.length === 0) return;
  const beyond = "SELECT id FROM users WHERE id IN (?) AND quota > ?";
  const [rows] = await connection.query<RowDataPacket[]>(beyond, [ids, Number.MAX_SAFE_INTEGER]);
  if (rows.length > 0) throw new RangeError("a balance cannot be above 2^53 - 1");
}

async function postAll(connection: PoolConnection, ledgerEntries: readonly LedgerEntry[]): Promise<boolean[]> {
  const isNew = await insertLedger(connection, ledgerEntries);
  const logs = ledgerEntries.flatMap(({ log }, index) =>
    log === undefined || isNew[index] !== true ? [] : [logCells(log)],
  );
  if (logs.length > 0) await write(connection, INSERT_LOGS, [logs]);
  const held = await deleteHolds(connection, ledgerEntries);
  const fresh = ledgerEntries.flatMap(({ ledger }, index): LedgerRow[] =>
    ledger === undefined || isNew[index] !== true ? [] : [ledger],
  );
  const sums = sumCharges(fresh);
  await upsertHours(connection, sums);
  await insertChannelUsage(connection, sums);
  await update(connection, "tokens", withHolds(sums.tokens, holdsByToken(held)));
  await update(connection, "users", withHolds(sums.users, holdsByUser(held)));
  await checkLimit(connection, sums);
  return isNew;
}

export class MysqlLedger implements LedgerBackend {
  readonly #pool: Pool;
  readonly #processId: string;
  readonly #holds: Batcher<PendingHold, HoldAnswer>;

  constructor(pool: Pool, processId: string) {
    this.#pool = pool;
    this.#processId = processId;
    this.#holds = new Batcher((items) => this.#holdAll(items));
  }

  readonly storesHolds = true;
  readonly isDataError = isDataError;

  async reserve(request: HoldRequest, amount: number, least: number): Promise<Granted> {
    return grantedOr(await this.#holds.add({ request, amount, least }));
  }

  /** What one account has room for is taken without a question; where it has not, or there are several, each is decided by itself. */
  async #holdAll(items: readonly PendingHold[]): Promise<readonly HoldAnswer[]> {
    const rows = items.map((item) => rowOf(item, item.amount));
    const isOne = rows.every(({ userId, tokenId }) => userId === rows[0]?.userId && tokenId === rows[0].tokenId);
    if (isOne && (await this.#takesAll(rows))) return items.map(wholly);
    return retryDeadlocks(() =>
      inTransaction(this.#pool, (connection) => holdBatch(holdSession(connection, this.#processId), items)),
    );
  }

  async #takesAll(rows: readonly HoldRow[]): Promise<boolean> {
    try {
      await retryDeadlocks(() => inTransaction(this.#pool, (connection) => takeAll(connection, this.#processId, rows)));
      return true;
    } catch (error) {
      if (error instanceof NotGranted) return false;
      throw error;
    }
  }

  async post(ledgerEntries: readonly LedgerEntry[]): Promise<PostedBatch> {
    const post = () => inTransaction(this.#pool, (connection) => postAll(connection, ledgerEntries));
    return { isNew: await retryDeadlocks(post) };
  }

  async available(userId: number): Promise<number> {
    const [rows] = await this.#pool.query<RowDataPacket[]>("SELECT quota - held AS free FROM users WHERE id = ?", [
      userId,
    ]);
    return Number(rows[0]?.["free"] ?? 0);
  }

  expect(): void {}

  forget(): void {}

  know(): void {}

  move(transaction: () => Promise<Posted>): Promise<Posted> {
    return retryDeadlocks(transaction);
  }
}
