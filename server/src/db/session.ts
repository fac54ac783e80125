/** A database connection under the migration lock: statements without parameters, in order. */

export interface LockedSession {
  run(sql: string): Promise<void>;
  all(sql: string): Promise<Record<string, unknown>[]>;
}

/** A literal for a statement without parameters; for constants without a backslash (MySQL would treat it as an escape). */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
