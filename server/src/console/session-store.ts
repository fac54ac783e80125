/** Rows of sessions: made at a login, found by the cookie, ended by logout or by what changes a user's power. */
import { randomBytes } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "../db/schema.ts";
import type { Secrets } from "../db/secrets.ts";

/** How long a session lasts: 30 days. */
export const SESSION_SECONDS = 30 * 86_400;
/** How often the time of the last call is written. */
const SEEN_STEP_SECONDS = 300;

type Queries = Kysely<Schema> | Transaction<Schema>;

export interface SessionRow {
  id: string;
  userId: number;
  confirmedTime: number;
}

export interface NewSession {
  userId: number;
  ip: string;
  userAgent: string;
  /** `password`, `passkey`, or a provider's name. */
  way: string;
}

/**
 * Makes a session whose password was given just now.
 * @returns the value for the cookie; only its hash is stored.
 */
export async function createSession(queries: Queries, secrets: Secrets, session: NewSession, now: number) {
  const value = randomBytes(32).toString("base64url");
  const row = {
    id: secrets.hash("session", value),
    user_id: session.userId,
    created_time: now,
    seen_time: now,
    expires_time: now + SESSION_SECONDS,
    confirmed_time: now,
    ip: session.ip.slice(0, 64),
    user_agent: session.userAgent.slice(0, 255),
    way: session.way,
  };
  await queries.insertInto("sessions").values(row).execute();
  return value;
}

/** The living session of a cookie value, its last-seen time kept up to five minutes. `now` in Unix seconds. */
export async function findSession(
  queries: Queries,
  secrets: Secrets,
  cookie: string,
  now: number,
): Promise<SessionRow | undefined> {
  const row = await queries
    .selectFrom("sessions")
    .select(["id", "user_id", "confirmed_time", "seen_time"])
    .where("id", "=", secrets.hash("session", cookie))
    .where("expires_time", ">", now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.seen_time < now - SEEN_STEP_SECONDS) await touch(queries, row.id, now);
  return { id: row.id, userId: row.user_id, confirmedTime: row.confirmed_time };
}

async function touch(queries: Queries, id: string, now: number): Promise<void> {
  await queries.updateTable("sessions").set({ seen_time: now }).where("id", "=", id).execute();
}

/** Ends one session. */
export async function endSession(queries: Queries, id: string): Promise<void> {
  await queries.deleteFrom("sessions").where("id", "=", id).execute();
}

/** Ends every session of a user (ban, demotion, deletion, password change), except one where `exceptId` is given. */
export async function endSessionsOf(queries: Queries, userId: number, exceptId?: string): Promise<void> {
  const all = queries.deleteFrom("sessions").where("user_id", "=", userId);
  await (exceptId === undefined ? all : all.where("id", "!=", exceptId)).execute();
}

/** Notes that the password was confirmed now. */
export async function confirmSession(queries: Queries, id: string, now: number): Promise<void> {
  await queries.updateTable("sessions").set({ confirmed_time: now }).where("id", "=", id).execute();
}
