/** The messages between the main thread and the SQLite threads; all of them survive a structured clone. */

/** Code of the error of a statement that was ended for its time. */
export const OUT_OF_TIME = "TURNPIKE_OUT_OF_TIME";

export interface StatementRequest {
  kind: "statement";
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Number of the interactive transaction this belongs to; 0 for a statement of its own. */
  transaction: number;
  /** How long it may take, where it looks at the clock (in_time). */
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
}

export type Request = StatementRequest | TransactionRequest | CallRequest;

export interface StatementResult {
  rows: unknown[];
  changes: number;
  /** Of the connection's last insert; only of use right after an INSERT. */
  insertId: number;
}

/** A thrown error as plain data: structured clone would lose the driver's codes. */
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
  /** Held exclusively by the writer for as long as it lives; undefined for a reader. */
  lockPath: string | undefined;
  /** Batch modules by name, as file URLs; none for a reader. */
  modules: Readonly<Record<string, string>>;
}

export type FirstMessage = { ready: true; version: string } | { failure: Failure };
