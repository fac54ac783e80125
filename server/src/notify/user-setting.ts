/** The JSON text in users.setting: how and in which language a user is notified, and which prices they accept. */
import { z } from "zod";
import { LANGUAGES } from "../../../contract/src/notifications.ts";
import { parseJson } from "../util/json-read.ts";

/** A field that does not fit (written by hand) has its default. */
const storedSetting = z.object({
  notify_type: z.enum(["email", "webhook"]).catch("email"),
  /** Quota; 0 where the account set none: then the site's option QuotaRemindThreshold holds. */
  quota_warning_threshold: z.number().catch(0),
  webhook_url: z.string().catch(""),
  /** Encrypted in `webhookSecretContext`; "" none. */
  webhook_secret_cipher: z.string().catch(""),
  notification_email: z.string().catch(""),
  accept_unset_model_ratio_model: z.boolean().catch(false),
  language: z.enum(LANGUAGES).catch("en"),
});
export type StoredSetting = z.output<typeof storedSetting>;

/** The stored text as a setting; every field has its default where nothing was stored yet, or not by this program. */
export function readSetting(text: string): StoredSetting {
  const result = storedSetting.safeParse(parseJson(text));
  return result.success ? result.data : storedSetting.parse({});
}

/** What the secret of a webhook is encrypted for. */
export const webhookSecretContext = (userId: number): string => `user:${userId}:webhook_secret`;
