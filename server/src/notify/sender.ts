/** Sends the messages of the outbox: each is claimed before it is sent, retried for a day with growing delays, and then given up. */
import type { Logger } from "pino";
import { z } from "zod";
import type { NotificationWay } from "../../../contract/src/notification-ways.ts";
import { LANGUAGES, NOTIFICATIONS } from "../../../contract/src/notifications.ts";
import type { NotificationCode } from "../../../contract/src/notifications.ts";
import { affectedRows, retryDeadlocks } from "../db/portable.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import { deliver } from "./deliver.ts";
import type { Delivery, DeliveryContext } from "./deliver.ts";
import { DeliveryFault } from "./delivery-fault.ts";
import { valuesContext } from "./outbox.ts";

export interface SenderContext extends DeliveryContext {
  logger: Logger;
  /** Unix milliseconds. */
  clock: Clock;
}

/** Delays after the first four failures; every later one is as long as the last. */
const PAUSES_SECONDS = [30, 120, 600, 3600] as const;
const HOUR_SECONDS = 3600;
const GIVE_UP_SECONDS = 86_400;
/** Codes and links expire (accounts/one-time-codes.ts). */
const CODE_SECONDS = 600;
const WITH_CODE: ReadonlySet<string> = new Set<NotificationCode>(["email_code", "password_reset"]);
/** Longer than any attempt takes; the message of a process that died in one is sent again after this. */
const CLAIM_SECONDS = 120;
const BATCH = 64;
const SENT_AT_ONCE = 8;

const storedValues = z.record(z.string(), z.union([z.string(), z.number()]));
const storedLanguage = z.enum(LANGUAGES).catch("en");
const isCode = (text: string): text is NotificationCode => Object.hasOwn(NOTIFICATIONS, text);

/** Whether the code or link in a message has expired. @param now Unix seconds */
export const isExpired = ({ event, created_time }: Pick<Waiting, "event" | "created_time">, now: number): boolean =>
  WITH_CODE.has(event) && now >= created_time + CODE_SECONDS;

interface Waiting {
  id: number;
  event: string;
  user_id: number;
  method: NotificationWay;
  recipient: string;
  language: string;
  values_cipher: string;
  attempts: number;
  created_time: number;
}

function due(context: SenderContext) {
  return context.database.kysely
    .selectFrom("outbox")
    .where("status", "=", "waiting")
    .where("next_time", "<=", nowSeconds(context.clock))
    .orderBy("next_time");
}

/** Whether a message is due: one index look-up. */
export async function hasDueMessages(context: SenderContext): Promise<boolean> {
  return (await due(context).select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Claims the message for one attempt of this process; false if another process has it. */
async function claim(context: SenderContext, { id, attempts }: Waiting): Promise<boolean> {
  const now = nowSeconds(context.clock);
  const update = context.database.kysely
    .updateTable("outbox")
    .set({ attempts: attempts + 1, next_time: now + CLAIM_SECONDS })
    .where("id", "=", id)
    .where("status", "=", "waiting")
    .where("attempts", "=", attempts)
    .where("next_time", "<=", now);
  return affectedRows(await retryDeadlocks(() => update.executeTakeFirstOrThrow())) === 1;
}

/** Repeats a write that lost a deadlock: a message that was sent but not marked would be sent twice. */
async function write(context: SenderContext, id: number, change: object): Promise<void> {
  const update = context.database.kysely.updateTable("outbox").set(change).where("id", "=", id);
  await retryDeadlocks(() => update.execute());
}

function deliveryOf({ secrets }: SenderContext, row: Waiting): Delivery {
  const { event: code, user_id: userId, method, recipient } = row;
  if (!isCode(code)) throw new DeliveryFault("unreadable", code, { isFinal: true });
  try {
    const values = storedValues.parse(JSON.parse(secrets.decrypt(row.values_cipher, valuesContext(code, userId))));
    const language = storedLanguage.parse(row.language);
    return { code, userId, method, recipient, language, values, time: row.created_time };
  } catch (error) {
    throw new DeliveryFault("unreadable", "", { isFinal: true, cause: error });
  }
}

async function fail(context: SenderContext, row: Waiting, error: unknown): Promise<void> {
  const fault = error instanceof DeliveryFault ? error : new DeliveryFault("internal", "", { cause: error });
  if (!(error instanceof DeliveryFault))
    context.logger.error({ err: error, message: row.id }, "a message was not sent");
  const now = nowSeconds(context.clock);
  const isLast = fault.isFinal || now >= row.created_time + GIVE_UP_SECONDS;
  await write(context, row.id, {
    failure: JSON.stringify({ code: fault.kind, detail: fault.detail }),
    ...(fault.kind === "expired" ? { values_cipher: "" } : {}),
    ...(isLast ? { status: "failed" } : { next_time: now + (PAUSES_SECONDS[row.attempts] ?? HOUR_SECONDS) }),
  });
}

async function attempt(context: SenderContext, row: Waiting): Promise<void> {
  if (!(await claim(context, row))) return;
  try {
    if (isExpired(row, nowSeconds(context.clock))) throw new DeliveryFault("expired", "", { isFinal: true });
    await deliver(context, deliveryOf(context, row));
  } catch (error) {
    return fail(context, row, error);
  }
  // Codes and links are stored no longer than necessary.
  await write(context, row.id, {
    status: "sent",
    sent_time: nowSeconds(context.clock),
    failure: "",
    values_cipher: "",
  });
}

/** Sends all due messages, eight at once. If the process dies, its messages are retried after two minutes. */
export async function sendDueMessages(context: SenderContext): Promise<void> {
  for (;;) {
    const rows = await due(context)
      .select([
        "id",
        "event",
        "user_id",
        "method",
        "recipient",
        "language",
        "values_cipher",
        "attempts",
        "created_time",
      ])
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return;
    const queue = [...rows];
    const work = async () => {
      for (let row = queue.shift(); row !== undefined; row = queue.shift()) await attempt(context, row);
    };
    await Promise.all(Array.from({ length: SENT_AT_ONCE }, work));
  }
}
