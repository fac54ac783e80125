/** Leases: rows with an end, so that of all processes one alone does something; whoever dies loses it when it runs out. */
import type { Database } from "./database.ts";
import { affectedRows, insertOrIgnore } from "./portable.ts";

export interface LeaseRequest {
  name: string;
  /** Unique for whoever asks: a process, or one run of something. */
  holder: string;
  seconds: number;
  /** Unix seconds. */
  now: number;
  /** A lease that this holder had last is not taken. */
  unlessHeldBy?: string;
}

/** True where `holder` has the lease until `now + seconds`: it was free, had run out, or was its own. Of two at once one gets it. */
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

/** Has one's own lease until `now + seconds`; false where it was ended or is another's. */
export async function keepLease(database: Database, { name, holder, seconds, now }: LeaseRequest): Promise<boolean> {
  const result = await database.kysely
    .updateTable("leases")
    .set({ expires_time: now + seconds })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .where("expires_time", ">", 0)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Who has or last had a lease, and until when (Unix seconds; 0: it was ended). */
export async function readLease(database: Database, name: string): Promise<{ holder: string; expiresTime: number }> {
  const row = await database.kysely
    .selectFrom("leases")
    .select(["holder", "expires_time"])
    .where("name", "=", name)
    .executeTakeFirst();
  return { holder: row?.holder ?? "", expiresTime: row?.expires_time ?? 0 };
}

/** Ends one's own lease before its time. */
export async function endLease(database: Database, name: string, holder: string): Promise<void> {
  await database.kysely
    .updateTable("leases")
    .set({ expires_time: 0 })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .execute();
}

/** Ends a lease whoever has it, and writes `holder` as who had it last. */
export async function revokeLease(database: Database, name: string, holder: string): Promise<void> {
  await database.kysely.updateTable("leases").set({ holder, expires_time: 0 }).where("name", "=", name).execute();
}

/** Ends every lease of a process that stops. */
export async function releaseLeases(database: Database, holder: string): Promise<void> {
  await database.kysely.updateTable("leases").set({ expires_time: 0 }).where("holder", "=", holder).execute();
}
