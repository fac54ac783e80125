/** The JSON text in users.setting: how and in which language a user is notified, which prices they accept, and what their side bar shows. */
import { z } from "zod";
import { NOTIFICATION_WAY_NAMES } from "../../../contract/src/notification-ways.ts";
import { LANGUAGES } from "../../../contract/src/notifications.ts";
import { parseJson } from "../util/json-read.ts";

/**
 * An invalid field (edited by hand) has its default. The fields of the ways are those of NOTIFICATION_WAYS: `…_cipher` is a secret or an
 * address with a key in it, encrypted in `sealedContext`, "" none; beside such an address stands its masked form.
 */
const storedSetting = z.object({
  notify_type: z.enum(NOTIFICATION_WAY_NAMES).catch("email"),
  /** Quota; 0 if the account set none: then the option QuotaRemindThreshold applies. */
  quota_warning_threshold: z.number().catch(0),
  notification_email: z.string().catch(""),
  webhook_url: z.string().catch(""),
  webhook_secret_cipher: z.string().catch(""),
  telegram_bot_token_cipher: z.string().catch(""),
  telegram_chat_id: z.string().catch(""),
  bark_url: z.string().catch(""),
  bark_url_cipher: z.string().catch(""),
  gotify_url: z.string().catch(""),
  gotify_token_cipher: z.string().catch(""),
  gotify_priority: z.number().catch(5),
  lark_url: z.string().catch(""),
  lark_url_cipher: z.string().catch(""),
  lark_secret_cipher: z.string().catch(""),
  dingtalk_url: z.string().catch(""),
  dingtalk_url_cipher: z.string().catch(""),
  dingtalk_secret_cipher: z.string().catch(""),
  wecom_url: z.string().catch(""),
  wecom_url_cipher: z.string().catch(""),
  accept_unset_model_ratio_model: z.boolean().catch(false),
  /** Whether rows of the account's calls have the client's address, where the site leaves it to people. */
  record_ip_log: z.boolean().catch(true),
  sidebar_modules: z.string().catch(""),
  /** Whether the account is sent a statement of each month, where the site sends them. */
  monthly_statement: z.boolean().catch(false),
  language: z.enum(LANGUAGES).catch("en"),
});
export type StoredSetting = z.output<typeof storedSetting>;

/** Parses the stored text; fields that are missing or invalid have their defaults. */
export function readSetting(text: string): StoredSetting {
  const result = storedSetting.safeParse(parseJson(text));
  return result.success ? result.data : storedSetting.parse({});
}

/** The encryption context of a secret or address of an account's setting. @param field a name of NOTIFICATION_WAYS */
export const sealedContext = (userId: number, field: string): string => `user:${userId}:${field}`;
