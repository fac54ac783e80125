/** Makes the one Billing of this process out of its engine's books, the queue, the journal and the sweeper; app.ts calls it. */
import type { Database } from "../db/database.ts";
import {
  type Billing,
  type Hold,
  HoldRefused,
  type HoldRequest,
  type LogEntry,
  type Movement,
  type SettleOutcome,
  type Settlement,
} from "./billing.ts";
import { type Booking, type HeldQuota, chargeBooking, storableLog } from "./booking.ts";
import type { Books, BooksLog } from "./books.ts";
import { Journal } from "./journal.ts";
import { bookMovement } from "./movements.ts";
import { MysqlBooks } from "./mysql-books.ts";
import { PostgresBooks } from "./postgres-books.ts";
import { BookingQueue } from "./queue.ts";
import { SqliteBooks } from "./sqlite-books.ts";
import { Sweeper } from "./sweeper.ts";

export interface BillingOptions {
  /** Migrated; on SQLite opened with SQLITE_WRITER_MODULES. */
  database: Database;
  log: BooksLog;
  /** DATA_DIR: where the journal goes. */
  dataDir: string;
  /** Unique among all processes that ever ran on this database. */
  processId: string;
  /** Milliseconds since the epoch; Date.now where absent. */
  now?: () => number;
  /** A settlement that is not committed after this long goes to the journal. */
  journalAfterMs?: number;
  /** A process not seen for this long is gone, and its holds are voided. */
  goneAfterSeconds?: number;
  /** How often this process says that it lives, and looks for others that do not. */
  heartbeatMs?: number;
  /** Told how much more than held a call was charged: the upstream gave more than its declared maximum. */
  onOvershoot?: (quota: number) => void;
}

const JOURNAL_AFTER_MS = 2_000;
const GONE_AFTER_SECONDS = 30;
const HEARTBEAT_MS = 5_000;

function booksOf({ database, processId }: BillingOptions): Books {
  if (database.postgres !== undefined) return new PostgresBooks(database.postgres, processId);
  if (database.mysql !== undefined) return new MysqlBooks(database.mysql.promise(), processId);
  if (database.sqlite !== undefined) return new SqliteBooks(database, database.sqlite);
  throw new Error(`no books for the engine ${database.engine}`);
}

class OpenHold implements Hold {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly isTokenLimited: boolean;
  amount: number;
  isOpen = true;

  constructor(request: HoldRequest) {
    this.requestId = request.requestId;
    this.userId = request.userId;
    this.tokenId = request.tokenId;
    this.isTokenLimited = request.isTokenLimited && request.tokenId > 0;
    this.amount = request.amount;
  }

  /** What has to be given back; undefined where the hold ended before or took nothing. */
  get held(): HeldQuota | undefined {
    if (!this.isOpen || this.amount === 0) return undefined;
    const { requestId, userId, amount } = this;
    return { id: requestId, userId, tokenId: this.isTokenLimited ? this.tokenId : 0, amount };
  }
}

/** Every Hold that the relay has came from hold() below. */
function opened(hold: Hold): OpenHold {
  if (!(hold instanceof OpenHold)) throw new TypeError("this hold was not made by these books");
  return hold;
}

class Accounts implements Billing {
  readonly #options: BillingOptions;
  readonly #books: Books;
  readonly #queue: BookingQueue;
  readonly #sweeper: Sweeper;

  constructor(options: BillingOptions, books: Books, queue: BookingQueue, sweeper: Sweeper) {
    this.#options = options;
    this.#books = books;
    this.#queue = queue;
    this.#sweeper = sweeper;
  }

  get isHealthy(): boolean {
    return this.#queue.isHealthy;
  }

