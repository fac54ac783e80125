/** Opens the ledger of this process from its engine's backend, the queue, the journal and the sweeper; called by app.ts. */
import type { Database } from "../db/database.ts";
import { timeoutError } from "../db/engines/time-limits.ts";
import { upsert } from "../db/portable.ts";
import { toSeconds } from "../util/clock.ts";
import { endsWithin } from "../util/deadline.ts";
import {
  type Billing,
  type Hold,
  type LedgerFigures,
  LedgerFault,
  isHoldFault,
  type HoldRequest,
  type LogEntry,
  type Adjustment,
  type Refund,
  type Claim,
  type Decision,
  type SettleOutcome,
  type Settlement,
} from "./billing.ts";
import { type LedgerEntry, type EndedHold, chargeEntry, refundEntry, storableLog } from "./ledger-entry.ts";
import type { LedgerBackend, LedgerLogger } from "./engines/backend.ts";
import type { Granted } from "./engines/hold-batch.ts";
import { Journal, keepRefused } from "./journal.ts";
import { onceClaimed, postDecided } from "./adjustments.ts";
import { MysqlLedger } from "./engines/mysql.ts";
import { PostgresLedger } from "./engines/postgres.ts";
import { PostingQueue } from "./queue.ts";
import { SqliteLedger } from "./engines/sqlite.ts";
import { Sweeper } from "./sweeper.ts";

export interface BillingOptions {
  /** Migrated; on SQLite opened with SQLITE_WRITER_MODULES. */
  database: Database;
  log: LedgerLogger;
  /** DATA_DIR: where the journal goes. */
  dataDir: string;
  /** Unique among all processes that ever ran on this database. */
  processId: string;
  /** Milliseconds since the epoch; Date.now where absent. */
  now?: () => number;
  /** A settlement that is not committed after this long goes to the journal. */
  journalAfterMs?: number;
  /** A caller that waits for a settlement longer than this gets the result "pending". */
  answerAfterMs?: number;
  /** How long it waits for the disk once the operating system has the settlement, on SQLite; absent: until the disk has it. */
  answerWaitMs?: number | undefined;
  /** A hold that takes longer than this is refused. */
  holdTimeoutMs?: number;
  /** A process without a heartbeat for this long counts as dead, and its holds are voided. */
  goneAfterSeconds?: number;
  /** Interval of this process's heartbeat, and of its check for dead processes. */
  heartbeatMs?: number;
  /** Called with the quota charged beyond the hold: the upstream generated more than its declared maximum. */
  onOvershoot?: (quota: number) => void;
  /** Called for each settlement that the database refused for its data. */
  onRefused?: () => void;
}

const JOURNAL_AFTER_MS = 2_000;
const ANSWER_AFTER_MS = 10_000;
const HOLD_TIMEOUT_MS = 5_000;
const LEAVE_TIMEOUT_MS = 500;
/** A statement sent to a frozen server may be executed when it thaws, after the one that reverted it. */
const TAKE_BACK_AGAIN_MS = 60_000;
/** As large as a batch, because a small write can succeed on a full disk. */
const PROBE_CHARACTERS = 16_384;
const GONE_AFTER_SECONDS = 30;
const HEARTBEAT_MS = 5_000;

function backendOf({ database, processId, answerWaitMs }: BillingOptions): LedgerBackend {
  if (database.postgres !== undefined) return new PostgresLedger(database.postgres, processId);
  if (database.mysql !== undefined) return new MysqlLedger(database.mysql.promise(), processId);
  if (database.sqlite !== undefined) return new SqliteLedger(database, database.sqlite, answerWaitMs !== undefined);
  throw new Error(`no backend for the engine ${database.engine}`);
}

class OpenHold implements Hold {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly isTokenLimited: boolean;
  amount: number;
  spendable: number;
  isOpen = true;

  constructor(request: HoldRequest) {
    this.requestId = request.requestId;
    this.userId = request.userId;
    this.tokenId = request.tokenId;
    this.isTokenLimited = request.isTokenLimited && request.tokenId > 0;
    this.amount = this.spendable = request.amount;
  }

  /** Set to the quota that the ledger has held for it. */
  granted({ amount, spendable }: Granted): this {
    this.amount = amount;
    this.spendable = spendable;
    return this;
  }

  /** The quota to release; undefined if the hold has ended or took nothing. */
  get held(): EndedHold | undefined {
    if (!this.isOpen || this.amount === 0) return undefined;
    const { requestId, userId, amount } = this;
    return { id: requestId, userId, tokenId: this.isTokenLimited ? this.tokenId : 0, amount };
  }
}

