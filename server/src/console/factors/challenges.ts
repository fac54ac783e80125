/** Challenges of passkeys: what a browser is asked to sign, kept behind a ticket that counts once; and the look-up hashes of keys. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { giveTicket, takeTicket } from "../accounts/one-time-codes.ts";

const payload = z.object({
  /** What the answer is for: one that was asked for another purpose, or of another account, is refused. */
  use: z.enum(["add", "login", "confirm"]),
  /** Whose; 0 at a login, where the account is not known yet. */
  userId: z.number(),
  challenge: z.string(),
});
type Challenge = z.output<typeof payload>;

type ChallengeContext = Pick<ConsoleContext, "database" | "secrets" | "clock">;

export const credentialHash = ({ secrets }: Pick<ConsoleContext, "secrets">, credentialId: string): string =>
  secrets.hash("passkey", `credential\0${credentialId}`);

/** The name under which an authenticator keeps the account: it tells nothing, and other installations have others. */
export const userHandle = ({ secrets }: Pick<ConsoleContext, "secrets">, userId: number): string =>
  secrets.hash("passkey", `user\0${userId}`);

/** Keeps a challenge. @returns its ticket. */
export const keepChallenge = (context: ChallengeContext, challenge: Challenge): Promise<string> =>
  giveTicket(context, { purpose: "passkey", payload: challenge, now: nowSeconds(context.clock) });

/** Takes a challenge; it is gone afterwards. @throws AppError passkey_refused where it is over, used, or was for something else. */
export async function takeChallenge(
  context: ChallengeContext,
  ticket: string,
  wanted: Omit<Challenge, "challenge">,
): Promise<string> {
  const kept = await takeTicket(context, { purpose: "passkey", ticket, now: nowSeconds(context.clock) }).catch(
    (error: unknown) => {
      if (error instanceof AppError) throw new AppError("passkey_refused", { cause: error });
      throw error;
    },
  );
  const { use, userId, challenge } = payload.parse(kept);
  if (use !== wanted.use || userId !== wanted.userId) throw new AppError("passkey_refused");
  return challenge;
}
