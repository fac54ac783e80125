/** Queries of the outbox for who runs the site: never the values of a message. */
import type { Selectable } from "kysely";
import type { MessageStatus } from "../../../../contract/src/features/notifications.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";

const COLUMNS = [
  "outbox.id",
  "outbox.event",
  "outbox.status",
  "outbox.method",
  "outbox.recipient",
  "outbox.user_id",
  "outbox.attempts",
  "outbox.created_time",
  "outbox.next_time",
  "outbox.sent_time",
  "outbox.failure",
  "users.username",
] as const;

export type StoredMessage = Pick<
  Selectable<Schema["outbox"]>,
  | "id"
  | "event"
  | "status"
  | "method"
  | "recipient"
  | "user_id"
  | "attempts"
  | "created_time"
  | "next_time"
  | "sent_time"
  | "failure"
> & { username: string | null };

const messages = ({ kysely }: Database, status: MessageStatus | undefined) => {
  const all = kysely.selectFrom("outbox").leftJoin("users", "users.id", "outbox.user_id");
  return status === undefined ? all : all.where("outbox.status", "=", status);
};

export function findMessages(
  database: Database,
  status: MessageStatus | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<StoredMessage[]> {
  return messages(database, status).select(COLUMNS).orderBy("outbox.id", "desc").limit(limit).offset(offset).execute();
}

export async function countMessages({ kysely }: Database, status: MessageStatus | undefined): Promise<number> {
  const all = kysely.selectFrom("outbox").select(({ fn }) => fn.countAll().as("count"));
  const row = await (status === undefined ? all : all.where("status", "=", status)).executeTakeFirstOrThrow();
  return Number(row.count);
}

export const findMessage = (database: Database, id: number): Promise<StoredMessage | undefined> =>
  messages(database, undefined).select(COLUMNS).where("outbox.id", "=", id).executeTakeFirst();

/** Makes it due now; false where it was sent meanwhile, or is being sent. */
export async function makeDue({ kysely }: Database, { id, attempts }: StoredMessage, now: number): Promise<boolean> {
  const update = kysely
    .updateTable("outbox")
    .set({ status: "waiting", next_time: now })
    .where("id", "=", id)
    .where("status", "in", ["waiting", "failed"])
    .where("attempts", "=", attempts);
  return affectedRows(await update.executeTakeFirstOrThrow()) === 1;
}
