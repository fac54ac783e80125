/** The messages between the main thread and the SQLite threads; all of them survive a structured clone. */

/** Error code of a statement that exceeded its timeout. */
export const OUT_OF_TIME = "TURNPIKE_OUT_OF_TIME";

/** As the one parameter of an insert: it is run for each of these rows. */
export class RowsOfValues {
  readonly rows: readonly (readonly unknown[])[];
  constructor(rows: readonly (readonly unknown[])[]) {
    this.rows = rows;
  }
}

export interface StatementRequest {
  kind: "statement";
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Each one's parameters of an insert that is run several times. */
  rows?: readonly (readonly unknown[])[];
  /** Number of the interactive transaction it belongs to; 0 for none. */
  transaction: number;
  /** Timeout of the statement, if it checks its deadline (in_time). */
  limitMs?: number;
}

export interface TransactionRequest {
  kind: "begin" | "commit" | "rollback";
  id: number;
  transaction: number;
}

/** One call of a batch module, run inside BEGIN IMMEDIATE .. COMMIT. */
export interface CallRequest {
  kind: "call";
  id: number;
  name: string;
  payload: unknown;
  /** The commit is written to the write-ahead log, and the caller makes that durable itself. */
  isSyncedLater: boolean;
}

export type Request = StatementRequest | TransactionRequest | CallRequest;

export interface StatementResult {
  rows: unknown[];
  changes: number;
  /** Row id of the connection's last insert; valid only right after an INSERT. */
  insertId: number;
}

/** A thrown error as plain data: a structured clone would lose the driver's codes. */
export interface Failure {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  errcode: number | undefined;
}

export type Answer = { id: number; value: unknown } | { id: number; failure: Failure };

export interface WorkerSettings {
  path: string;
  /** The lock file that the writer holds exclusively while it lives; undefined for a reader. */
  lockPath: string | undefined;
  /** Batch modules by name, as file URLs; none for a reader. */
  modules: Readonly<Record<string, string>>;
}

export type FirstMessage = { ready: true; version: string } | { failure: Failure };
