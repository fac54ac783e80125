/** The ledger on PostgreSQL: a batch of holds is one statement, and so is a batch of settlements. */
import type { Pool, PoolClient } from "pg";
import { LedgerFault, type HoldRequest, type Adjustment } from "../billing.ts";
import { isDataError } from "./entry-errors.ts";
import type { LedgerEntry } from "../ledger-entry.ts";
import type { LedgerBackend } from "./backend.ts";
import { Batcher, retryDeadlocks } from "./concurrency.ts";
import { type HoldAnswer, type HoldSession, type PendingHold, holdBatch, limitedToken } from "./hold-batch.ts";
import { newRows } from "./hold-sums.ts";
import { type Cell, LEDGER_COLUMNS, LOG_COLUMNS, ledgerCells, logCells } from "./cells.ts";
import { HOLD, SETTLE } from "./postgres-statements.ts";

/** For holds that the one statement did not grant: short of quota alone, or together with others. Commits as HOLD does. */
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
    releaseToToken: (id, amount) => take("give_back_token", GIVE_BACK, id, amount),
    insert: (rows) => {
      const columns = [rows.map(({ id }) => id), rows.map(({ userId }) => userId), rows.map(({ tokenId }) => tokenId)];
      const values = [processId, ...columns, rows.map(({ amount }) => amount)];
      return client.query({ name: "insert_holds", text: INSERT_HOLDS, values });
    },
  };
}

const transpose = (rows: readonly (readonly Cell[])[], width: number): Cell[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));

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

  async reserve(request: HoldRequest, amount: number): Promise<void> {
    const answer = await this.#holds.add({ request, amount });
    if (answer !== "held") throw new LedgerFault(answer);
  }

  /** One statement grants what is free without a question; the rest is asked again, one after the other, by a transaction. */
  async #holdAll(items: readonly PendingHold[]): Promise<readonly HoldAnswer[]> {
    // Tried again each for itself: what was granted is not to be granted twice.
    const granted = await retryDeadlocks(() => this.#grant(items));
    const rest = items.filter(({ request }) => !granted.has(request.requestId));
    if (rest.length === 0) return items.map(() => "held");
    const answers = await retryDeadlocks(() =>
      this.#inTransaction(START_HOLDS, (client) => holdBatch(holdSession(client, this.#processId), rest)),
    );
    const answered = new Map(rest.map((item, index) => [item, answers[index]]));
    return items.map((item) => answered.get(item) ?? "held");
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

  move(_movement: Adjustment, transaction: () => Promise<boolean>): Promise<boolean> {
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