/** Every Hold of the relay was returned by hold() below. */
function opened(hold: Hold): OpenHold {
  if (!(hold instanceof OpenHold)) throw new TypeError("this hold was made by another ledger");
  return hold;
}

class Accounts implements Billing {
  readonly #options: BillingOptions;
  readonly #backend: LedgerBackend;
  readonly #queue: PostingQueue;
  readonly #sweeper: Sweeper;
  #openHolds = 0;
  #heldQuota = 0;

  constructor(options: BillingOptions, backend: LedgerBackend, queue: PostingQueue, sweeper: Sweeper) {
    this.#options = options;
    this.#backend = backend;
    this.#queue = queue;
    this.#sweeper = sweeper;
  }

  get isHealthy(): boolean {
    return this.#queue.isHealthy;
  }

  get figures(): LedgerFigures {
    return { openHolds: this.#openHolds, heldQuota: this.#heldQuota, ...this.#queue.figures };
  }

  hold(request: HoldRequest): Promise<Hold> | Hold {
    const { amount, least = amount } = request;
    if (!this.#queue.isHealthy) throw new LedgerFault("unavailable");
    for (const quota of [amount, least])
      if (!Number.isSafeInteger(quota) || quota < 0)
        throw new RangeError(`a hold is a whole number of at least 0: ${quota}`);
    const hold = new OpenHold(request);
    if (amount === 0 && this.#backend.storesHolds) return this.#begun(hold);
    const reserved = this.#backend.reserve(hold, amount, least);
    if (!(reserved instanceof Promise)) return this.#begun(hold.granted(reserved));
    return this.#inTime(reserved).then(
      (granted) => this.#begun(hold.granted(granted)),
      (error: unknown) => this.#failed(hold, error, reserved),
    );
  }

  #begun(hold: OpenHold): OpenHold {
    this.#openHolds += 1;
    this.#heldQuota += hold.amount;
    return hold;
  }

  #end(hold: OpenHold): void {
    if (!hold.isOpen) return;
    hold.isOpen = false;
    this.#openHolds -= 1;
    this.#heldQuota -= hold.amount;
  }

