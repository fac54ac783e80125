/** Looks after what nobody else would: holds of processes that are gone, their journals, and tokens that expired or ran out. */
import { type Transaction, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { affectedRows, upsert } from "../db/portable.ts";
import type { HoldTable, Schema } from "../db/schema.ts";
import { bumpVersion } from "../db/versions.ts";
import type { BooksLog } from "./books.ts";
import type { HeldQuota } from "./booking.ts";
import { retryDeadlocks } from "./concurrency.ts";
import { heldByToken, heldByUser } from "./held.ts";

export interface SweeperOptions {
  database: Database;
  log: BooksLog;
  processId: string;
  goneAfterSeconds: number;
  heartbeatMs: number;
  /** False on SQLite: holds die with the process, and there is no other. */
  storesHolds: boolean;
}

/** The database's own clock: machines may disagree about the time, holds must not be voided for it. */
const CLOCK = {
  sqlite: sql<number>`CAST(strftime('%s', 'now') AS INTEGER)`,
  postgres: sql<number>`extract(epoch FROM clock_timestamp())::bigint`,
  mysql: sql<number>`UNIX_TIMESTAMP(SYSDATE())`,
} as const;

const TOKEN_STATUS_EVERY_MS = 60_000;
const TOKEN_ENABLED = 1;
const TOKEN_EXPIRED = 3;
const TOKEN_EXHAUSTED = 4;
const HOLDS_AT_ONCE = 500;

type SelectedHold = { [Column in keyof HoldTable]: HoldTable[Column] };

const ascending = (sums: ReadonlyMap<number, number>): [number, number][] => [...sums].sort(([a], [b]) => a - b);

/** Books the journals of processes that are gone. */
type Replay = (isGone: (processId: string) => boolean) => Promise<unknown>;

export class Sweeper {
  readonly #options: SweeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastTokenSweepMs = 0;
  #replay: Replay = () => Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Looks once, then every heartbeat. Throws where the first look fails. */
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

  /** Takes this process off the list, so that nobody waits for it. */
  async leave(): Promise<void> {
    const { database, processId, storesHolds } = this.#options;
    if (storesHolds) await database.kysely.deleteFrom("processes").where("id", "=", processId).execute();
  }

  async #look(): Promise<void> {
    const { storesHolds } = this.#options;
    // On SQLite there is no other process: whatever another name left is of one that is gone.
    const alive = storesHolds ? await this.#heartbeat() : new Set<string>();
    await this.#replay((owner) => !alive.has(owner));
    if (storesHolds) await this.#sweepHolds();
    if (performance.now() - this.#lastTokenSweepMs < TOKEN_STATUS_EVERY_MS && this.#lastTokenSweepMs > 0) return;
    this.#lastTokenSweepMs = performance.now();
    await this.#storeTokenStatus();
  }

  async #now(): Promise<number> {
    const { database } = this.#options;
    const { rows } = await sql<{ now: number }>`SELECT ${CLOCK[database.engine]} AS now`.execute(database.kysely);
    return Number(rows[0]?.now ?? 0);
  }

  /** Says that this process lives, strikes off who does not, and gives who does. */
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

  /** Each hold is given back by whoever deletes its row: another sweeper or a late settlement then finds nothing. */
  #voidHolds(holds: readonly SelectedHold[]): Promise<number> {
    return this.#options.database.kysely.transaction().execute(async (transaction) => {
      const voided: HeldQuota[] = [];
      for (const hold of holds) {
        const result = await transaction.deleteFrom("holds").where("id", "=", hold.id).executeTakeFirstOrThrow();
        if (affectedRows(result) === 1)
          voided.push({ id: hold.id, userId: hold.user_id, tokenId: hold.token_id, amount: hold.amount });
      }
      await this.#logVoided(transaction, voided);
      for (const [id, amount] of ascending(heldByToken(voided)))
        await transaction
          .updateTable("tokens")
          .set((row) => ({ held: row("held", "-", amount) }))
          .where("id", "=", id)
          .execute();
      for (const [id, amount] of ascending(heldByUser(voided)))
        await transaction
          .updateTable("users")
          .set((row) => ({ held: row("held", "-", amount) }))
          .where("id", "=", id)
          .execute();
      return voided.length;
    });
  }

  async #logVoided(transaction: Transaction<Schema>, voided: readonly HeldQuota[]): Promise<void> {
    if (voided.length === 0) return;
    const ids = [...new Set(voided.map(({ userId }) => userId))];
    const users = await transaction.selectFrom("users").select(["id", "username"]).where("id", "in", ids).execute();
    const names = new Map(users.map(({ id, username }) => [id, username]));
    const now = await this.#now();
    await transaction
      .insertInto("logs")
      .values(voided.map((hold) => interruptedLog(hold, names.get(hold.userId) ?? "", now)))
      .execute();
  }

  /** Expired and exhausted tokens are derived when read; here the status is stored, for lists and for other programs. */
  async #storeTokenStatus(): Promise<void> {
    const now = await this.#now();
    await this.#setStatus(TOKEN_EXPIRED, now);
    await this.#setStatus(TOKEN_EXHAUSTED, now);
  }

  async #setStatus(status: typeof TOKEN_EXPIRED | typeof TOKEN_EXHAUSTED, now: number): Promise<void> {
    const { kysely } = this.#options.database;
    let query = kysely
      .selectFrom("tokens")
      .select("id")
      .where("status", "=", TOKEN_ENABLED)
      .where("deleted_at", "is", null);
    query =
      status === TOKEN_EXPIRED
        ? query.where("expired_time", "!=", -1).where("expired_time", "<=", now)
        : query.where("unlimited_quota", "=", 0).where("remain_quota", "<=", 0);
    const ids = (await query.limit(HOLDS_AT_ONCE).execute()).map(({ id }) => id);
    if (ids.length === 0) return;
    await retryDeadlocks(() =>
      kysely.transaction().execute(async (transaction) => {
        const version = await bumpVersion(transaction, "tokens");
        let update = transaction
          .updateTable("tokens")
          .set({ status, changed_version: version })
          .where("id", "in", ids)
          .where("status", "=", TOKEN_ENABLED);
        // The same condition once more: the owner may have prolonged it meanwhile.
        update =
          status === TOKEN_EXPIRED ? update.where("expired_time", "<=", now) : update.where("remain_quota", "<=", 0);
        await update.execute();
      }),
    );
  }
}

const interruptedLog = (hold: HeldQuota, username: string, now: number) =>
  ({
    request_id: hold.id,
    created_at: now,
    type: 4,
    user_id: hold.userId,
    username,
    token_id: hold.tokenId,
    token_name: "",
    channel_id: 0,
    model_name: "",
    group_name: "",
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time_ms: 0,
    first_token_ms: 0,
    is_stream: 0,
    ip: "",
    content: "interrupted, not charged",
    other: "{}",
  }) as const;
