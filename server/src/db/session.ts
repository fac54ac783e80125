/** Locks of a whole database, and the connection that holds one: statements without parameters, in order. */

export interface LockedSession {
  run(sql: string): Promise<void>;
  all(sql: string): Promise<Record<string, unknown>[]>;
}

/** A lock that one process of all that share a database holds; the server releases it with the connection. */
export interface DatabaseLock {
  /** Of PostgreSQL's advisory lock: an arbitrary constant. */
  number: number;
  /** Of MySQL's, which is the whole server's: the database's name is added. */
  name: string;
  /** How long another holder is waited for. */
  waitMs: number;
  /** What is thrown where that was too short. */
  refusal: string;
}

/** Another process has the lock, and kept it for longer than it is waited for. */
export class LockTaken extends Error {}

export const LOCKS = {
  migration: {
    number: 7_475_726_001,
    name: "turnpike migration",
    waitMs: 120_000,
    refusal: "Another process has been migrating this database for too long",
  },
  // A server needs a moment to see that a killed import is gone.
  import: {
    number: 7_475_726_002,
    name: "turnpike import",
    waitMs: 10_000,
    refusal: "Another import is writing into this database: wait for its end",
  },
} as const satisfies Readonly<Record<string, DatabaseLock>>;

/** A literal for a statement without parameters; for constants without a backslash (MySQL would treat it as an escape). */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
