/** Who calls: session cookie or access token, in the order of reference section 2.3; role and status always from the snapshot. */
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { SnapshotUser } from "../../snapshot/snapshot.ts";
import type { ConsoleContext, Session } from "./handlers.ts";
import { findSession } from "../session-store.ts";

export const SESSION_COOKIE = "turnpike_session";
/** Ties a state of another site's sign-in page to the browser that asked for it. */
export const FLOW_COOKIE = "turnpike_flow";

export interface Credentials {
  /** Value of the session cookie; "" where there is none. */
  cookie: string;
  /** The Authorization header. */
  authorization: string | undefined;
  /** New-Api-User, or Turnpike-User, which means the same. */
  userHeader: string | undefined;
}

/** Whom a cookie or an access token belongs to; whether they may do what they ask for is not decided yet. */
export interface Identity {
  user: SnapshotUser;
  sessionId: string | undefined;
  confirmedTime: number;
}

/** Who holds the cookie or, where that is of nobody, the access token; undefined for a stranger. */
export const identify = async (context: ConsoleContext, credentials: Credentials): Promise<Identity | undefined> =>
  (await byCookie(context, credentials.cookie)) ?? (await byAccessToken(context, credentials));

/**
 * The session of a call to a protected endpoint (its role is checked afterwards).
 * Throws AppError not_logged_in, access_token_invalid, user_header_missing or user_banned.
 */
export function authenticate(identity: Identity | undefined, credentials: Credentials): Session {
  if (identity === undefined) throw new AppError(accessToken(credentials) ? "access_token_invalid" : "not_logged_in");
  const header = credentials.userHeader?.trim();
  if (header === undefined || !/^\d+$/.test(header)) throw new AppError("user_header_missing");
  if (Number(header) !== identity.user.id) throw new AppError("user_header_missing");
  if (identity.user.status !== USER_STATUS.enabled) throw new AppError("user_banned");
  return { ...identity, role: identity.user.role };
}

/** The session of a call to an endpoint that needs none: a guest where anything is amiss, and no user header is asked for. */
export function authenticateIfPossible(identity: Identity | undefined): Session | undefined {
  if (identity?.sessionId === undefined || identity.user.status !== USER_STATUS.enabled) return undefined;
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

const accessToken = ({ authorization }: Credentials): string => authorization?.replace(/^Bearer /i, "").trim() ?? "";

async function byAccessToken(context: ConsoleContext, credentials: Credentials): Promise<Identity | undefined> {
  const token = accessToken(credentials);
  if (token === "") return undefined;
  const row = await context.database.kysely
    .selectFrom("users")
    .select("id")
    .where("access_token_hash", "=", context.secrets.hash("access_token", token))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const user = row === undefined ? undefined : livingUser(context, row.id);
  return user === undefined ? undefined : { user, sessionId: undefined, confirmedTime: 0 };
}
