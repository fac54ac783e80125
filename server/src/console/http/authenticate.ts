/** Authenticates console requests by session cookie or access token, in the order of reference section 2.3; role and status come from the snapshot. */
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { isAdmin, type RequiredAction } from "../../../../contract/src/roles.ts";
import type { SnapshotUser } from "../../snapshot/snapshot.ts";
import type { ConsoleContext, Session } from "./handlers.ts";
import type { AccessTokenScope } from "../../../../contract/src/features/personal.ts";
import { nowSeconds } from "../../util/clock.ts";
import { findAccessToken } from "../access-token-store.ts";
import { warningThreshold } from "../../notify/quota-warning.ts";
import { requiredActionOf } from "../required-action.ts";
import { findSession, idleSince, type SessionRow } from "../session-store.ts";

export const SESSION_COOKIE = "turnpike_session";
/** Ties a state of another site's sign-in page to the browser that asked for it. */
export const FLOW_COOKIE = "turnpike_flow";

/** Over https the browser takes a cookie of this name from this very host alone: no sibling of it can plant one. */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** Fact: Unix seconds since which sessions over https have the name with the prefix. */
export const PREFIX_FACT = "cookie_prefix_since";

export interface SessionCookie {
  /** Value of the cookie; "" where there is none. */
  cookie: string;
  /** True over https for the name of earlier versions: such a session must have begun before the prefix. */
  isUnprefixed: boolean;
}

/** `read` gives a cookie's value by its name. */
export function readSessionCookie(read: (name: string) => string | undefined, isSecure: boolean): SessionCookie {
  const cookie = read(cookieName(SESSION_COOKIE, isSecure)) ?? "";
  if (!isSecure || cookie !== "") return { cookie, isUnprefixed: false };
  return { cookie: read(SESSION_COOKIE) ?? "", isUnprefixed: true };
}

export interface Credentials extends SessionCookie {
  /** The Authorization header. */
  authorization: string | undefined;
  /** New-Api-User, or Turnpike-User, which means the same. */
  userHeader: string | undefined;
}

/** Whom a cookie or an access token belongs to; whether they may do what they ask for is not decided yet. */
export interface Identity {
  user: SnapshotUser;
  sessionId: string | undefined;
  /** Of the access token; undefined for a session. */
  scope: AccessTokenScope | undefined;
  confirmedTime: number;
  /** The required action. */
  requiredAction: RequiredAction | undefined;
  lowBalance?: Session["lowBalance"];
  /** Of a session: whom it sees the console as, and until when; seeing.ts says what that opens. */
  seeing?: SessionRow["seeing"];
  /** An administrator sees what this person sees. */
  isSeen?: true;
}

/** The sources by which a caller is authenticated. */
export type IdentityContext = Pick<ConsoleContext, "database" | "snapshot" | "secrets" | "clock" | "site">;

/** The user of the cookie or, if that is invalid, of the access token; undefined for an anonymous caller. */
export const identify = async (context: IdentityContext, credentials: Credentials): Promise<Identity | undefined> =>
  (await byCookie(context, credentials)) ?? (await byAccessToken(context, credentials));

/**
 * The session of a call to a protected endpoint (its role is checked afterwards). An access token names its owner by itself: the user header may
 * be absent then, and is refused if it names another user.
 * Throws AppError not_logged_in, access_token_invalid, user_header_missing or user_banned.
 */
export function authenticate(identity: Identity | undefined, credentials: Credentials): Session {
  if (identity === undefined) throw new AppError(accessToken(credentials) ? "access_token_invalid" : "not_logged_in");
  const header = credentials.userHeader?.trim() ?? "";
  const isNamedByToken = identity.sessionId === undefined && header === "";
  const isNamedByHeader = /^\d+$/.test(header) && Number(header) === identity.user.id;
  if (!isNamedByToken && !isNamedByHeader) throw new AppError("user_header_missing");
  if (identity.user.status !== USER_STATUS.enabled) throw new AppError("user_banned");
  return { ...identity, role: identity.user.role };
}

