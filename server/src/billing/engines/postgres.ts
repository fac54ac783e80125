/** The ledger backend for PostgreSQL: a batch of holds is one statement, and so is a batch of settlements. */
import type { Pool, PoolClient } from "pg";
import { retryDeadlocks } from "../../db/portable.ts";
import type { Posted } from "../adjustments.ts";
import type { HoldRequest } from "../billing.ts";
import type { LedgerEntry } from "../ledger-entry.ts";
import { isDataError, type LedgerBackend, type PostedBatch } from "./backend.ts";
import { type Cell, LEDGER_COLUMNS, ledgerCells, LOG_COLUMNS, logCells } from "./cells.ts";
import { Batcher } from "./batcher.ts";
import {
  type Granted,
  grantedOr,
  type HoldAnswer,
  holdBatch,
  type HoldSession,
  limitedToken,
  newRows,
  type PendingHold,
  type PurseRow,
  type Purses,
  pursesOf,
  type SumsById,
  wholly,
} from "./hold-batch.ts";

// The two statements of the ledger on PostgreSQL: a batch of holds and a batch of settlements, each one way to the server and back.

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

/** One array parameter for each column, counted from `first`. */
const arrays = (columns: readonly string[], first: number): string =>
  columns.map((column, index) => `$${first + index}::${TEXT_COLUMNS.has(column) ? "text" : "bigint"}[]`).join(", ");

/**
 * $1 process, then arrays: ids, users, tokens (0 where the token's quota is not touched), amounts. Grants the holds of every row whose
 * free quota covers its requests, and returns the ids of these; the other holds are not changed.
 *
 * Rows are locked before they are compared, tokens before users and each in ascending order, as settlements do. The commit need not
 * reach the disk: after a crash of the server no caller has received the result either.
 */
const HOLD = `
  WITH asked AS (
    SELECT id, min(user_id) AS user_id, min(token_id) AS token_id, sum(amount)::bigint AS amount
    FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS a (id, user_id, token_id, amount) GROUP BY id
  ), locked_tokens AS MATERIALIZED (
    SELECT id, unlimited_quota = 1 AS is_unlimited, remain_quota - held AS free
    FROM tokens WHERE id = ANY($4::bigint[]) ORDER BY id FOR NO KEY UPDATE
  ), locked_users AS MATERIALIZED (
    SELECT id, quota - held AS free FROM users
    WHERE id = ANY($3::bigint[]) AND (SELECT count(*) FROM locked_tokens) >= 0 ORDER BY id FOR NO KEY UPDATE
  ), token_allows AS (
    SELECT a.* FROM asked a WHERE a.token_id = 0 OR a.token_id IN (
      SELECT l.id FROM locked_tokens l JOIN asked b ON b.token_id = l.id
      GROUP BY l.id, l.is_unlimited, l.free HAVING l.is_unlimited OR l.free >= sum(b.amount))
  ), granted AS MATERIALIZED (
    SELECT a.* FROM token_allows a WHERE a.user_id IN (
      SELECT l.id FROM locked_users l JOIN token_allows b ON b.user_id = l.id
      GROUP BY l.id, l.free HAVING l.free >= sum(b.amount))
  ), taken_from_tokens AS (
    UPDATE tokens SET held = held + g.amount
    FROM (SELECT token_id, sum(amount)::bigint AS amount FROM granted WHERE token_id <> 0 GROUP BY token_id) g
    WHERE tokens.id = g.token_id
  ), taken_from_users AS (
    UPDATE users SET held = held + g.amount
    FROM (SELECT user_id, sum(amount)::bigint AS amount FROM granted GROUP BY user_id) g
    WHERE users.id = g.user_id
  )
  INSERT INTO holds (id, process_id, user_id, token_id, amount, created_time)
  SELECT id, CASE WHEN set_config('synchronous_commit', 'off', true) = 'off' THEN $1 END,
    user_id, token_id, amount, extract(epoch FROM clock_timestamp())::bigint FROM granted
  ON CONFLICT (id) DO UPDATE SET amount = holds.amount + excluded.amount RETURNING id`;

/** What the sums of a settlement are made of. */
const CHARGED = LEDGER_COLUMNS.filter((name) => name !== "kind" && name !== "aff_quota_delta" && name !== "detail");
const HOUR_KEY = "hour, user_id, token_id, channel_id, model, group_name";
const FIRST_LOG = LEDGER_COLUMNS.length + 3;

/**
 * Arrays: the ledger's columns, ids of the holds that end, for each log row the ledger entry it belongs to ('' for none), the log's
 * columns. Sums are computed from the ledger rows that were new and the holds that existed; returns the ids of the new entries.
 *
 * A refund that would exceed a balance's maximum divides by zero: that is an error of the data (22012), and nothing of the batch is posted.
 *
 * PostgreSQL may run the parts in any order; a part that depends on locked rows waits for them. Rows that other batches may lock are
 * locked in one order: tokens, users, hours.
 */
