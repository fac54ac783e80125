/** The sweeper: voids holds of dead processes, replays their journals, and stores the status of tokens that expired or ran out of quota. */
import { type Expression, type ExpressionBuilder, sql, type SqlBool, type Transaction } from "kysely";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import { Fault } from "../../../contract/src/fault.ts";
import { TOKEN_STATUS } from "../../../contract/src/features/tokens.ts";
import type { LogEvent } from "../../../contract/src/logs/events.ts";
import type { Database } from "../db/database.ts";
import { affectedRows, type Queries, retryDeadlocks, upsert } from "../db/portable.ts";
import type { HoldTable, Schema } from "../db/schema.ts";
import { bumpVersion } from "../db/versions.ts";
import type { LedgerLogger } from "./engines/backend.ts";
import { holdsByToken, holdsByUser } from "./engines/hold-batch.ts";
import type { EndedHold } from "./ledger-entry.ts";
import { BLANK_ENTRY, logRow } from "./log-row.ts";

// Merges the channel usage that settlements wrote into the channels' own counters (docs/decisions/009); the sweeper calls it.

/** Maximum rows of one transaction. */
const ROWS_AT_ONCE = 1_000;

interface Unfolded {
  id: number;
  channel_id: number;
  used: number;
}

/** Another process merged some of these rows first; this transaction is rolled back. */
const foldedElsewhere = () => new Fault("folded_elsewhere", "another process folded these rows first");

function sumsOf(rows: readonly Unfolded[]): [number, number][] {
  const sums = new Map<number, number>();
  for (const { channel_id, used } of rows) sums.set(channel_id, (sums.get(channel_id) ?? 0) + used);
  return [...sums].sort(([a], [b]) => a - b);
}