/** The session of a call to an endpoint that needs none: a guest where anything is amiss, and no user header is asked for. */
export function authenticateIfPossible(identity: Identity | undefined): Session | undefined {
  if (identity === undefined || (identity.sessionId === undefined && identity.isSeen !== true)) return undefined;
  if (identity.user.status !== USER_STATUS.enabled) return undefined;
  return { ...identity, role: identity.user.role };
}

function livingUser(context: IdentityContext, id: number): SnapshotUser | undefined {
  const user = context.snapshot.userById(id);
  return user === undefined || user.isDeleted ? undefined : user;
}

const requiredActionIn = (
  { database, snapshot }: IdentityContext,
  { id, role }: SnapshotUser,
  { way, isPasswordTemporary }: { way: string | undefined; isPasswordTemporary: boolean },
): Promise<RequiredAction | undefined> =>
  requiredActionOf(database.kysely, snapshot.options, {
    userId: id,
    role,
    way,
    isPasswordTemporary,
  });

async function byCookie(
  context: IdentityContext,
  { cookie, isUnprefixed }: SessionCookie,
): Promise<Identity | undefined> {
  if (cookie === "") return undefined;
  const now = nowSeconds(context.clock);
  const times = { now, since: idleSince(context.snapshot.options, now) };
  const row = await findSession(context.database.kysely, context.secrets, cookie, times);
  const user = row === undefined ? undefined : livingUser(context, row.userId);
  if (row === undefined || user === undefined) return undefined;
  if (isUnprefixed && row.createdTime >= context.site.cookiePrefixSince) return undefined;
  const { id: sessionId, confirmedTime } = row;
  return {
    user,
    sessionId,
    scope: undefined,
    confirmedTime,
    requiredAction: await requiredActionIn(context, user, row),
    lowBalance: lowBalanceOf(context, user, row),
    seeing: row.seeing,
  };
}

/** Administrators credit themselves, so that no bar has to warn them. It was read with the session: the warning costs no query. */
function lowBalanceOf(
  { snapshot }: IdentityContext,
  { role }: SnapshotUser,
  { quota, setting }: SessionRow,
): Session["lowBalance"] {
  if (isAdmin(role)) return undefined;
  return quota < warningThreshold(setting, snapshot.options) ? quota : "none";
}

const accessToken = ({ authorization }: Pick<Credentials, "authorization">): string =>
  authorization?.replace(/^Bearer /i, "").trim() ?? "";

/** Schemes whose credentials a browser keeps and sends by itself, as it does cookies (developer.mozilla.org, "HTTP authentication"). */
const KEPT_BY_BROWSERS = /^(?:basic|digest|negotiate|ntlm|mutual)\b/i;

/**
 * Whether the caller is known by an Authorization header alone. No page of another site can make a browser send one without being allowed to by a
 * preflight, so such a call comes from a program or an extension that holds the token.
 */
export const isByTokenAlone = ({ cookie, authorization }: Pick<Credentials, "cookie" | "authorization">): boolean =>
  cookie === "" && accessToken({ authorization }) !== "" && !KEPT_BY_BROWSERS.test(authorization ?? "");

async function byAccessToken(context: IdentityContext, credentials: Credentials): Promise<Identity | undefined> {
  const token = accessToken(credentials);
  if (token === "") return undefined;
  const now = nowSeconds(context.clock);
  const row = await findAccessToken(context.database.kysely, context.secrets, token, now);
  const user = row === undefined ? undefined : livingUser(context, row.userId);
  if (row === undefined || user === undefined) return undefined;
  const requiredAction = await requiredActionIn(context, user, { way: undefined, isPasswordTemporary: false });
  return { user, sessionId: undefined, scope: row.scope, confirmedTime: 0, requiredAction };
}
