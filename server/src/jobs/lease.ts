/** One leader for each scheduled job, by a row with an end: whoever holds it runs, the others wait until it runs out. */
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";

export interface LeaseRequest {
  name: string;
  /** Unique for each process. */
  holder: string;
  seconds: number;
  /** Unix seconds. */
  now: number;
}

/** True where `holder` has the lease until `now + seconds`: it was free, had run out, or was its own. */
export async function takeLease(database: Database, { name, holder, seconds, now }: LeaseRequest): Promise<boolean> {
  const expires_time = now + seconds;
  if (await insertOrIgnore(database, database.kysely, "leases", { name, holder, expires_time })) return true;
  const result = await database.kysely
    .updateTable("leases")
    .set({ holder, expires_time })
    .where("name", "=", name)
    .where((row) => row.or([row("holder", "=", holder), row("expires_time", "<=", now)]))
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Gives up every lease of a process that stops. */
export async function releaseLeases(database: Database, holder: string): Promise<void> {
  await database.kysely.updateTable("leases").set({ expires_time: 0 }).where("holder", "=", holder).execute();
}