/** A row is added up in the transaction that deletes it: neither a kill nor a second process can count it twice. */
async function fold(transaction: Transaction<Schema>, rows: readonly Unfolded[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const deleted = await transaction.deleteFrom("channel_usage").where("id", "in", ids).executeTakeFirstOrThrow();
  if (affectedRows(deleted) !== rows.length) throw foldedElsewhere();
  for (const [id, used] of sumsOf(rows))
    await transaction
      .updateTable("channels")
      .set((row) => ({ used_quota: row("used_quota", "+", used) }))
      .where("id", "=", id)
      .execute();
}

/** Merges all existing rows; returns how many this process merged. Safe beside itself in other processes. */
export async function mergeChannelUsage({ kysely }: Pick<Database, "kysely">): Promise<number> {
  for (let folded = 0; ;) {
    const rows = await kysely.selectFrom("channel_usage").selectAll().orderBy("id").limit(ROWS_AT_ONCE).execute();
    if (rows.length === 0) return folded;
    try {
      await retryDeadlocks(() => kysely.transaction().execute((transaction) => fold(transaction, rows)));
    } catch (error) {
      if (error instanceof Fault) return folded;
      throw error;
    }
    folded += rows.length;
    if (rows.length < ROWS_AT_ONCE) return folded;
  }
}

export interface SweeperOptions {
  database: Database;
  log: LedgerLogger;
  processId: string;
  goneAfterSeconds: number;
  heartbeatMs: number;
  /** False on SQLite: holds end with the process, and there is no other. */
  storesHolds: boolean;
}

/** The database's own clock: clocks of machines may differ, and holds must not be voided for that. */
const CLOCK = {
  sqlite: sql<number>`CAST(strftime('%s', 'now') AS INTEGER)`,
  postgres: sql<number>`extract(epoch FROM clock_timestamp())::bigint`,
  mysql: sql<number>`UNIX_TIMESTAMP(SYSDATE())`,
} as const;

const TOKEN_STATUS_EVERY_MS = 60_000;
const HOLDS_AT_ONCE = 500;

type SelectedHold = { [Column in keyof HoldTable]: HoldTable[Column] };

const ascending = (sums: ReadonlyMap<number, number>): [number, number][] => [...sums].sort(([a], [b]) => a - b);

/** Posts the journals of dead processes to the ledger. */
type Replay = (isGone: (processId: string) => boolean) => Promise<unknown>;

export class Sweeper {
  readonly #options: SweeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastTokenSweepMs = 0;
  #replay: Replay = () => Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Sweeps once, then at every heartbeat. Throws if the first sweep fails. */
  async start(replay: Replay): Promise<void> {
    this.#replay = replay;
    await this.#look();
    this.#schedule();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .catch((error: unknown) => this.#options.log.warn({ error }, "the sweep failed and is tried again"))
        .finally(() => {
          if (this.#timer !== undefined) this.#schedule();
        });
    }, this.#options.heartbeatMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Removes this process from the list of live processes, so that no other waits for it. */
  async leave(): Promise<void> {
    const { database, processId, storesHolds } = this.#options;
    if (storesHolds) await database.kysely.deleteFrom("processes").where("id", "=", processId).execute();
  }

  async #look(): Promise<void> {
    const { storesHolds } = this.#options;
    // On SQLite there is no other process: journals of other names belong to dead ones.
    const alive = storesHolds ? await this.#heartbeat() : new Set<string>();
    await this.#replay((owner) => !alive.has(owner));
    if (storesHolds) await this.#sweepHolds();
    // One process does it; if two believe to be that one, each row still counts once.
    if (!storesHolds || this.#isFirstOf(alive)) await mergeChannelUsage(this.#options.database);
    if (performance.now() - this.#lastTokenSweepMs < TOKEN_STATUS_EVERY_MS && this.#lastTokenSweepMs > 0) return;
    this.#lastTokenSweepMs = performance.now();
    await this.#storeTokenStatus();
  }

  #isFirstOf(alive: ReadonlySet<string>): boolean {
    const [first] = [...alive].sort();
    return first === this.#options.processId;
  }

  /** @param queries those of the open transaction, if there is one: a second connection may not be free */
  async #now(queries: Queries = this.#options.database.kysely): Promise<number> {
    const { engine } = this.#options.database;
    const { rows } = await sql<{ now: number }>`SELECT ${CLOCK[engine]} AS now`.execute(queries);
    return Number(rows[0]?.now ?? 0);
  }

  /** Writes this process's heartbeat, removes processes without one, and returns the live ones. */
  async #heartbeat(): Promise<ReadonlySet<string>> {
    const { database, processId, goneAfterSeconds } = this.#options;
    const now = await this.#now();
    const row = { id: processId, started_time: now, seen_time: now };
    await upsert(database, database.kysely, "processes", row, ["id"], { seen_time: now });
    await database.kysely
      .deleteFrom("processes")
      .where("seen_time", "<=", now - goneAfterSeconds)
      .execute();
    const alive = await database.kysely.selectFrom("processes").select("id").execute();
    return new Set(alive.map(({ id }) => id));
  }

  async #sweepHolds(): Promise<void> {
    const { database, log } = this.#options;
    for (;;) {
      const holds = await database.kysely
        .selectFrom("holds")
        .selectAll()
        .where("process_id", "not in", database.kysely.selectFrom("processes").select("processes.id"))
        .orderBy("id")
        .limit(HOLDS_AT_ONCE)
        .execute();
      if (holds.length === 0) return;
      const voided = await retryDeadlocks(() => this.#voidHolds(holds));
      log.warn({ holds: voided }, "holds of a process that is gone were voided");
    }
  }

  /** Each hold is released by the transaction that deletes its row: another sweeper or a late settlement then finds nothing. */
  #voidHolds(holds: readonly SelectedHold[]): Promise<number> {
    return this.#options.database.kysely.transaction().execute(async (transaction) => {
      const voided: EndedHold[] = [];
      for (const hold of holds) {
        const result = await transaction.deleteFrom("holds").where("id", "=", hold.id).executeTakeFirstOrThrow();
        if (affectedRows(result) === 1)
          voided.push({ id: hold.id, userId: hold.user_id, tokenId: hold.token_id, amount: hold.amount });
      }
      await this.#logVoided(transaction, voided);
      for (const [id, amount] of ascending(holdsByToken(voided)))
        await transaction
          .updateTable("tokens")
          .set((row) => ({ held: row("held", "-", amount) }))
          .where("id", "=", id)
          .execute();
      for (const [id, amount] of ascending(holdsByUser(voided)))
        await transaction
          .updateTable("users")
          .set((row) => ({ held: row("held", "-", amount) }))
          .where("id", "=", id)
          .execute();
      return voided.length;
    });
  }

  async #logVoided(transaction: Transaction<Schema>, voided: readonly EndedHold[]): Promise<void> {
    if (voided.length === 0) return;
    const ids = [...new Set(voided.map(({ userId }) => userId))];
    const users = await transaction.selectFrom("users").select(["id", "username"]).where("id", "in", ids).execute();
    const names = new Map(users.map(({ id, username }) => [id, username]));
    const now = await this.#now(transaction);
    await transaction
      .insertInto("logs")
      .values(voided.map((hold) => interruptedLog(hold, names.get(hold.userId) ?? "", now)))
      .execute();
  }

  /** Expired and exhausted tokens are derived when read; the status is stored here for lists and for other programs. */
  async #storeTokenStatus(): Promise<void> {
    const now = await this.#now();
    await this.#setStatus(TOKEN_STATUS.expired, now);
    await this.#setStatus(TOKEN_STATUS.exhausted, now);
  }

  async #setStatus(status: DerivedStatus, now: number): Promise<void> {
    const { kysely } = this.#options.database;
    const isDue = isStatusDue(status, now);
    const due = kysely.selectFrom("tokens").select("id").where(isDue).limit(HOLDS_AT_ONCE);
    const ids = (await due.execute()).map(({ id }) => id);
    if (ids.length === 0) return;
    await retryDeadlocks(() =>
      kysely.transaction().execute(async (transaction) => {
        const version = await bumpVersion(transaction, "tokens");
        // The same condition again: the owner may have changed it meanwhile.
        await transaction
          .updateTable("tokens")
          .set({ status, changed_version: version })
          .where("id", "in", ids)
          .where(isDue)
          .execute();
      }),
    );
  }
}

type DerivedStatus = typeof TOKEN_STATUS.expired | typeof TOKEN_STATUS.exhausted;

/** True for enabled tokens whose stored status should be `status` at `now`, in Unix seconds. */
const isStatusDue =
  (status: DerivedStatus, now: number) =>
  (token: ExpressionBuilder<Schema, "tokens">): Expression<SqlBool> =>
    token.and([
      token("status", "=", TOKEN_STATUS.enabled),
      token("deleted_at", "is", null),
      ...(status === TOKEN_STATUS.expired
        ? [token("expired_time", "!=", -1), token("expired_time", "<=", now)]
        : [token("unlimited_quota", "=", 0), token("remain_quota", "<=", 0)]),
    ]);

const INTERRUPTED: LogEvent = { code: "call_interrupted", values: {} };

const interruptedLog = (hold: EndedHold, username: string, now: number) =>
  logRow({
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: hold.id,
    createdAt: now,
    userId: hold.userId,
    username,
    tokenId: hold.tokenId,
    other: JSON.stringify({ event: INTERRUPTED }),
  });
