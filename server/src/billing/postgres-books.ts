/** The books on PostgreSQL: a hold is one statement that either takes everything or nothing; settlements are one transaction a batch. */
import type { Pool, PoolClient } from "pg";
import { HoldRefused, type HoldRequest, type Movement } from "./billing.ts";
import { isDataError } from "./booking-errors.ts";
import { type Booking, type HeldQuota, type KeySums, type LedgerRow, type Sums, sumCharges } from "./booking.ts";
import type { Books } from "./books.ts";
import { Batcher, retryDeadlocks } from "./concurrency.ts";
import { type HoldAnswer, type HoldSession, type Reservation, reserveBatch } from "./hold-batch.ts";
import { heldByToken, heldByUser, newRows, withHeld } from "./held.ts";
import { type Cell, LEDGER_COLUMNS, LOG_COLUMNS, ledgerCells, logCells } from "./cells.ts";

/**
 * Quota is added to `held` only where it is free; what was short is a NULL in a column that takes none, which undoes the whole
 * statement and names the column. Its commit need not reach the disk: after a crash of the server nobody has the answer either.
 */
const values = (token: string, user: string): string => `
  INSERT INTO holds (id, process_id, user_id, token_id, amount, created_time)
  VALUES ($1, CASE WHEN set_config('synchronous_commit', 'off', true) = 'off' THEN $2 END,
    ${user}, ${token}, $5::bigint, extract(epoch FROM clock_timestamp())::bigint)
  ON CONFLICT (id) DO UPDATE SET amount = holds.amount + excluded.amount`;

const HOLD_WITH_TOKEN = `
  WITH t AS (
    UPDATE tokens SET held = held + $5::bigint
    WHERE id = $4::bigint AND (unlimited_quota = 1 OR remain_quota - held >= $5::bigint) RETURNING id
  ), u AS (
    UPDATE users SET held = held + $5::bigint
    WHERE id = $3::bigint AND quota - held >= $5::bigint AND EXISTS (SELECT 1 FROM t) RETURNING id
  )
  ${values("(SELECT id FROM t)", "CASE WHEN EXISTS (SELECT 1 FROM t) THEN (SELECT id FROM u) ELSE 0 END")}`;

const HOLD_WITHOUT_TOKEN = `
  WITH u AS (
    UPDATE users SET held = held + $5::bigint WHERE id = $3::bigint AND quota - held >= $5::bigint RETURNING id
  )
  ${values("$4::bigint", "(SELECT id FROM u)")}`;

/** For batches, which are short transactions of their own kind of commit; see `values` above for the single statement. */
const START_HOLDS = "BEGIN; SET LOCAL synchronous_commit = off";
const TAKE_FROM_TOKEN = `UPDATE tokens SET held = held + $2::bigint
  WHERE id = $1::bigint AND (unlimited_quota = 1 OR remain_quota - held >= $2::bigint)`;
const TAKE_FROM_USER = "UPDATE users SET held = held + $2::bigint WHERE id = $1::bigint AND quota - held >= $2::bigint";
const GIVE_BACK = "UPDATE tokens SET held = held - $2::bigint WHERE id = $1::bigint";
const INSERT_HOLDS = `INSERT INTO holds (id, process_id, user_id, token_id, amount, created_time)
  SELECT h_id, $1, h_user, h_token, h_amount, extract(epoch FROM clock_timestamp())::bigint
  FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS h (h_id, h_user, h_token, h_amount)
  ON CONFLICT (id) DO UPDATE SET amount = holds.amount + excluded.amount`;

function holdSession(client: PoolClient, processId: string): HoldSession {
  const take = async (name: string, text: string, id: number, amount: number): Promise<boolean> =>
    (await client.query({ name, text, values: [id, amount] })).rowCount === 1;
  return {
    takeFromToken: (id, amount) => take("take_token", TAKE_FROM_TOKEN, id, amount),
    takeFromUser: (id, amount) => take("take_user", TAKE_FROM_USER, id, amount),
    giveBackToToken: (id, amount) => take("give_back_token", GIVE_BACK, id, amount),
    insert: (rows) => {
      const columns = [rows.map(({ id }) => id), rows.map(({ userId }) => userId), rows.map(({ tokenId }) => tokenId)];
      const values = [processId, ...columns, rows.map(({ amount }) => amount)];
      return client.query({ name: "insert_holds", text: INSERT_HOLDS, values });
    },
  };
}

const TEXT_COLUMNS: ReadonlySet<string> = new Set([
  "entry_id",
  "kind",
  "model",
  "group_name",
  "detail",
  "request_id",
  "username",
  "token_name",
  "model_name",
  "ip",
  "content",
  "other",
]);