const SETTLE = `
  WITH charged AS (
    INSERT INTO ledger (${LEDGER_COLUMNS.join(", ")}) SELECT * FROM unnest(${arrays(LEDGER_COLUMNS, 1)})
    ON CONFLICT (entry_id) DO NOTHING RETURNING ${CHARGED.join(", ")}
  ), ended AS (
    DELETE FROM holds WHERE id = ANY($${FIRST_LOG - 2}::text[]) RETURNING user_id, token_id, amount
  ), logged AS (
    INSERT INTO logs (${LOG_COLUMNS.join(", ")}) SELECT ${LOG_COLUMNS.join(", ")}
    FROM unnest($${FIRST_LOG - 1}::text[], ${arrays(LOG_COLUMNS, FIRST_LOG)}) AS rows (of_entry, ${LOG_COLUMNS.join(", ")})
    WHERE of_entry = '' OR of_entry IN (SELECT entry_id FROM charged)
  ), of_channels AS (
    INSERT INTO channel_usage (channel_id, used)
    SELECT channel_id, sum(used_delta)::bigint FROM charged WHERE channel_id <> 0 GROUP BY channel_id
  ), of_tokens AS MATERIALIZED (
    SELECT token_id, sum(quota)::bigint AS quota, sum(used)::bigint AS used, max(seen) AS seen, sum(freed)::bigint AS freed FROM (
      SELECT token_id, token_quota_delta AS quota, used_delta AS used, CASE WHEN request_delta > 0 THEN created_at ELSE 0 END AS seen, 0::bigint AS freed FROM charged
      UNION ALL SELECT token_id, 0, 0, 0, amount FROM ended
    ) changes WHERE token_id <> 0 GROUP BY token_id
  ), of_users AS MATERIALIZED (
    SELECT user_id, sum(quota)::bigint AS quota, sum(used)::bigint AS used, sum(requests)::bigint AS requests,
      sum(freed)::bigint AS freed FROM (
      SELECT user_id, quota_delta AS quota, used_delta AS used, request_delta AS requests, 0::bigint AS freed FROM charged
      UNION ALL SELECT user_id, 0, 0, 0, amount FROM ended
    ) changes GROUP BY user_id
  ), locked_tokens AS MATERIALIZED (
    SELECT id FROM tokens WHERE id IN (SELECT token_id FROM of_tokens) ORDER BY id FOR NO KEY UPDATE
  ), locked_users AS MATERIALIZED (
    SELECT id FROM users
    WHERE id IN (SELECT user_id FROM of_users) AND (SELECT count(*) FROM locked_tokens) >= 0 ORDER BY id FOR NO KEY UPDATE
  ), counted AS (
    INSERT INTO usage_hours (${HOUR_KEY}, requests, quota, prompt_tokens, completion_tokens, cost, costed_quota)
    SELECT created_at - created_at % 3600 AS hour, user_id, token_id, channel_id, model, group_name, sum(request_delta)::bigint,
      sum(used_delta)::bigint, sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint,
      coalesce(sum(cost), 0)::bigint, coalesce(sum(used_delta) FILTER (WHERE cost IS NOT NULL), 0)::bigint
    FROM charged WHERE (SELECT count(*) FROM locked_users) >= 0 GROUP BY ${HOUR_KEY} ORDER BY ${HOUR_KEY}
    ON CONFLICT (${HOUR_KEY}) DO UPDATE SET
      requests = usage_hours.requests + excluded.requests, quota = usage_hours.quota + excluded.quota,
      prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens,
      cost = usage_hours.cost + excluded.cost, costed_quota = usage_hours.costed_quota + excluded.costed_quota
  ), to_tokens AS (
    UPDATE tokens SET remain_quota = remain_quota + c.quota, used_quota = used_quota + c.used,
      accessed_time = greatest(accessed_time, c.seen), held = held - c.freed
    FROM of_tokens c WHERE tokens.id = c.token_id AND (SELECT count(*) FROM locked_users) >= 0
  ), to_users AS (
    UPDATE users SET quota = users.quota + c.quota / CASE
      WHEN c.quota > 0 AND users.quota + c.quota > ${Number.MAX_SAFE_INTEGER} THEN 0 ELSE 1 END, used_quota = used_quota + c.used,
      request_count = request_count + c.requests, held = held - c.freed
    FROM of_users c WHERE users.id = c.user_id AND (SELECT count(*) FROM locked_users) >= 0
  )
  SELECT entry_id FROM charged`;

/** For holds that the one statement did not grant: too little quota, alone or together with others. Commits as HOLD does. */
const START_HOLDS = "BEGIN; SET LOCAL synchronous_commit = off";
const LOCK_TOKENS = `SELECT id, unlimited_quota, remain_quota - held AS free, held FROM tokens
  WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
const LOCK_USERS = `SELECT id, 0 AS unlimited_quota, quota - held AS free, held FROM users
  WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
