/** Access tokens of the own account: created after a confirmation, listed without their values, revoked. */
import { randomBytes } from "node:crypto";
import type { Insertable } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import { ACCESS_TOKEN_LIMIT } from "../../../../contract/src/features/personal.ts";
import type { AccessTokenRow, AccessTokenScope } from "../../../../contract/src/features/personal.ts";
import { insertReturningId } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { accessTokensOf, deleteAccessToken, deleteAccessTokensOf } from "../access-token-store.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { requireOpenSession } from "../session-store.ts";

type Context = Pick<ConsoleContext, "database" | "secrets" | "clock">;

const VALUE_BYTES = 32;

/** Under this name the call of older clients keeps its one token. */
const OLDER_CLIENTS_NAME = "API";

interface NewAccessToken {
  name: string;
  scope: AccessTokenScope;
  /** Unix seconds; 0 never. */
  expires_time: number;
}

/** The tokens of the account, the latest made first. */
export const listAccessTokens = ({ database }: Context, { user }: Session): Promise<AccessTokenRow[]> =>
  accessTokensOf(database.kysely, user.id);

/**
 * Makes one: 43 characters that are shown this once, of which the hash is kept. It does not come to be where the session that asks ends
 * meanwhile, and the owner gets a mail.
 * @param replaces ends those of the same name.
 * @throws AppError access_token_limit, invalid_field for an end that is over, not_logged_in, session_required.
 */
export async function makeAccessToken(
  context: Context,
  { user, sessionId }: Session,
  sent: NewAccessToken & { replaces?: boolean },
  { ip }: RequestFacts,
): Promise<AccessTokenRow & { value: string }> {
  const { name, scope, expires_time, replaces = false } = sent;
  const { database, secrets } = context;
  const now = nowSeconds(context.clock);
  if (expires_time !== 0 && expires_time <= now)
    throw new AppError("invalid_field", { message: "Please choose an end in the future", field: "expires_time" });
  const value = randomBytes(VALUE_BYTES).toString("base64url");
  const row = { name, scope, created_time: now, used_time: 0, expires_time };
  const token_hash = secrets.hash("access_token", value);
  const stored: Insertable<Schema["personal_access_tokens"]> = { ...row, user_id: user.id, token_hash };
  const id = await database.kysely.transaction().execute(async (transaction) => {
    // In one line with what ends sessions, and with others who make one: none is the twenty-first.
    await requireOpenSession(transaction, { userId: user.id, sessionId });
    if (replaces) await deleteAccessTokensOf(transaction, user.id, name);
    if ((await accessTokensOf(transaction, user.id)).length >= ACCESS_TOKEN_LIMIT)
      throw new AppError("access_token_limit");
    const notification = { code: "access_token_made", values: { name, scope, ip } } as const;
    await notifyUser({ ...context, database }, transaction, { userId: user.id, notification });
    return insertReturningId(database, transaction, "personal_access_tokens", stored);
  });
  return { id, ...row, value };
}

/** The one token that clients know which make it by a call without words. @returns its value. @throws as `makeAccessToken`. */
export async function replaceAccessToken(context: Context, session: Session, request: RequestFacts): Promise<string> {
  const asked = { name: OLDER_CLIENTS_NAME, scope: "admin", expires_time: 0, replaces: true } as const;
  return (await makeAccessToken(context, session, asked, request)).value;
}

/** Ends one; from the next call on it is refused by every process. @throws AppError not_found where it is not theirs. */
export async function endAccessToken({ database }: Context, { user }: Session, id: number): Promise<void> {
  if (!(await deleteAccessToken(database.kysely, user.id, id))) throw new AppError("not_found");
}
