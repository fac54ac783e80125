/** Adds what settlements wrote beside the channels to the channels' own counters (docs/decisions/009); the sweeper calls it. */
import type { Transaction } from "kysely";
import { Fault } from "../../../contract/src/fault.ts";
import type { Database } from "../db/database.ts";
import { affectedRows } from "../db/portable.ts";
import type { Schema } from "../db/schema.ts";
import { retryDeadlocks } from "./engines/concurrency.ts";

/** Rows of one transaction. */
const ROWS_AT_ONCE = 1_000;

interface Unfolded {
  id: number;
  channel_id: number;
  used: number;
}

/** Another process folded some of these rows first; nothing of this fold remains. */
const foldedElsewhere = () => new Fault("folded_elsewhere", "another process folded these rows first");

function sumsOf(rows: readonly Unfolded[]): [number, number][] {
  const sums = new Map<number, number>();
  for (const { channel_id, used } of rows) sums.set(channel_id, (sums.get(channel_id) ?? 0) + used);
  return [...sums].sort(([a], [b]) => a - b);
}

/** A row counts for whoever deletes it, in the transaction that adds it up: neither a kill nor a second process can count it twice. */
async function fold(transaction: Transaction<Schema>, rows: readonly Unfolded[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const deleted = await transaction.deleteFrom("channel_usage").where("id", "in", ids).executeTakeFirstOrThrow();
  if (affectedRows(deleted) !== rows.length) throw foldedElsewhere();
  for (const [id, used] of sumsOf(rows))
    await transaction
      .updateTable("channels")
      .set((row) => ({ used_quota: row("used_quota", "+", used) }))
      .where("id", "=", id)
      .execute();
}

/** Folds all rows there are; gives how many this process folded. Safe beside itself in other processes. */
export async function foldChannelUsage({ kysely }: Pick<Database, "kysely">): Promise<number> {
  for (let folded = 0; ;) {
    const rows = await kysely.selectFrom("channel_usage").selectAll().orderBy("id").limit(ROWS_AT_ONCE).execute();
    if (rows.length === 0) return folded;
    try {
      await retryDeadlocks(() => kysely.transaction().execute((transaction) => fold(transaction, rows)));
    } catch (error) {
      if (error instanceof Fault) return folded;
      throw error;
    }
    folded += rows.length;
    if (rows.length < ROWS_AT_ONCE) return folded;
  }
}