const arrays = (columns: readonly string[]): string =>
  columns.map((column, index) => `$${index + 1}::${TEXT_COLUMNS.has(column) ? "text" : "bigint"}[]`).join(", ");

const INSERT_LEDGER = `INSERT INTO ledger (${LEDGER_COLUMNS.join(", ")}) SELECT * FROM unnest(${arrays(LEDGER_COLUMNS)})
  ON CONFLICT (entry_id) DO NOTHING RETURNING entry_id`;
const INSERT_LOGS = `INSERT INTO logs (${LOG_COLUMNS.join(", ")}) SELECT * FROM unnest(${arrays(LOG_COLUMNS)})`;
const DELETE_HOLDS = "DELETE FROM holds WHERE id = ANY($1::text[]) RETURNING id, user_id, token_id, amount";

const HOUR_COLUMNS = [
  "hour",
  "user_id",
  "token_id",
  "channel_id",
  "model",
  "group_name",
  "requests",
  "quota",
  "prompt_tokens",
  "completion_tokens",
] as const;
const UPSERT_HOURS = `INSERT INTO usage_hours (${HOUR_COLUMNS.join(", ")}) SELECT * FROM unnest(${arrays(HOUR_COLUMNS)})
  ON CONFLICT (hour, user_id, token_id, channel_id, model, group_name) DO UPDATE SET
  requests = usage_hours.requests + excluded.requests, quota = usage_hours.quota + excluded.quota,
  prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
  completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens`;

/** Names of the parameters' columns never meet those of the tables: an ambiguous name is an error of its own. */
const UPDATE_CHANNELS = `UPDATE channels SET used_quota = used_quota + d_used
  FROM unnest($1::bigint[], $2::bigint[]) AS d (d_id, d_used) WHERE id = d_id`;
const UPDATE_TOKENS = `UPDATE tokens SET remain_quota = remain_quota + d_quota, used_quota = used_quota + d_used,
  accessed_time = greatest(accessed_time, d_seen), held = held - d_held
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
  AS d (d_id, d_quota, d_used, d_seen, d_held) WHERE id = d_id`;
const UPDATE_USERS = `UPDATE users SET quota = quota + d_quota, used_quota = used_quota + d_used,
  request_count = request_count + d_requests, held = held - d_held
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
  AS d (d_id, d_quota, d_used, d_requests, d_held) WHERE id = d_id`;

/** UPDATE ... FROM takes its rows in any order; two batches that share two rows must lock them in the same one. */
const lockRows = (table: string): string =>
  `SELECT 1 FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`;

const transpose = (rows: readonly (readonly Cell[])[], width: number): Cell[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? 0));

const SHORT_COLUMNS: ReadonlyMap<unknown, HoldAnswer> = new Map([
  ["token_id", "token_quota"],
  ["user_id", "user_quota"],
]);
const NOT_NULL_VIOLATION = "23502";

/** What a failed hold statement was short of; undefined for any other error. */
function refusalOf(error: unknown): HoldAnswer | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== NOT_NULL_VIOLATION) return undefined;
  return "column" in error ? SHORT_COLUMNS.get(error.column) : undefined;
}

export class PostgresBooks implements Books {
  readonly #pool: Pool;
  readonly #processId: string;
  readonly #holds: Batcher<Reservation, HoldAnswer>;

  constructor(pool: Pool, processId: string) {
    this.#pool = pool;
    this.#processId = processId;
    this.#holds = new Batcher((items) => retryDeadlocks(() => this.#reserveAll(items)));
  }

  readonly storesHolds = true;
  readonly isDataError = isDataError;

  async reserve(request: HoldRequest, amount: number): Promise<void> {
    const answer = await this.#holds.add({ request, amount });
    if (answer !== "held") throw new HoldRefused(answer);
  }

  /** A lone hold is one statement; what queued meanwhile shares its updates: a third of the CPU under load. */
  async #reserveAll(items: readonly Reservation[]): Promise<readonly HoldAnswer[]> {
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) return [await this.#reserveOne(only)];
    return this.#inTransaction(START_HOLDS, (client) => reserveBatch(holdSession(client, this.#processId), items));
  }

  async #reserveOne({ request, amount }: Reservation): Promise<HoldAnswer> {
    const { requestId, userId, tokenId, isTokenLimited } = request;
    const name = isTokenLimited ? "hold_with_token" : "hold_without_token";
    const text = isTokenLimited ? HOLD_WITH_TOKEN : HOLD_WITHOUT_TOKEN;
    const values = [requestId, this.#processId, userId, isTokenLimited ? tokenId : 0, amount];
    try {
      await this.#pool.query({ name, text, values });
      return "held";
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }

  book(bookings: readonly Booking[]): Promise<readonly boolean[]> {
    return retryDeadlocks(() => this.#inTransaction("BEGIN", (client) => bookAll(client, bookings)));
  }

  async #inTransaction<Result>(begin: string, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query("COMMIT");
      client.release();
      return result;
    } catch (error) {
      await client.query("ROLLBACK").then(
        () => client.release(),
        (broken: Error) => client.release(broken),
      );
      throw error;
    }
  }

  async available(userId: number): Promise<number> {
    const { rows } = await this.#pool.query<{ free: number }>("SELECT quota - held AS free FROM users WHERE id = $1", [
      userId,
    ]);
    return rows[0]?.free ?? 0;
  }

  expect(): void {}

  forget(): void {}

  move(_movement: Movement, transaction: () => Promise<boolean>): Promise<boolean> {
    return retryDeadlocks(transaction);
  }
}

