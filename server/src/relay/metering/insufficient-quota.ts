/** Why no more quota could be held for an answer under way: the balance, or the ledger itself. */
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { withTimeout } from "../call/with-timeout.ts";

/** A database that takes longer than this to say a balance is away. */
const LEDGER_WAIT_MS = 1_000;

/** The reason as the ledger knows it at once. */
export const shortageOf = ({ billing }: RelayContext): RelayError =>
  new RelayError(billing.isHealthy ? "quota_reached" : "books_unavailable");

/** The same for a ledger in a database, which was asked and may not have answered: whether it is there is asked once more. */
export async function awaitedShortageOf(context: RelayContext, userId: number): Promise<RelayError> {
  let isThere = false;
  const asked = context.billing.available(userId).then(() => (isThere = true));
  await withTimeout(asked, LEDGER_WAIT_MS);
  return isThere ? shortageOf(context) : new RelayError("books_unavailable");
}
