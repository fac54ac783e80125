/** The pending messages of the outbox, read as the sender reads them: their values in clear text. */
import { valuesContext } from "../../../server/src/notify/outbox.ts";
import type { Foundation } from "../../../server/src/composition/foundation.ts";

export interface WaitingMessage {
  event: string;
  userId: number;
  address: string;
  language: string;
  values: Record<string, string | number>;
}

/** The messages to one address, the oldest first. */
export async function messagesTo(
  { database, secrets }: Pick<Foundation, "database" | "secrets">,
  address: string,
): Promise<WaitingMessage[]> {
  const rows = await database.kysely
    .selectFrom("outbox")
    .selectAll()
    .where("recipient", "=", address)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    event: row.event,
    userId: row.user_id,
    address: row.recipient,
    language: row.language,
    values: JSON.parse(secrets.decrypt(row.values_cipher, valuesContext(row.event, row.user_id))) as Record<
      string,
      string | number
    >,
  }));
}