async function insertLedger(client: PoolClient, bookings: readonly Booking[]): Promise<boolean[]> {
  const rows = bookings.flatMap(({ ledger }) => (ledger === undefined ? [] : [ledgerCells(ledger)]));
  if (rows.length === 0) return bookings.map(() => true);
  const values = transpose(rows, LEDGER_COLUMNS.length);
  const inserted = await client.query<{ entry_id: string }>({ name: "insert_ledger", text: INSERT_LEDGER, values });
  return newRows(bookings, new Set(inserted.rows.map((row) => row.entry_id)));
}

async function deleteHolds(client: PoolClient, bookings: readonly Booking[]): Promise<HeldQuota[]> {
  const ids = bookings.flatMap(({ hold }) => (hold === undefined ? [] : [hold.id]));
  if (ids.length === 0) return [];
  type Row = { id: string; user_id: number; token_id: number; amount: number };
  const { rows } = await client.query<Row>({ name: "delete_holds", text: DELETE_HOLDS, values: [ids] });
  return rows.map((row) => ({ id: row.id, userId: row.user_id, tokenId: row.token_id, amount: row.amount }));
}

async function insertLogs(client: PoolClient, bookings: readonly Booking[], isNew: readonly boolean[]): Promise<void> {
  const rows = bookings.flatMap(({ log }, index) =>
    log === undefined || isNew[index] !== true ? [] : [logCells(log)],
  );
  if (rows.length === 0) return;
  await client.query({ name: "insert_logs", text: INSERT_LOGS, values: transpose(rows, LOG_COLUMNS.length) });
}

async function upsertHours(client: PoolClient, { hours }: Sums): Promise<void> {
  if (hours.length === 0) return;
  const rows = hours.map((hour): Cell[] => {
    const { userId, tokenId, channelId, model, groupName, requests, quota, promptTokens, completionTokens } = hour;
    return [hour.hour, userId, tokenId, channelId, model, groupName, requests, quota, promptTokens, completionTokens];
  });
  await client.query({ name: "upsert_hours", text: UPSERT_HOURS, values: transpose(rows, HOUR_COLUMNS.length) });
}

type Columns = readonly ((sums: KeySums & { held: number }) => number)[];
type Table = "channels" | "tokens" | "users";

const UPDATES: Readonly<Record<Table, { text: string; columns: Columns }>> = {
  channels: { text: UPDATE_CHANNELS, columns: [(sums) => sums.id, (sums) => sums.used] },
  tokens: {
    text: UPDATE_TOKENS,
    columns: [(sums) => sums.id, (sums) => sums.quota, (sums) => sums.used, (sums) => sums.seen, (sums) => sums.held],
  },
  users: {
    text: UPDATE_USERS,
    columns: [
      (sums) => sums.id,
      (sums) => sums.quota,
      (sums) => sums.used,
      (sums) => sums.requests,
      (sums) => sums.held,
    ],
  },
};

async function update(client: PoolClient, table: Table, sums: readonly (KeySums & { held: number })[]): Promise<void> {
  if (sums.length === 0) return;
  const { text, columns } = UPDATES[table];
  const values = columns.map((column) => sums.map(column));
  if (sums.length > 1) await client.query({ name: `lock_${table}`, text: lockRows(table), values: [values[0]] });
  await client.query({ name: `update_${table}`, text, values });
}

async function bookAll(client: PoolClient, bookings: readonly Booking[]): Promise<boolean[]> {
  const isNew = await insertLedger(client, bookings);
  await insertLogs(client, bookings, isNew);
  const held = await deleteHolds(client, bookings);
  const fresh = bookings.flatMap(({ ledger }, index): LedgerRow[] =>
    ledger === undefined || isNew[index] !== true ? [] : [ledger],
  );
  const sums = sumCharges(fresh);
  await upsertHours(client, sums);
  await update(client, "channels", withHeld(sums.channels, new Map()));
  await update(client, "tokens", withHeld(sums.tokens, heldByToken(held)));
  await update(client, "users", withHeld(sums.users, heldByUser(held)));
  return isNew;
}
