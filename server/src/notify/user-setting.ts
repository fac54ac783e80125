/** The JSON text in users.setting: how and in which language a user is notified, and which prices they accept. */
import { z } from "zod";
import { LANGUAGES } from "../../../contract/src/notifications.ts";
import { parseJson } from "../util/json-read.ts";

/** An invalid field (edited by hand) has its default. */
const storedSetting = z.object({
  notify_type: z.enum(["email", "webhook"]).catch("email"),
  /** Quota; 0 if the account set none: then the option QuotaRemindThreshold applies. */
  quota_warning_threshold: z.number().catch(0),
  webhook_url: z.string().catch(""),
  /** Encrypted in `webhookSecretContext`; "" none. */
  webhook_secret_cipher: z.string().catch(""),
  notification_email: z.string().catch(""),
  accept_unset_model_ratio_model: z.boolean().catch(false),
  language: z.enum(LANGUAGES).catch("en"),
});
export type StoredSetting = z.output<typeof storedSetting>;

/** Parses the stored text; fields that are missing or invalid have their defaults. */
export function readSetting(text: string): StoredSetting {
  const result = storedSetting.safeParse(parseJson(text));
  return result.success ? result.data : storedSetting.parse({});
}

/** The encryption context of a webhook's secret. */
export const webhookSecretContext = (userId: number): string => `user:${userId}:webhook_secret`;
