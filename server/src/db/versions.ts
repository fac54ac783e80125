/** Version rows, by which every process notices within a second that users, tokens, channels, options or prices changed. */
import type { Transaction } from "kysely";
import type { Schema } from "./schema.ts";

/** Rows of the table `versions`, all created by the first migration. */
export const VERSION_NAMES = ["users", "tokens", "channels", "options", "prices", "sessions"] as const;
export type VersionName = (typeof VERSION_NAMES)[number];

/**
 * Raises a version inside the transaction that makes the change, and returns its new value: write it into `changed_version` of
 * every users, tokens or channels row changed there. The row stays locked until the commit, so values appear in their order.
 * Call it before the changes, so that all writers of one table take this lock first.
 */
export async function bumpVersion(transaction: Transaction<Schema>, name: VersionName): Promise<number> {
  await transaction
    .updateTable("versions")
    .set((row) => ({ version: row("version", "+", 1) }))
    .where("name", "=", name)
    .execute();
  const row = await transaction
    .selectFrom("versions")
    .select("version")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return row.version;
}
