/** The second step of a login, and login with a passkey, which is both steps in one. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { PasskeyProof } from "../../../../contract/src/features/sessions.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { SignedInAccount } from "../accounts/login-answer.ts";
import { guard } from "../accounts/guesses.ts";
import { countGuess, endTicket, readTicket } from "../accounts/one-time-codes.ts";
import { secondStepPayload } from "../accounts/second-step.ts";
import { beginSession, signIn } from "../accounts/sign-in.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { checkPasskey } from "./passkeys.ts";
import { countRecoveryCodes } from "./recovery-codes.ts";
import { isTotpCode, takeSecondFactor } from "./service.ts";
import { undeletedAccount } from "./store.ts";

/** The login has to begin again. */
const over = (cause?: unknown): AppError => new AppError("second_step_over", cause === undefined ? {} : { cause });

/** What `act` on a login's ticket gives. @throws AppError second_step_over where the ticket is used, over or guessed at. */
const onTicket = <Result>(act: Promise<Result>): Promise<Result> =>
  act.catch((error: unknown) => {
    throw error instanceof AppError && error.code === "code_invalid" ? over(error) : error;
  });

/** The account as it is now: it may have been disabled or deregistered since the first step. @throws AppError login_failed. */
async function accountNow({ database }: ConsoleContext, userId: number): Promise<SignedInAccount> {
  const account = await undeletedAccount(database.kysely, userId);
  if (account === undefined || account.status !== USER_STATUS.enabled) throw new AppError("login_failed");
  return account;
}

/**
 * Begins the session that a login's ticket stands for; a recovery code's answer says how many are left.
 * @throws AppError second_step_over where the ticket is used, over or guessed at, factor_code_wrong, factor_code_used,
 * too_many_requests, login_failed.
 */
export async function finishLogin(
  context: ConsoleContext,
  { ticket, code }: { ticket: string; code: string },
  request: RequestFacts,
) {
  const held = { purpose: "second_step", ticket, now: nowSeconds(context.clock) } as const;
  const parsed = secondStepPayload.safeParse(await onTicket(readTicket(context, held)));
  // A ticket of an older version says less.
  if (!parsed.success) throw over(parsed.error);
  const payload = parsed.data;
  const { userId, epoch, way, hasDefaultPassword } = payload;
  const account = await accountNow(context, userId);
  // Before a code is tried: a login that has ended does not say whether a code is right.
  if (account.sign_in_epoch !== epoch) throw over();
  const { ip, claim } = request;
  const guess = { kind: "second_step", account: String(userId), userId, ip, claim } as const;
  const isRight = await guard(context, guess, async () => {
    await onTicket(countGuess(context, held));
    return (await takeSecondFactor(context, userId, code)) || undefined;
  });
  if (isRight === undefined) throw new AppError("factor_code_wrong", { field: "code" });
  if (!(await endTicket(context, held))) throw over();
  const begun = await beginSession(context, { account, way, hasDefaultPassword }, request);
  if (isTotpCode(code)) return begun;
  const recovery_codes_left = await countRecoveryCodes(context.database.kysely, userId);
  return { ...begun, data: { ...begun.data, recovery_codes_left } };
}

/** Signs in with a passkey. @throws AppError passkey_refused, passkey_place, login_failed. */
export async function logInWithPasskey(context: ConsoleContext, proof: PasskeyProof, request: RequestFacts) {
  const userId = await checkPasskey(context, { proof, userId: 0 }, request);
  return signIn(context, { account: await accountNow(context, userId), way: "passkey" }, request);
}
