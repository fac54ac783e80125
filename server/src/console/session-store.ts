/**
 * Queries of sessions: created at login, found by cookie, deleted at logout or when a user's privileges change. Every change of credentials
 * first raises the version row `sessions`, which serialises them over all processes of the database.
 */
import { randomBytes } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import { AppError } from "../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { affectedRows } from "../db/portable.ts";
import type { Schema } from "../db/schema.ts";
import type { Secrets } from "../db/secrets.ts";
import { bumpVersion } from "../db/versions.ts";
import { deleteAccessTokensOf } from "./access-token-store.ts";

/** How long a session lasts: 30 days. */
export const SESSION_SECONDS = 30 * 86_400;
/** How often the time of the last call is written. */
const SEEN_STEP_SECONDS = 300;
const DAY_SECONDS = 86_400;

/**
 * A session that was used last at this time or before has ended, for its last use is too long ago; -1 where none ends so. Both in Unix
 * seconds. The last use is known to within five minutes.
 */
export const idleSince = ({ SessionIdleDays }: Pick<OptionValues, "SessionIdleDays">, now: number): number =>
  SessionIdleDays === 0 ? -1 : now - SessionIdleDays * DAY_SECONDS;

type Queries = Kysely<Schema> | Transaction<Schema>;

export interface SessionRow {
  id: string;
  userId: number;
  createdTime: number;
  confirmedTime: number;
  /** `password`, `passkey`, or a provider's name. */
  way: string;
  /** Of the account, whichever way this session was begun. */
  isPasswordTemporary: boolean;
  /** Balance of the account, in quota, and its setting as stored. */
  quota: number;
  setting: string;
  /** Whom it sees the console as, and until when (Unix seconds); undefined for itself. */
  seeing: { userId: number; until: number } | undefined;
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

/**
 * Ends sessions of a user so that with one more there are at most `most`: those that are over anyway, then the least recently used. For the
 * transaction that begins the new one and has raised the version `sessions`: of two sign-ins at once each sees what the other made.
 * @param since what `idleSince` gives for `now`.
 * @returns how many that could still have been used.
 */
export async function makeRoom(
  transaction: Transaction<Schema>,
  { userId, most, now, since }: { userId: number; most: number; now: number; since: number },
): Promise<number> {
  const own = transaction.deleteFrom("sessions").where("user_id", "=", userId);
  await own.where((row) => row.or([row("expires_time", "<=", now), row("seen_time", "<=", since)])).execute();
  const first = await transaction
    .selectFrom("sessions")
    .select(["id", "seen_time", "created_time"])
    .where("user_id", "=", userId)
    .orderBy("seen_time", "desc")
    .orderBy("created_time", "desc")
    .orderBy("id", "desc")
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return 0;
  const { seen_time, created_time, id } = first;
  const ended = own.where((row) =>
    row.or([
      row("seen_time", "<", seen_time),
      row("seen_time", "=", seen_time).and("created_time", "<", created_time),
      row("seen_time", "=", seen_time).and("created_time", "=", created_time).and("id", "<=", id),
    ]),
  );
  return affectedRows(await ended.executeTakeFirstOrThrow());
}

/**
 * The session of a cookie value that has not expired, its last-seen time updated every five minutes. `now` in Unix seconds, `since` from
 * `idleSince`.
 */
export async function findSession(
  queries: Queries,
  secrets: Secrets,
  cookie: string,
  { now, since }: { now: number; since: number },
): Promise<SessionRow | undefined> {
  const row = await queries
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["sessions.id", "user_id", "sessions.created_time", "confirmed_time", "seen_time", "way"])
    .select(["is_password_temporary", "quota", "setting", "seen_user_id", "seen_until"])
    .where("sessions.id", "=", secrets.hash("session", cookie))
    .where("expires_time", ">", now)
    .where("seen_time", ">", since)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.seen_time < now - SEEN_STEP_SECONDS) await touch(queries, row.id, now);
  return {
    id: row.id,
    userId: row.user_id,
    createdTime: row.created_time,
    confirmedTime: row.confirmed_time,
    way: row.way,
    isPasswordTemporary: row.is_password_temporary === 1,
    quota: row.quota,
    setting: row.setting,
    seeing: row.seen_user_id === 0 ? undefined : { userId: row.seen_user_id, until: row.seen_until },
  };
}

async function touch(queries: Queries, id: string, now: number): Promise<void> {
  await queries.updateTable("sessions").set({ seen_time: now }).where("id", "=", id).execute();
}

/** Ends one session. */
export async function endSession(queries: Queries, id: string): Promise<void> {
  await queries.deleteFrom("sessions").where("id", "=", id).execute();
}

/**
 * Ends everything that stands for a user's sign-ins: sessions (`keptSession` apart, the one that asks), access tokens, and what was begun
 * and not finished, such as a login that waits for its second step. For a ban, a change of role or password, a deletion.
 * @returns how many sessions ended.
 * @throws AppError not_logged_in if `keptSession` has ended meanwhile: the caller is no longer authorized then.
 */
export async function endSignIns(
  transaction: Transaction<Schema>,
  userId: number,
  keptSession?: string,
): Promise<number> {
  await bumpVersion(transaction, "sessions");
  if (keptSession !== undefined) await requireSession(transaction, userId, keptSession);
  await transaction
    .updateTable("users")
    .set((row) => ({ sign_in_epoch: row("sign_in_epoch", "+", 1) }))
    .where("id", "=", userId)
    .execute();
  await deleteAccessTokensOf(transaction, userId);
  const all = transaction.deleteFrom("sessions").where("user_id", "=", userId);
  const ended = keptSession === undefined ? all : all.where("id", "!=", keptSession);
  return affectedRows(await ended.executeTakeFirstOrThrow());
}

/** A write, not a read: it sees what others have committed on every engine, and the row stays until the commit. */
async function requireSession(transaction: Transaction<Schema>, userId: number, sessionId: string): Promise<void> {
  const held = transaction
    .updateTable("sessions")
    .set((row) => ({ seen_time: row.ref("seen_time") }))
    .where("id", "=", sessionId)
    .where("user_id", "=", userId);
  if (affectedRows(await held.executeTakeFirstOrThrow()) !== 1) throw new AppError("not_logged_in");
}

/**
 * Holds what would outlive a session (an access token, a passkey) to that session: from here to the commit it does not end.
 * @throws AppError not_logged_in where it has ended, session_required for an access token.
 */
export async function requireOpenSession(
  transaction: Transaction<Schema>,
  { userId, sessionId }: { userId: number; sessionId: string | undefined },
): Promise<void> {
  if (sessionId === undefined) throw new AppError("session_required");
  await bumpVersion(transaction, "sessions");
  await requireSession(transaction, userId, sessionId);
}

/**
 * Holds a sign-in to what it was proved with: from here to the commit nothing ends it.
 * @returns false where the account's sign-ins were ended since `epoch` was read, or it is disabled or gone.
 */
export async function isSignInCurrent(
  transaction: Transaction<Schema>,
  { userId, epoch }: { userId: number; epoch: number },
): Promise<boolean> {
  await bumpVersion(transaction, "sessions");
  const user = transaction.selectFrom("users").select("id").where("id", "=", userId).where("sign_in_epoch", "=", epoch);
  const living = user.where("status", "=", USER_STATUS.enabled).where("deleted_at", "is", null);
  return (await living.executeTakeFirst()) !== undefined;
}

/** Notes that the password was confirmed now. */
export async function confirmSession(queries: Queries, id: string, now: number): Promise<void> {
  await queries.updateTable("sessions").set({ confirmed_time: now }).where("id", "=", id).execute();
}
