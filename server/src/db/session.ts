/** A database connection under the migration lock: statements without parameters, in order. */

export interface LockedSession {
  run(sql: string): Promise<void>;
  all(sql: string): Promise<Record<string, unknown>[]>;
}

/** A literal for a statement without parameters; for texts of our own, which hold no backslash (MySQL would take it as an escape). */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
