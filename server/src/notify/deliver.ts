/** Delivers one message by its way: its text, its receiver and its secrets. */
import type { NotificationWay, PushWay } from "../../../contract/src/notification-ways.ts";
import type { Language, NotificationCode } from "../../../contract/src/notifications.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { quotaDisplayOf } from "../../../contract/src/options/quota-unit.ts";
import type { Database } from "../db/database.ts";
import type { Secrets } from "../db/secrets.ts";
import type { Clock } from "../util/clock.ts";
import { DeliveryFault } from "./delivery-fault.ts";
import type { Mailer, MailOptions } from "./mail.ts";
import { renderMail, renderText, renderWebhook } from "./render.ts";
import type { SiteFacts, Notification } from "./render.ts";
import { readSetting, type StoredSetting } from "./user-setting.ts";
import { missingField, sendByWay, valuesOfWay } from "./ways/send.ts";
import type { PostToPublic } from "./ways/way.ts";

export interface DeliveryContext {
  database: Pick<Database, "kysely">;
  secrets: Pick<Secrets, "decrypt">;
  mailer: Mailer;
  post: PostToPublic;
  options(): OptionValues;
  /** Unix milliseconds. */
  clock: Clock;
}

export interface Delivery {
  userId: number;
  method: NotificationWay;
  /** The address of a mail; other ways have theirs in the setting. */
  recipient: string;
  /** The setting to send by, where it is not the stored one. */
  setting?: StoredSetting;
  /** How a mail is sent, where it is not as the options say. */
  mailOptions?: MailOptions;
  language: Language;
  code: NotificationCode;
  values: Notification["values"];
  /** When it happened, Unix seconds. */
  time: number;
}

const siteWords = (options: OptionValues): SiteFacts => ({ name: options.SystemName, quota: quotaDisplayOf(options) });

/** The account's current setting, so that a change since the message was written applies at once. */
async function settingOf({ database }: DeliveryContext, userId: number): Promise<StoredSetting> {
  const row = await database.kysely.selectFrom("users").select("setting").where("id", "=", userId).executeTakeFirst();
  return readSetting(row?.setting ?? "");
}

async function push(context: DeliveryContext, delivery: Delivery, way: PushWay): Promise<string> {
  const setting = delivery.setting ?? (await settingOf(context, delivery.userId));
  if (missingField(way, setting) !== undefined)
    throw new DeliveryFault("receiver_missing", "The account has taken it away", { isFinal: true });
  const values = valuesOfWay(way, setting, delivery.userId, context.secrets.decrypt);
  const site = siteWords(context.options());
  const message = { ...renderText(delivery, site), webhook: renderWebhook(delivery, site) };
  const { status, text } = await sendByWay(context.post, { way, values, nowMs: context.clock() }, message);
  return `${status} ${text}`.trim();
}

/** Sends it now. @returns the receiver's response. @throws DeliveryFault */
export async function deliver(context: DeliveryContext, delivery: Delivery): Promise<string> {
  const { method, recipient } = delivery;
  if (method !== "email") return push(context, delivery, method);
  return context.mailer.send(recipient, renderMail(delivery, siteWords(context.options())), delivery.mailOptions);
}
