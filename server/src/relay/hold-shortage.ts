/** Why no more quota could be held for an answer under way: the balance, or the books themselves. */
import { type Exchange, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import { waitAtMost } from "./wait-at-most.ts";

/** A database that takes longer than this to say a balance is away. */
const BOOKS_WAIT_MS = 1_000;

/** The reason as the books know it at once. */
export const shortageOf = ({ context: { billing } }: Exchange): Refusal =>
  new Refusal(billing.isHealthy ? "quota_reached" : "books_unavailable");

/** The same for books in a database, which was asked and may not have answered: whether it is there is asked once more. */
export async function awaitedShortageOf(exchange: Exchange): Promise<Refusal> {
  const { billing } = exchange.context;
  let areThere = false;
  const asked = billing.available(known(exchange.token, "token").userId).then(() => (areThere = true));
  await waitAtMost(asked, BOOKS_WAIT_MS);
  return areThere ? shortageOf(exchange) : new Refusal("books_unavailable");
}
