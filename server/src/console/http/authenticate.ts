/** Who calls: session cookie or access token, in the order of reference section 2.3; role and status always from the snapshot. */
import { AppError } from "../../../contract/src/errors.ts";
import type { SnapshotUser } from "../snapshot/snapshot.ts";
import type { ConsoleContext, Session } from "./handlers.ts";
import { findSession } from "./session-store.ts";

export const SESSION_COOKIE = "turnpike_session";
const USER_STATUS_ENABLED = 1;

export interface Credentials {
  /** Value of the session cookie; "" where there is none. */
  cookie: string;
  /** The Authorization header. */
  authorization: string | undefined;
  /** New-Api-User, or Turnpike-User, which means the same. */
  userHeader: string | undefined;
}

interface Identity {
  user: SnapshotUser;
  sessionId: string | undefined;
  confirmedTime: number;
}

/**
 * The session of a call to a protected endpoint (its role is checked afterwards).
 * Throws AppError not_logged_in, access_token_invalid, user_header_missing or user_banned.
 */
export async function authenticate(context: ConsoleContext, credentials: Credentials): Promise<Session> {
  const identity = (await byCookie(context, credentials.cookie)) ?? (await byAccessToken(context, credentials));
  if (identity === undefined) throw new AppError("not_logged_in");
  const header = credentials.userHeader?.trim();
  if (header === undefined || !/^\d+$/.test(header)) throw new AppError("user_header_missing");
  if (Number(header) !== identity.user.id) throw new AppError("user_header_missing");
  if (identity.user.status !== USER_STATUS_ENABLED) throw new AppError("user_banned");
  return { ...identity, role: identity.user.role };
}

/** The session of a call to an endpoint that needs none: a guest where anything is amiss, and no user header is asked for. */
export async function authenticateIfPossible(
  context: ConsoleContext,
  credentials: Credentials,
): Promise<Session | undefined> {
  const identity = await byCookie(context, credentials.cookie);
  if (identity === undefined || identity.user.status !== USER_STATUS_ENABLED) return undefined;
  return { ...identity, role: identity.user.role };
}

function livingUser(context: ConsoleContext, id: number): SnapshotUser | undefined {
  const user = context.snapshot.userById(id);
  return user === undefined || user.isDeleted ? undefined : user;
}

async function byCookie(context: ConsoleContext, cookie: string): Promise<Identity | undefined> {
  if (cookie === "") return undefined;
  const now = Math.floor(context.clock() / 1000);
  const row = await findSession(context.database.kysely, context.secrets, cookie, now);
  const user = row === undefined ? undefined : livingUser(context, row.userId);
  if (row === undefined || user === undefined) return undefined;
  return { user, sessionId: row.id, confirmedTime: row.confirmedTime };
}

async function byAccessToken(context: ConsoleContext, credentials: Credentials): Promise<Identity | undefined> {
  const token = credentials.authorization?.replace(/^Bearer /i, "").trim() ?? "";
  if (token === "") return undefined;
  const row = await context.database.kysely
    .selectFrom("users")
    .select("id")
    .where("access_token_hash", "=", context.secrets.hash("access_token", token))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const user = row === undefined ? undefined : livingUser(context, row.id);
  if (user === undefined) throw new AppError("access_token_invalid");
  return { user, sessionId: undefined, confirmedTime: 0 };
}
