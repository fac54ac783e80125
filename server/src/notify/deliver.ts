/** Delivers one message by its channel: its text, its receiver and its secret. */
import type { Language, NotificationCode } from "../../../contract/src/notifications.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { Database } from "../db/database.ts";
import type { Secrets } from "../db/secrets.ts";
import type { Mailer } from "./mail.ts";
import { renderMail, renderWebhook } from "./render.ts";
import type { SiteFacts, Notification } from "./render.ts";
import { readSetting, webhookSecretContext } from "./user-setting.ts";
import { sendWebhook } from "./webhook.ts";
import type { PostToPublic } from "./webhook.ts";

export interface DeliveryContext {
  database: Pick<Database, "kysely">;
  secrets: Pick<Secrets, "decrypt">;
  mailer: Mailer;
  post: PostToPublic;
  options(): OptionValues;
}

export interface Delivery {
  userId: number;
  method: "email" | "webhook";
  recipient: string;
  language: Language;
  code: NotificationCode;
  values: Notification["values"];
  /** When it happened, Unix seconds. */
  time: number;
}

function siteWords({ SystemName, QuotaPerUnit, DisplayInCurrencyEnabled }: OptionValues): SiteFacts {
  return { name: SystemName, quotaPerUnit: String(QuotaPerUnit), inCurrency: DisplayInCurrencyEnabled };
}

/** The account's current webhook secret, so that a change since the message was written applies at once. */
async function secretOf({ database, secrets }: DeliveryContext, userId: number): Promise<string> {
  const row = await database.kysely.selectFrom("users").select("setting").where("id", "=", userId).executeTakeFirst();
  const cipher = row === undefined ? "" : readSetting(row.setting).webhook_secret_cipher;
  return cipher === "" ? "" : secrets.decrypt(cipher, webhookSecretContext(userId));
}

/** Sends it now. @returns the receiver's response. @throws DeliveryFault */
export async function deliver(context: DeliveryContext, delivery: Delivery): Promise<string> {
  const { userId, method, recipient } = delivery;
  const site = siteWords(context.options());
  if (method === "email") return context.mailer.send(recipient, renderMail(delivery, site));
  const target = { url: recipient, secret: await secretOf(context, userId) };
  const { status, text } = await sendWebhook(context.post, target, renderWebhook(delivery, site));
  return `${status} ${text}`.trim();
}
