/** The account's own e-mail address: proven by a code that was sent there. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { Queries } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { takeEmailCode } from "../accounts/email-codes.ts";
import type { Guesser } from "../accounts/guesses.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { writeEmail } from "./store.ts";

/**
 * Makes the address the account's own and tells the one it had before.
 * @throws AppError email_invalid, email_code_missing, code_invalid, email_taken, too_many_requests
 */
export async function bindEmail(
  context: ConsoleContext,
  { session, ip, claim }: { session: Pick<Session, "user" | "sessionId"> } & Guesser,
  { email, code }: { email: string; code: string },
): Promise<void> {
  const { id: userId } = session.user;
  const address = await takeEmailCode(context, { email, code, ip, claim });
  const notification = { code: "identity_added", values: { provider: "email", ip } } as const;
  const tell = (queries: Queries) => notifyUser(context, queries, { userId, notification });
  const { sessionId } = session;
  if (!(await writeEmail(context.database, { userId, sessionId }, address, tell)))
    throw new AppError("email_taken", { field: "email" });
  await context.snapshot.refresh();
}
