/** The ledger on PostgreSQL: a batch of holds is one statement, and so is a batch of settlements. */
import type { Pool, PoolClient } from "pg";
import type { HoldRequest } from "../billing.ts";
import type { Posted } from "../adjustments.ts";
import { isDataError } from "./entry-errors.ts";
import type { LedgerEntry } from "../ledger-entry.ts";
import type { LedgerBackend } from "./backend.ts";
import { Batcher, retryDeadlocks } from "./concurrency.ts";
import type { Granted } from "./grant.ts";
import {
  type HoldAnswer,
  type HoldSession,
  type PendingHold,
  type Purses,
  type SumsById,
  grantedOr,
  holdBatch,
  limitedToken,
  wholly,
} from "./hold-batch.ts";
import { type PurseRow, newRows, pursesOf } from "./hold-sums.ts";
import { type Cell, LEDGER_COLUMNS, LOG_COLUMNS, ledgerCells, logCells } from "./cells.ts";
import { HOLD, SETTLE } from "./postgres-statements.ts";

/** For holds that the one statement did not grant: short of quota alone, or together with others. Commits as HOLD does. */
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

  /** One statement grants what is free without a question; the rest is decided one after the other, by a transaction. */
  async #holdAll(items: readonly PendingHold[]): Promise<readonly HoldAnswer[]> {
    // Tried again each for itself: what was granted is not to be granted twice.
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

  async post(ledgerEntries: readonly LedgerEntry[]): Promise<readonly boolean[]> {
    const values = settleValues(ledgerEntries);
    const settle = { name: "settle", text: SETTLE, values };
    const { rows } = await retryDeadlocks(() => this.#pool.query<{ entry_id: string }>(settle));
    return newRows(ledgerEntries, new Set(rows.map((row) => row.entry_id)));
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
