/** Background runs: one at a time over all processes, by a lease, with a progress that every process can read. */
import type { Database } from "../db/database.ts";
import { readLease, renewLease } from "../db/leases.ts";
import { upsert } from "../db/portable.ts";

/** A kind of run, with the names of its rows. */
export interface RunKind<Progress> {
  lease: string;
  /** The fact that holds the progress as JSON. */
  fact: string;
  /** A run without a heartbeat for this long is dead, and another may begin. */
  leaseSeconds: number;
  neverRun: Progress;
  /** Reads what was stored. */
  schema: { parse(value: unknown): Progress };
}

export interface StoredRun<Progress> {
  progress: Progress;
  /** The current or last holder of the lease; "" for none. */
  holder: string;
  /** Unix seconds; 0 where the lease was ended. */
  expiresTime: number;
}

/** How far the run is, or how the last one ended, and whose it is. */
export async function readRun<Progress>(database: Database, kind: RunKind<Progress>): Promise<StoredRun<Progress>> {
  const [fact, lease] = await Promise.all([
    database.kysely.selectFrom("facts").select("value").where("name", "=", kind.fact).executeTakeFirst(),
    readLease(database, kind.lease),
  ]);
  return { ...lease, progress: fact === undefined ? kind.neverRun : kind.schema.parse(JSON.parse(fact.value)) };
}

/**
 * Writes the progress and until when the lease lasts (Unix seconds, 0 to end it), together, where `holder` is who has the lease or had it
 * last; false, and nothing is written, where it is another's by now: a run that was held up for longer than its lease spoils no later one.
 */
export function writeProgress<Progress>(
  database: Database,
  kind: RunKind<Progress>,
  { holder, expiresTime }: { holder: string; expiresTime: number },
  progress: Progress,
): Promise<boolean> {
  const value = JSON.stringify(progress);
  return database.kysely.transaction().execute(async (transaction) => {
    // First, since it locks the row: other claims of the lease wait until this transaction ends.
    if (!(await renewLease(transaction, { name: kind.lease, holder, expiresTime }))) return false;
    await upsert(database, transaction, "facts", { name: kind.fact, value }, ["name"], { value });
    return true;
  });
}

/** The lease of one run, which is its own holder. */
export const leaseOf = (kind: Pick<RunKind<unknown>, "lease" | "leaseSeconds">, holder: string, now: number) => ({
  name: kind.lease,
  holder,
  seconds: kind.leaseSeconds,
  now,
});
