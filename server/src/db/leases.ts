/** Leases in the database: rows with an expiry, by which one process alone does a job; when it dies the lease expires. */
import type { Database } from "./database.ts";
import { type Queries, affectedRows, insertOrIgnore } from "./portable.ts";

export interface LeaseRequest {
  name: string;
  /** Unique for each holder: a process, or one background run. */
  holder: string;
  seconds: number;
  /** Unix seconds. */
  now: number;
  /** If this was the last holder, the lease is not taken. */
  unlessHeldBy?: string;
}

/** True if `holder` has the lease until `now + seconds`: it was free, expired or its own. Of two concurrent calls one gets it. */
export async function takeLease(database: Database, request: LeaseRequest): Promise<boolean> {
  const { name, holder, now, unlessHeldBy } = request;
  const expires_time = now + request.seconds;
  if (await insertOrIgnore(database, database.kysely, "leases", { name, holder, expires_time })) return true;
  const taken = database.kysely
    .updateTable("leases")
    .set({ holder, expires_time })
    .where("name", "=", name)
    .where((row) => row.or([row("holder", "=", holder), row("expires_time", "<=", now)]));
  const result = await (
    unlessHeldBy === undefined ? taken : taken.where("holder", "<>", unlessHeldBy)
  ).executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Moves the expiry of a lease (Unix seconds, 0 to end it) whose current or last holder is `holder`; false if another has taken it. */
export async function renewLease(
  queries: Queries,
  { name, holder, expiresTime }: { name: string; holder: string; expiresTime: number },
): Promise<boolean> {
  const result = await queries
    .updateTable("leases")
    .set({ expires_time: expiresTime })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** The current or last holder of a lease, and its expiry (Unix seconds; 0: it was ended). */
export async function readLease(database: Database, name: string): Promise<{ holder: string; expiresTime: number }> {
  const row = await database.kysely
    .selectFrom("leases")
    .select(["holder", "expires_time"])
    .where("name", "=", name)
    .executeTakeFirst();
  return { holder: row?.holder ?? "", expiresTime: row?.expires_time ?? 0 };
}

/** Releases one's own lease early. */
export async function endLease({ kysely }: Database, name: string, holder: string): Promise<void> {
  await renewLease(kysely, { name, holder, expiresTime: 0 });
}

/** Ends a lease of any holder, and stores `holder` as its last one. */
export async function revokeLease(database: Database, name: string, holder: string): Promise<void> {
  await database.kysely.updateTable("leases").set({ holder, expires_time: 0 }).where("name", "=", name).execute();
}

/** Releases every lease of a process that stops. */
export async function releaseLeases(database: Database, holder: string): Promise<void> {
  await database.kysely.updateTable("leases").set({ expires_time: 0 }).where("holder", "=", holder).execute();
}
