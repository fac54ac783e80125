/** Rows of share links that more than one feature touches: their end with an account. */
import type { Queries } from "../db/portable.ts";

/** Removes every share link of an account; call it in the transaction that ends the account. */
export async function deleteChatSharesOf(queries: Queries, userId: number): Promise<void> {
  await queries.deleteFrom("chat_shares").where("user_id", "=", userId).execute();
}
