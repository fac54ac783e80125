/** What who runs the site sees of the outbox, and trying a message again. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import { MESSAGE_STATUSES } from "../../../../contract/src/features/notifications.ts";
import type { MessagePage, MessageRow } from "../../../../contract/src/features/notifications.ts";
import { DELIVERY_FAILURES } from "../../../../contract/src/notifications.ts";
import { isOver } from "../../notify/sender.ts";
import { nowSeconds } from "../../util/clock.ts";
import { type Actor, audit } from "../kit/audit.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { StoredMessage } from "./store.ts";
import { countMessages, findMessage, findMessages, makeDue } from "./store.ts";

const storedFailure = z.object({ code: z.enum(DELIVERY_FAILURES).catch("internal"), detail: z.string().catch("") });

const failureOf = ({ failure }: StoredMessage): Pick<MessageRow, "failure" | "failure_detail"> => {
  if (failure === "") return { failure: "", failure_detail: "" };
  const { code, detail } = storedFailure.parse(JSON.parse(failure));
  return { failure: code, failure_detail: detail };
};

/** The path of a webhook's address may hold a key. */
const shownRecipient = ({ method, recipient }: StoredMessage): string =>
  method === "webhook" ? (URL.parse(recipient)?.host ?? "") : recipient;

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
    can_retry: status !== "sent" && attempts > 0 && !isOver(message, now),
  };
}

/** A page of messages, the newest first; an unknown status counts as none. */
export async function listMessages(
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
export async function retryMessage(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const message = await findMessage(context.database, id);
  if (message === undefined) throw new AppError("not_found", { message: "There is no such message" });
  const now = nowSeconds(context.clock);
  if (!rowOf(message, now).can_retry || !(await makeDue(context.database, message, now)))
    throw new AppError("message_not_retriable");
  const event = { code: "message_retried", values: { id } } as const;
  await audit(context, actor, event);
}
