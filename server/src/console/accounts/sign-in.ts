/** The last step of every kind of sign-in: creates a session for the authenticated account and builds the response. */
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { isAdmin, isFactorDemanded } from "../../../../contract/src/roles.ts";
import type { Transaction } from "kysely";
import { upsert } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { requiredActionOf } from "../required-action.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { createSession, endSession, idleSince, isSignInCurrent, makeRoom } from "../session-store.ts";
import { isDefaultPassword, loginAnswer } from "./login-answer.ts";
import type { SignedInAccount } from "./login-answer.ts";
import { clientNetwork } from "../../observe/client-address.ts";
import { askForSecondStep, secondStepMethods } from "./second-step.ts";

export interface SigningIn {
  account: SignedInAccount;
  /** `password`, `passkey`, or a provider's name. */
  way: string;
  /** The typed password, where there was one. */
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
  if (account.status !== USER_STATUS.enabled) {
    context.recordSecurityEvent({
      kind: "sign_in_failed",
      userId: account.id,
      ip: request.ip,
      way,
      reason: "user_banned",
    });
    throw new AppError("login_failed");
  }
  const hasDefaultPassword = isDefaultPassword(account.username, password);
  const isDemanded = isFactorDemanded(context.snapshot.options.SecondFactorDemand, account.role);
  const methods = way === "passkey" ? [] : await secondStepMethods(context.database.kysely, account.id, isDemanded);
  if (methods.length === 0) return beginSession(context, { account, way, hasDefaultPassword }, request);
  const now = Math.floor(context.clock() / 1000);
  context.recordSecurityEvent({ kind: "second_step_asked", userId: account.id, ip: request.ip, way });
  const payload = { userId: account.id, epoch: account.sign_in_epoch, way, hasDefaultPassword };
  return askForSecondStep(context, payload, methods, now);
}

/**
 * Begins a session after everything was proved. The one that the browser had before ends, so that a session which an attacker planted
 * is not taken over.
 */
export async function beginSession(
  context: ConsoleContext,
  { account, way, hasDefaultPassword }: { account: SignedInAccount; way: string; hasDefaultPassword: boolean },
  request: RequestFacts,
) {
  const { database, secrets } = context;
  const { SessionsPerUser: most } = context.snapshot.options;
  const now = Math.floor(context.clock() / 1000);
  const since = idleSince(context.snapshot.options, now);
  const { ip, userAgent } = request;
  const { ended, ...begun } = await database.kysely.transaction().execute(async (transaction) => {
    const proved = { userId: account.id, epoch: account.sign_in_epoch };
    // The password may have been changed, or the account disabled, since it was proved.
    if (!(await isSignInCurrent(transaction, proved))) throw new AppError("login_failed");
    await endCookieIn(transaction, context, request.sessionCookie);
    const ended = await makeRoom(transaction, { userId: account.id, most, now, since });
    const cookie = await createSession(transaction, secrets, { userId: account.id, ip, userAgent, way }, now);
    return { cookie, ended, requiredAction: await requiredActionNow(transaction, context, account, way) };
  });
  if (ended > 0) context.recordSecurityEvent({ kind: "sessions_ended", userId: account.id, ip, reason: "too_many" });
  context.recordSecurityEvent({ kind: "signed_in", userId: account.id, ip, way });
  await noteNetwork(context, account.id, ip, now);
  if (isAdmin(account.role)) {
    const value = String(now);
    await upsert(database, database.kysely, "facts", { name: workingWayFact(way), value }, ["name"], { value });
  }
  // One that was made just now is in no snapshot yet, and is no administrator's.
  const permissions = context.snapshot.userById(account.id)?.permissions ?? null;
  return loginAnswer({ account, ...begun, permissions, hasDefaultPassword }, request);
}

async function requiredActionNow(
  transaction: Transaction<Schema>,
  { snapshot }: ConsoleContext,
  { id, role }: SignedInAccount,
  way: string,
) {
  const user = transaction.selectFrom("users").select("is_password_temporary").where("id", "=", id);
  const isPasswordTemporary = (await user.executeTakeFirstOrThrow()).is_password_temporary === 1;
  return requiredActionOf(transaction, snapshot.options, {
    userId: id,
    role,
    way,
    isPasswordTemporary,
  });
}

async function endCookieIn(queries: Queries, { secrets }: Pick<ConsoleContext, "secrets">, cookie: string) {
  if (cookie !== "") await endSession(queries, secrets.hash("session", cookie));
}

/** Ends the session of a cookie's value on the server. */
export const endCookie = (context: ConsoleContext, cookie: string): Promise<void> =>
  endCookieIn(context.database.kysely, context, cookie);

/** From this network a right password is taken though others are guessing. */
async function noteNetwork({ database }: ConsoleContext, userId: number, ip: string, now: number): Promise<void> {
  const network = clientNetwork(ip);
  if (network === "") return;
  const row = { user_id: userId, network, seen_time: now };
  await upsert(database, database.kysely, "known_networks", row, ["user_id", "network"], { seen_time: now });
}
