/** HTTP handlers of the delivery log: pages of the outbox without message values, and retries of failed messages. */
import type { Selectable } from "kysely";
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  MESSAGE_STATUSES,
  type MessagePage,
  type MessageRow,
  type MessageStatus,
} from "../../../../contract/src/features/notifications.ts";
import { DELIVERY_FAILURES } from "../../../../contract/src/notifications.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { isExpired } from "../../notify/sender.ts";
import { nowSeconds } from "../../util/clock.ts";
import { type ConsoleContext, defineHandlers } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";

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

type StoredMessage = Pick<
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

function findMessages(
  database: Database,
  status: MessageStatus | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<StoredMessage[]> {
  return messages(database, status).select(COLUMNS).orderBy("outbox.id", "desc").limit(limit).offset(offset).execute();
}

async function countMessages({ kysely }: Database, status: MessageStatus | undefined): Promise<number> {
  const all = kysely.selectFrom("outbox").select(({ fn }) => fn.countAll().as("count"));
  const row = await (status === undefined ? all : all.where("status", "=", status)).executeTakeFirstOrThrow();
  return Number(row.count);
}

const findMessage = (database: Database, id: number): Promise<StoredMessage | undefined> =>
  messages(database, undefined).select(COLUMNS).where("outbox.id", "=", id).executeTakeFirst();

/** Makes it due now; false where it was sent meanwhile, or is being sent. */
async function makeDue({ kysely }: Database, { id, attempts }: StoredMessage, now: number): Promise<boolean> {
  const update = kysely
    .updateTable("outbox")
    .set({ status: "waiting", next_time: now })
    .where("id", "=", id)
    .where("status", "in", ["waiting", "failed"])
    .where("attempts", "=", attempts);
  return affectedRows(await update.executeTakeFirstOrThrow()) === 1;
}

const storedFailure = z.object({ code: z.enum(DELIVERY_FAILURES).catch("internal"), detail: z.string().catch("") });

const failureOf = ({ failure }: StoredMessage): Pick<MessageRow, "failure" | "failure_detail"> => {
  if (failure === "") return { failure: "", failure_detail: "" };
  const { code, detail } = storedFailure.parse(JSON.parse(failure));
  return { failure: code, failure_detail: detail };
};

/** Messages of older versions have the whole address of a webhook, whose path may hold a key. */
const shownRecipient = ({ method, recipient }: StoredMessage): string =>
  method === "webhook" ? (URL.parse(recipient)?.host ?? recipient) : recipient;

/** @param now Unix seconds */
function rowOf(message: StoredMessage, now: number): MessageRow {
  const { id, event, status, method, user_id, username, attempts, created_time, next_time, sent_time } = message;
  const about = { id, event, status, method, user_id, attempts, created_time, sent_time };
  return {
    ...about,
    username: username ?? "",
    recipient: shownRecipient(message),
    next_time: status === "waiting" ? next_time : 0,
    ...failureOf(message),
    can_retry: status !== "sent" && attempts > 0 && !isExpired(message, now),
  };
}

/** A page of messages, the newest first; an unknown status counts as none. */
async function listMessages(
  context: Pick<ConsoleContext, "database" | "clock">,
  { p, page_size, status: wanted }: { p: number; page_size: number; status?: string | undefined },
): Promise<MessagePage> {
  const status = MESSAGE_STATUSES.find((each) => each === wanted);
  const paging = { offset: (p - 1) * page_size, limit: page_size };
  const [total, messages] = [
    await countMessages(context.database, status),
    await findMessages(context.database, status, paging),
  ];
  const now = nowSeconds(context.clock);
  return { items: messages.map((message) => rowOf(message, now)), total, page: p, page_size };
}

/** Makes a message due now. Throws AppError not_found, message_not_retriable where it arrived, is under way, or its code is over. */
async function retryMessage(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const message = await findMessage(context.database, id);
  if (message === undefined) throw new AppError("not_found", { message: "There is no such message" });
  const now = nowSeconds(context.clock);
  if (!rowOf(message, now).can_retry || !(await makeDue(context.database, message, now)))
    throw new AppError("message_not_retriable");
  const event = { code: "message_retried", values: { id } } as const;
  await audit(context, actor, event);
}

export const notificationsHandlers = defineHandlers("notifications", {
  listMessages: async ({ context, query }) => ({ data: await listMessages(context, query) }),
  async retryMessage({ context, session, request, params }) {
    await retryMessage(context, { session, request }, params.id);
    return {};
  },
});