const addTo = (table: string): string =>
  `UPDATE ${table} SET held = held + h_amount FROM unnest($1::bigint[], $2::bigint[]) AS h (h_id, h_amount) WHERE id = h_id`;
const INSERT_HOLDS = `INSERT INTO holds (id, process_id, user_id, token_id, amount, created_time)
  SELECT h_id, $1, h_user, h_token, h_amount, extract(epoch FROM clock_timestamp())::bigint
  FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS h (h_id, h_user, h_token, h_amount)
  ON CONFLICT (id) DO UPDATE SET amount = holds.amount + excluded.amount`;

const transpose = (rows: readonly (readonly Cell[])[], width: number): Cell[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));

function holdSession(client: PoolClient, processId: string): HoldSession {
  const lock = async (name: string, text: string, ids: readonly number[]): Promise<Purses> =>
    pursesOf((await client.query<PurseRow>({ name, text, values: [ids] })).rows);
  const add = (table: string, sums: SumsById): Promise<unknown> =>
    client.query({ name: `add_to_${table}`, text: addTo(table), values: transpose(sums, 2) });
  return {
    lockTokens: (ids) => lock("lock_tokens", LOCK_TOKENS, ids),
    lockUsers: (ids) => lock("lock_users", LOCK_USERS, ids),
    addToTokens: (sums) => add("tokens", sums),
    addToUsers: (sums) => add("users", sums),
    insert: (rows) => {
      const columns = [rows.map(({ id }) => id), rows.map(({ userId }) => userId), rows.map(({ tokenId }) => tokenId)];
      const values = [processId, ...columns, rows.map(({ amount }) => amount)];
      return client.query({ name: "insert_holds", text: INSERT_HOLDS, values });
    },
  };
}

export class PostgresLedger implements LedgerBackend {
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

  /** One statement grants holds with enough quota; the others are decided one by one in a transaction. */
  async #holdAll(items: readonly PendingHold[]): Promise<readonly HoldAnswer[]> {
    // Retried separately: a granted hold must not be granted twice.
    const granted = await retryDeadlocks(() => this.#grant(items));
    const rest = items.filter(({ request }) => !granted.has(request.requestId));
    if (rest.length === 0) return items.map(wholly);
    const answers = await retryDeadlocks(() =>
      this.#inTransaction(START_HOLDS, (client) => holdBatch(holdSession(client, this.#processId), rest)),
    );
    const answered = new Map(rest.map((item, index) => [item, answers[index]]));
    return items.map((item) => answered.get(item) ?? wholly(item));
  }

  async #grant(items: readonly PendingHold[]): Promise<ReadonlySet<string>> {
    const values = [
      this.#processId,
      items.map(({ request }) => request.requestId),
      items.map(({ request }) => request.userId),
      items.map(({ request }) => limitedToken(request)),
      items.map(({ amount }) => amount),
    ];
    const { rows } = await this.#pool.query<{ id: string }>({ name: "hold", text: HOLD, values });
    return new Set(rows.map(({ id }) => id));
  }

  async post(ledgerEntries: readonly LedgerEntry[]): Promise<PostedBatch> {
    const values = settleValues(ledgerEntries);
    const settle = { name: "settle", text: SETTLE, values };
    const { rows } = await retryDeadlocks(() => this.#pool.query<{ entry_id: string }>(settle));
    return { isNew: newRows(ledgerEntries, new Set(rows.map((row) => row.entry_id))) };
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

  know(): void {}

  move(transaction: () => Promise<Posted>): Promise<Posted> {
    return retryDeadlocks(transaction);
  }
}

/** Of ledger entries with the same id the first is sent, and its log row. */
function firstOfEach(ledgerEntries: readonly LedgerEntry[]): LedgerEntry[] {
  const seen = new Set<string>();
  return ledgerEntries.filter(({ ledger }) => {
    if (ledger === undefined) return true;
    const isFirst = !seen.has(ledger.entryId);
    seen.add(ledger.entryId);
    return isFirst;
  });
}

/** The parameters of SETTLE. */
function settleValues(ledgerEntries: readonly LedgerEntry[]): unknown[] {
  const entries = firstOfEach(ledgerEntries);
  const charges = entries.flatMap(({ ledger }) => (ledger === undefined ? [] : [ledgerCells(ledger)]));
  const logs = entries.filter(({ log }) => log !== undefined);
  return [
    ...transpose(charges, LEDGER_COLUMNS.length),
    ledgerEntries.flatMap(({ hold }) => (hold === undefined ? [] : [hold.id])),
    logs.map(({ ledger }) => ledger?.entryId ?? ""),
    ...transpose(
      logs.flatMap(({ log }) => (log === undefined ? [] : [logCells(log)])),
      LOG_COLUMNS.length,
    ),
  ];
}
