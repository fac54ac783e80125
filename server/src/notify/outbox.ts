/** The notification outbox: messages are written in the transaction of their event, and sent later by one process (sender.ts). */
import type { NotificationWay } from "../../../contract/src/notification-ways.ts";
import type { Language, Notification } from "../../../contract/src/notifications.ts";
import type { Database } from "../db/database.ts";
import { insertOrIgnore } from "../db/portable.ts";
import type { Queries } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";

export interface NewMessage {
  notification: Notification;
  /** 0 for an address without an account. */
  userId: number;
  /** `address` is that of a mail; of every other way only what lists show (notify-user.ts). */
  recipient: { method: NotificationWay; address: string };
  language: Language;
  /** Unix seconds. */
  now: number;
  /** Only the first message of this key is stored: it names the event, and the period after which it may be sent again. */
  onceKey?: string;
}

export const valuesContext = (event: string, userId: number): string => `outbox:${event}:${userId}`;

/** Writes one message; false if its `onceKey` exists. It is sent only after the transaction of `queries` is committed. */
export async function putMessage(
  store: { database: Database; secrets: Pick<Secrets, "encrypt"> },
  queries: Queries,
  message: NewMessage,
): Promise<boolean> {
  const { notification, userId, recipient, language, now, onceKey = null } = message;
  const { code, values } = notification;
  return insertOrIgnore(store.database, queries, "outbox", {
    event: code,
    user_id: userId,
    method: recipient.method,
    recipient: recipient.address,
    language,
    values_cipher: store.secrets.encrypt(JSON.stringify(values), valuesContext(code, userId)),
    status: "waiting",
    attempts: 0,
    next_time: now,
    created_time: now,
    sent_time: 0,
    failure: "",
    once_key: onceKey,
  });
}
