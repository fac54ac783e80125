/** Confirms the identity of a signed-in user (step-up) by a code or a passkey, for actions that a session alone may not do. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { PasskeyProof } from "../../../../contract/src/features/sessions.ts";
import { nowSeconds } from "../../util/clock.ts";
import { guard } from "../accounts/guesses.ts";
import { STEP_UP_SECONDS } from "../http/guards.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { confirmSession } from "../session-store.ts";
import { checkPasskey } from "./passkeys.ts";
import { takeTotpCode } from "./service.ts";

/** One of them. */
export interface SentFactor {
  code?: string | undefined;
  passkey?: PasskeyProof | undefined;
}

/** A signature cannot be guessed, six digits can: they count like wrong passwords. */
async function check(
  context: ConsoleContext,
  { user }: Session,
  { code = "", passkey }: SentFactor,
  request: RequestFacts,
): Promise<void> {
  if (passkey !== undefined) {
    await checkPasskey(context, { proof: passkey, userId: user.id }, request);
    return;
  }
  const { ip, claim } = request;
  const guess = { kind: "step_up", account: String(user.id), userId: user.id, ip, claim } as const;
  const isRight = await guard(context, guess, async () => (await takeTotpCode(context, user.id, code)) || undefined);
  if (isRight === undefined) throw new AppError("factor_code_wrong", { field: "code" });
}

/**
 * Confirms the session by a code of the own authenticator app or an own passkey.
 * @returns Unix seconds until which it counts.
 * @throws AppError factor_code_wrong, factor_code_used, too_many_requests, passkey_refused, or refused for an access token, which has no session to confirm.
 */
export async function confirmByFactor(
  context: ConsoleContext,
  session: Session,
  sent: SentFactor,
  request: RequestFacts,
): Promise<number> {
  if (session.sessionId === undefined) throw new AppError("refused", { message: "An access token cannot confirm" });
  await check(context, session, sent, request);
  const now = nowSeconds(context.clock);
  await confirmSession(context.database.kysely, session.sessionId, now);
  return now + STEP_UP_SECONDS;
}