  async #inTime(reserved: Promise<Granted>): Promise<Granted> {
    const { holdTimeoutMs = HOLD_TIMEOUT_MS } = this.#options;
    if (await endsWithin(reserved, holdTimeoutMs)) return reserved;
    this.#queue.suspect();
    throw timeoutError(`No answer within ${holdTimeoutMs / 1000} s`);
  }

  /** After an error that is no refusal it is unknown whether the row exists: it is deleted as soon as the database responds. */
  #failed(hold: OpenHold, error: unknown, reserved: Promise<Granted>): never {
    if (isHoldFault(error)) throw error;
    this.#options.log.warn({ error, requestId: hold.requestId }, "a hold could not be made");
    hold.isOpen = false;
    reserved.then(
      ({ amount }) => this.#takeBack(hold, amount),
      (late: unknown) => void (isHoldFault(late) || !this.#backend.storesHolds || this.#takeBack(hold, hold.amount)),
    );
    throw new LedgerFault("unavailable");
  }

  #takeBack({ requestId, userId, tokenId, isTokenLimited }: OpenHold, amount: number): void {
    const hold = { id: requestId, userId, tokenId: isTokenLimited ? tokenId : 0, amount };
    const entry: LedgerEntry = { ledger: undefined, log: undefined, hold };
    if (!this.#backend.storesHolds) return this.#backend.expect(entry);
    const post = () =>
      this.#post(entry).catch((error: unknown) =>
        this.#options.log.error({ error, requestId }, "a hold that came to nothing could not be ended"),
      );
    void post();
    setTimeout(() => void post(), TAKE_BACK_AGAIN_MS).unref();
  }

  extend(hold: Hold, amount: number): Promise<boolean> | boolean {
    const own = opened(hold);
    if (!own.isOpen || !this.#queue.isHealthy) return false;
    if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`a hold grows by a whole number: ${amount}`);
    if (amount === 0) return true;
    try {
      const reserved = this.#backend.reserve(own, amount, amount);
      if (reserved instanceof Promise)
        return this.#inTime(reserved).then(
          () => this.#extended(own, amount),
          (error: unknown) => this.#notExtended(own, amount, error, reserved),
        );
      return this.#extended(own, amount);
    } catch (error) {
      return this.#notExtended(own, amount, error, Promise.reject(error));
    }
  }

  #extended(hold: OpenHold, amount: number): Promise<boolean> | boolean {
    if (hold.isOpen) {
      hold.amount += amount;
      hold.spendable += amount;
      this.#heldQuota += amount;
      return true;
    }
    // The hold ended during this step: the step is reverted at once.
    const { requestId, userId, tokenId, isTokenLimited } = hold;
    const held = { id: requestId, userId, tokenId: isTokenLimited ? tokenId : 0, amount };
    return this.#post({ ledger: undefined, log: undefined, hold: held }).then(() => false);
  }

  /** A late result is added to the hold, or released with it. */
  #notExtended(hold: OpenHold, amount: number, error: unknown, reserved: Promise<unknown>): boolean {
    if (!isHoldFault(error)) this.#options.log.warn({ error }, "a hold could not be extended");
    reserved
      .then(() => this.#extended(hold, amount))
      .catch(
        (late: unknown) =>
          void (late === error || this.#options.log.warn({ error: late }, "a hold could not be extended")),
      );
    return false;
  }

  settle(hold: Hold, settlement: Settlement): Promise<SettleOutcome> {
    const own = opened(hold);
    const ledgerEntry = chargeEntry(settlement, own.held);
    if (settlement.charge > own.amount) this.#options.onOvershoot?.(settlement.charge - own.amount);
    this.#end(own);
    return this.#post(ledgerEntry);
  }

  async refund(refund: Refund): Promise<SettleOutcome> {
    const ledgerEntry = refundEntry(refund);
    await this.#backend.know(refund.userId, refund.tokenQuota === 0 ? 0 : refund.tokenId);
    return this.#post(ledgerEntry);
  }

  void(hold: Hold): Promise<void> | void {
    const own = opened(hold);
    const { held } = own;
    this.#end(own);
    if (held === undefined) return;
    const ledgerEntry: LedgerEntry = { ledger: undefined, log: undefined, hold: held };
    if (this.#backend.storesHolds) return this.#post(ledgerEntry).then(() => undefined);
    this.#backend.expect(ledgerEntry);
  }

  async record(entry: LogEntry): Promise<void> {
    await this.#post({ ledger: undefined, log: storableLog(entry), hold: undefined });
  }

  #post(ledgerEntry: LedgerEntry): Promise<SettleOutcome> {
    this.#backend.expect(ledgerEntry);
    return this.#queue.add(ledgerEntry);
  }

  move(adjustment: Adjustment, claim?: Claim): Promise<boolean> {
    return this.moveAsDecided(onceClaimed(adjustment, claim));
  }

  async moveAsDecided(decide: Decision): Promise<boolean> {
    const { database, now = Date.now } = this.#options;
    const createdAt = toSeconds(now());
    const { isRefused } = await this.#backend.move(() => postDecided(database, createdAt, decide));
    return !isRefused;
  }

  available(userId: number): Promise<number> {
    return this.#backend.available(userId);
  }

  async close(): Promise<void> {
    this.#sweeper.stop();
    await this.#queue.close();
    const warn = (error: unknown) =>
      this.#options.log.warn({ error }, "this process could not be taken off the list: the others find out in a while");
    if (!(await endsWithin(this.#sweeper.leave().catch(warn), LEAVE_TIMEOUT_MS))) warn("no answer");
  }
}

/** A write to probe the database, never read. Throws if it is not committed, or if the disk does not take it and all before. */
async function probe(database: Database): Promise<void> {
  const value = `${Date.now()}`.padEnd(PROBE_CHARACTERS);
  await upsert(database, database.kysely, "facts", { name: "write_probe", value }, ["name"], { value });
  await database.sqlite?.sync();
}

/**
 * Opens the ledger: replays journals of earlier processes, registers this process as live, and voids the holds of dead ones.
 * Throws if the database does not respond.
 */
export async function openBilling(options: BillingOptions): Promise<Billing> {
  const { database, log, dataDir, processId, journalAfterMs = JOURNAL_AFTER_MS } = options;
  const backend = backendOf(options);
  const sweeper = new Sweeper({
    database,
    log,
    processId,
    goneAfterSeconds: options.goneAfterSeconds ?? GONE_AFTER_SECONDS,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    storesHolds: backend.storesHolds,
  });
  const journal = new Journal(dataDir, processId, log);
  const queue = new PostingQueue({
    backend,
    journal,
    log,
    journalAfterMs,
    answerAfterMs: options.answerAfterMs ?? ANSWER_AFTER_MS,
    answerWaitMs: options.answerWaitMs ?? 0,
    probe: () => probe(database),
    keepRefused: async (entry, error) => {
      await keepRefused(dataDir, entry, error);
      options.onRefused?.();
    },
  });
  await sweeper.start((isGone) => queue.replay(isGone));
  return new Accounts(options, backend, queue, sweeper);
}
