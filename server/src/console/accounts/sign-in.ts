/** The end of every way of signing in: an account that proved who it is gets a session of its own, and the answer that tells the browser. */
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { isAdmin } from "../../../../contract/src/roles.ts";
import { upsert } from "../../db/portable.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { createSession, endSession } from "../session-store.ts";
import { isDefaultPassword, loginAnswer } from "./login-answer.ts";
import type { SignedInAccount } from "./login-answer.ts";
import { clientNetwork } from "./network.ts";
import { askForSecondStep, secondStepMethods } from "./second-step.ts";

export interface SigningIn {
  account: SignedInAccount;
  /** `password`, `passkey`, or a provider's name. */
  way: string;
  /** What was typed, where it was a password. */
  password?: string;
}

/** Name of the fact that an administrator came in this way here: it works, so the password may be turned off. */
export const workingWayFact = (way: string): string => `admin_sign_in:${way}`;

/**
 * Begins a session, or asks for the second step where the account has one; a passkey proves both at once.
 * @returns a login's answer: with the cookie, or with the ticket of the second step.
 * @throws AppError login_failed for an account that is not enabled.
 */
export async function signIn(context: ConsoleContext, { account, way, password }: SigningIn, request: RequestFacts) {
  if (account.status !== USER_STATUS.enabled) throw new AppError("login_failed");
  const hasDefaultPassword = isDefaultPassword(account.username, password);
  const methods = way === "passkey" ? [] : await secondStepMethods(context.database.kysely, account.id);
  if (methods.length === 0) return beginSession(context, { account, way, hasDefaultPassword }, request);
  const now = Math.floor(context.clock() / 1000);
  return askForSecondStep(context, { userId: account.id, way, hasDefaultPassword }, methods, now);
}

/**
 * Begins a session of somebody who proved everything. The one that the browser had before ends, so that nobody is signed in over a
 * session that somebody else planted.
 */
export async function beginSession(
  context: ConsoleContext,
  { account, way, hasDefaultPassword }: { account: SignedInAccount; way: string; hasDefaultPassword: boolean },
  request: RequestFacts,
) {
  const { database, secrets } = context;
  const now = Math.floor(context.clock() / 1000);
  await endCookie(context, request.sessionCookie);
  const { ip, userAgent } = request;
  const cookie = await createSession(database.kysely, secrets, { userId: account.id, ip, userAgent, way }, now);
  await noteNetwork(context, account.id, ip, now);
  if (isAdmin(account.role)) {
    const value = String(now);
    await upsert(database, database.kysely, "facts", { name: workingWayFact(way), value }, ["name"], { value });
  }
  return loginAnswer({ account, cookie, hasDefaultPassword }, request);
}

/** Ends the session of a cookie's value on the server. */
export async function endCookie(context: ConsoleContext, cookie: string): Promise<void> {
  if (cookie !== "") await endSession(context.database.kysely, context.secrets.hash("session", cookie));
}

/** From this network a right password is taken though others are guessing. */
async function noteNetwork({ database }: ConsoleContext, userId: number, ip: string, now: number): Promise<void> {
  const network = clientNetwork(ip);
  if (network === "") return;
  const row = { user_id: userId, network, seen_time: now };
  await upsert(database, database.kysely, "known_networks", row, ["user_id", "network"], { seen_time: now });
}
