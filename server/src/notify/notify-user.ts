/** Queues a notification for a user: chooses address and language by the user's setting, and writes the message into the outbox. */
import { NOTIFICATIONS } from "../../../contract/src/notifications.ts";
import type { Notification } from "../../../contract/src/notifications.ts";
import type { PushWay } from "../../../contract/src/notification-ways.ts";
import { ROLE } from "../../../contract/src/roles.ts";
import type { Database } from "../db/database.ts";
import type { Queries } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import { putMessage } from "./outbox.ts";
import type { NewMessage } from "./outbox.ts";
import { missingField } from "./ways/send.ts";
import { readSetting } from "./user-setting.ts";
import type { StoredSetting } from "./user-setting.ts";

export interface NotifyContext {
  database: Database;
  secrets: Pick<Secrets, "encrypt">;
  /** Unix milliseconds. */
  clock: Clock;
}

interface ToUser {
  userId: number;
  notification: Notification;
  /** Of messages with the same key only the first is stored. */
  onceKey?: string;
}

type Recipient = NewMessage["recipient"];

/** Where a setting's way leads, as lists show it: the host of an address, or a chat. */
function shownAddress(way: PushWay, setting: StoredSetting): string {
  if (way === "telegram") return setting.telegram_chat_id;
  return URL.parse(setting[`${way}_url`])?.host ?? "";
}

/**
 * Where an account is notified; undefined if it entered no address. The address of other ways than mail is only their host: what is called is
 * read from the setting when it is sent, so that no message goes where its owner has since taken it away from.
 */
export function recipientOf(email: string, setting: StoredSetting, isAboutAccess: boolean): Recipient | undefined {
  const way = setting.notify_type;
  if (!isAboutAccess && way !== "email")
    return missingField(way, setting) === undefined ? { method: way, address: shownAddress(way, setting) } : undefined;
  const chosen = isAboutAccess ? "" : setting.notification_email;
  const address = chosen === "" ? email : chosen;
  return address === "" ? undefined : { method: "email", address };
}

/**
 * Writes a notification for an account in the caller's transaction; it is sent after the commit. Events about access go to the account's
 * own e-mail address, all others to where its setting says.
 * @returns false if the account has no address for it, does not exist, or already has the message of `onceKey`.
 */
export async function notifyUser(context: NotifyContext, queries: Queries, message: ToUser): Promise<boolean> {
  const { userId, notification, onceKey } = message;
  const row = await queries
    .selectFrom("users")
    .select(["email", "setting"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) return false;
  const setting = readSetting(row.setting);
  const isAboutAccess = "isAboutAccess" in NOTIFICATIONS[notification.code];
  const recipient = recipientOf(row.email ?? "", setting, isAboutAccess);
  if (recipient === undefined) return false;
  const now = nowSeconds(context.clock);
  const once = onceKey === undefined ? {} : { onceKey };
  return putMessage(context, queries, { notification, userId, recipient, language: setting.language, now, ...once });
}

/** Notifies every super administrator, as `notifyUser`. */
export async function notifyRoots(
  context: NotifyContext,
  queries: Queries,
  message: Omit<ToUser, "userId" | "onceKey">,
): Promise<void> {
  const roots = queries.selectFrom("users").select("id").where("role", ">=", ROLE.root).where("deleted_at", "is", null);
  for (const { id } of await roots.orderBy("id").execute())
    await notifyUser(context, queries, { ...message, userId: id });
}

/** Notifies the super administrator, as `notifyUser`; false if there is none. */
export async function notifyRoot(
  context: NotifyContext,
  queries: Queries,
  message: Omit<ToUser, "userId">,
): Promise<boolean> {
  const root = await queries
    .selectFrom("users")
    .select("id")
    .where("role", ">=", ROLE.root)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .executeTakeFirst();
  return root !== undefined && (await notifyUser(context, queries, { ...message, userId: root.id }));
}
