/** Sends what waits in the outbox: each message is claimed before it is sent, tried again for a day with growing pauses, and then given up. */
import type { Logger } from "pino";
import { z } from "zod";
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

/** Pauses after the first, second, third and fourth failure; every later one is as long as the last. */
const PAUSES_SECONDS = [30, 120, 600, 3600] as const;
const HOUR_SECONDS = 3600;
const GIVE_UP_SECONDS = 86_400;
/** Codes and links count no longer (accounts/one-time-codes.ts). */
const CODE_SECONDS = 600;
const WITH_CODE: ReadonlySet<string> = new Set<NotificationCode>(["email_code", "password_reset"]);
/** Longer than any attempt takes; who died in one leaves its message to the next after this. */
const CLAIM_SECONDS = 120;
const BATCH = 64;
const SENT_AT_ONCE = 8;

const storedValues = z.record(z.string(), z.union([z.string(), z.number()]));
const storedLanguage = z.enum(LANGUAGES).catch("en");
const isCode = (text: string): text is NotificationCode => Object.hasOwn(NOTIFICATIONS, text);

/** Whether what a message says counts no longer. @param now Unix seconds */
export const isOver = ({ event, created_time }: Pick<Waiting, "event" | "created_time">, now: number): boolean =>
  WITH_CODE.has(event) && now >= created_time + CODE_SECONDS;

interface Waiting {
  id: number;
  event: string;
  user_id: number;
  method: "email" | "webhook";
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

/** Whether a message is due: one look into an index. */
export async function hasDueMessages(context: SenderContext): Promise<boolean> {
  return (await due(context).select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Makes the message this process's for one attempt; false where another has it. */
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

/** A write that is lost to a deadlock runs again: what was sent and not noted would be sent twice. */
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
    if (isOver(row, nowSeconds(context.clock))) throw new DeliveryFault("expired", "", { isFinal: true });
    await deliver(context, deliveryOf(context, row));
  } catch (error) {
    return fail(context, row, error);
  }
  // Codes and links are kept no longer than they are needed.
  await write(context, row.id, {
    status: "sent",
    sent_time: nowSeconds(context.clock),
    failure: "",
    values_cipher: "",
  });
}

/** Sends everything that is due, eight at once. A message that this process dies with is tried again after two minutes. */
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