  hold(request: HoldRequest): Promise<Hold> | Hold {
    if (!this.#queue.isHealthy) throw new HoldRefused("unavailable");
    if (!Number.isSafeInteger(request.amount) || request.amount < 0)
      throw new RangeError(`a hold is a whole number of at least 0: ${request.amount}`);
    const hold = new OpenHold(request);
    if (request.amount === 0 && this.#books.storesHolds) return hold;
    const reserved = this.#books.reserve(hold, request.amount);
    if (reserved === undefined) return hold;
    return reserved.then(
      () => hold,
      (error: unknown) => this.#failed(hold, request.amount, error),
    );
  }

  /** After an error that is no refusal nobody knows whether the row is there: it is deleted as soon as the database answers. */
  #failed(hold: OpenHold, amount: number, error: unknown): never {
    if (error instanceof HoldRefused) throw error;
    this.#options.log.warn({ error, requestId: hold.requestId }, "a hold could not be made");
    if (this.#books.storesHolds && hold.amount === amount) {
      hold.isOpen = false;
      const { requestId, userId, tokenId } = hold;
      void this.#book({ ledger: undefined, log: undefined, hold: { id: requestId, userId, tokenId, amount } });
    }
    throw new HoldRefused("unavailable");
  }

  extend(hold: Hold, amount: number): Promise<boolean> | boolean {
    const own = opened(hold);
    if (!own.isOpen || !this.#queue.isHealthy) return false;
    if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`a hold grows by a whole number: ${amount}`);
    if (amount === 0) return true;
    try {
      const reserved = this.#books.reserve(own, amount);
      if (reserved !== undefined)
        return reserved.then(
          () => this.#extended(own, amount),
          (error: unknown) => this.#notExtended(error),
        );
      return this.#extended(own, amount);
    } catch (error) {
      return this.#notExtended(error);
    }
  }

  #extended(hold: OpenHold, amount: number): Promise<boolean> | boolean {
    if (hold.isOpen) {
      hold.amount += amount;
      return true;
    }
    // It ended while the step was on its way: the step goes back at once.
    const { requestId, userId, tokenId, isTokenLimited } = hold;
    const held = { id: requestId, userId, tokenId: isTokenLimited ? tokenId : 0, amount };
    return this.#book({ ledger: undefined, log: undefined, hold: held }).then(() => false);
  }

  #notExtended(error: unknown): boolean {
    if (!(error instanceof HoldRefused)) this.#options.log.warn({ error }, "a hold could not be extended");
    return false;
  }

  settle(hold: Hold, settlement: Settlement): Promise<SettleOutcome> {
    const own = opened(hold);
    const booking = chargeBooking(settlement, own.held);
    if (settlement.charge > own.amount) this.#options.onOvershoot?.(settlement.charge - own.amount);
    own.isOpen = false;
    return this.#book(booking);
  }

  void(hold: Hold): Promise<void> | void {
    const own = opened(hold);
    const { held } = own;
    own.isOpen = false;
    if (held === undefined) return;
    const booking: Booking = { ledger: undefined, log: undefined, hold: held };
    if (this.#books.storesHolds) return this.#book(booking).then(() => undefined);
    this.#books.expect(booking);
  }

  async record(entry: LogEntry): Promise<void> {
    await this.#book({ ledger: undefined, log: storableLog(entry), hold: undefined });
  }

  #book(booking: Booking): Promise<SettleOutcome> {
    this.#books.expect(booking);
    return this.#queue.add(booking);
  }

  move(movement: Movement): Promise<boolean> {
    const { database, now = Date.now } = this.#options;
    const createdAt = Math.floor(now() / 1000);
    return this.#books.move(movement, () => bookMovement(database, movement, createdAt));
  }

  available(userId: number): Promise<number> {
    return this.#books.available(userId);
  }

  async close(): Promise<void> {
    this.#sweeper.stop();
    await this.#queue.close();
    await this.#sweeper.leave().catch((error: unknown) => {
      this.#options.log.warn({ error }, "this process could not be taken off the list: the others find out in a while");
    });
  }
}

/**
 * Opens the books: replays journals that earlier processes left, tells the others that this process lives, and voids the holds
 * of those that do not. Throws where the database does not answer.
 */
export async function openBilling(options: BillingOptions): Promise<Billing> {
  const { database, log, dataDir, processId, journalAfterMs = JOURNAL_AFTER_MS } = options;
  const books = booksOf(options);
  const sweeper = new Sweeper({
    database,
    log,
    processId,
    goneAfterSeconds: options.goneAfterSeconds ?? GONE_AFTER_SECONDS,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    storesHolds: books.storesHolds,
  });
  const journal = new Journal(dataDir, processId, log);
  const queue = new BookingQueue({ books, journal, log, journalAfterMs });
  await sweeper.start((isGone) => queue.replay(isGone));
  return new Accounts(options, books, queue, sweeper);
}
