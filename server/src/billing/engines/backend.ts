/** The interface of a ledger backend (one for each engine), and the classification of database errors that are caused by the data of an entry. */
import type { Posted } from "../adjustments.ts";
import type { HoldRequest } from "../billing.ts";
import type { LedgerEntry } from "../ledger-entry.ts";
import type { Granted } from "./hold-batch.ts";

export interface PostedBatch {
  /** For each ledger entry whether its ledger row is new; true if it has none. */
  isNew: readonly boolean[];
  /**
   * Resolves when the batch is on the disk; absent where it is already. Until then the operating system has it, so that only a power cut
   * could lose it. Throws the disk's error.
   */
  synced?: Promise<void>;
}

export interface LedgerBackend {
  /** True where open holds are rows, which have to be deleted when they end. */
  readonly storesHolds: boolean;
  /**
   * Sets quota aside, for a new hold or in addition to an open one; of 0 only if memory has to know the account. At least `least` if
   * there is no other hold, else all of `amount`. Throws LedgerFault.
   */
  reserve(request: HoldRequest, amount: number, least: number): Promise<Granted> | Granted;
  /** Posts all or nothing. */
  post(ledgerEntries: readonly LedgerEntry[]): Promise<PostedBatch>;
  /** True if an error of `post` is caused by the data, so that a retry cannot succeed. */
  isDataError(error: unknown): boolean;
  /** Balance less open holds. */
  available(userId: number): Promise<number>;
  /** Called before a ledger entry is posted that is sure to be: memory may count it at once. */
  expect(ledgerEntry: LedgerEntry): void;
  /** Called when an expected charge had been posted before, or never will be. */
  forget(ledgerEntry: LedgerEntry): void;
  /** Resolves when memory, if the engine uses one, has the accounts of an entry, so that `expect` counts it. */
  know(userId: number, tokenId: number): Promise<void> | void;
  /** Runs an adjustment's transaction; an engine with memory may lock it meanwhile. */
  move(transaction: () => Promise<Posted>): Promise<Posted>;
}

/** The part of the server's log that billing writes to. */
export interface LedgerLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

// Which database errors are caused by the data: a retry cannot succeed, and one such row must not block others.

/** Low byte of SQLite's result codes: TOOBIG, CONSTRAINT, MISMATCH, RANGE (https://sqlite.org/rescode.html). */
const SQLITE_DATA_ERRORS: ReadonlySet<number> = new Set([18, 19, 20, 25]);

/** MySQL: bad null, message too large, out of range, wrong value, too long, bad JSON, check failed. */
const MYSQL_DATA_ERRORS: ReadonlySet<number> = new Set([1048, 1153, 1264, 1292, 1366, 1406, 3819, 4025]);

/** PostgreSQL appendix A: data exceptions and integrity violations. */
const POSTGRES_DATA_ERROR = /^2[23][0-9A-Z]{3}$/;

/** Low byte of SQLite's result codes: IOERR, FULL. */
const SQLITE_DISK_ERRORS: ReadonlySet<number> = new Set([10, 13]);

/** MySQL: disk full, error on write, got an error from the storage engine, the table is full. */
const MYSQL_DISK_ERRORS: ReadonlySet<number> = new Set([1021, 1026, 1030, 1114]);

/** PostgreSQL appendix A: disk_full, io_error. */
const POSTGRES_DISK_ERROR = /^(53100|58030)$/;

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** True for values that do not fit their columns or cannot be bound; false for every transient error. */
export function isDataError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError || error instanceof RangeError || /^(Type|Range)Error$/.test(error.name)) return true;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if ("errcode" in error) return SQLITE_DATA_ERRORS.has(numberOf(error.errcode) & 0xff);
  if ("errno" in error) return MYSQL_DATA_ERRORS.has(numberOf(error.errno));
  return POSTGRES_DATA_ERROR.test(code);
}

/** True if the database's disk is full or fails: an immediate retry fails too. */
export function isDiskError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return SQLITE_DISK_ERRORS.has(numberOf(error.errcode) & 0xff);
  if ("errno" in error) return MYSQL_DISK_ERRORS.has(numberOf(error.errno));
  return "code" in error && typeof error.code === "string" && POSTGRES_DISK_ERROR.test(error.code);
}
