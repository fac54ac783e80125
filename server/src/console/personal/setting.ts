/** The notification setting of a user: how it is changed and shown, its write-only secret, and the test message. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import type { UserSetting } from "../../../../contract/src/features/personal.ts";
import type { Language, TestMessageResult } from "../../../../contract/src/notifications.ts";
import { isAdmin } from "../../../../contract/src/roles.ts";
import { DeliveryFault } from "../../notify/delivery-fault.ts";
import { recipientOf } from "../../notify/notify-user.ts";
import { readSetting, type StoredSetting } from "../../notify/user-setting.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { findSelf } from "./store.ts";

export interface SentSetting {
  notify_type?: string | undefined;
  quota_warning_threshold?: number | undefined;
  webhook_url?: string | undefined;
  webhook_secret?: string | undefined;
  notification_email?: string | undefined;
  accept_unset_model_ratio_model?: boolean | undefined;
  language?: Language | undefined;
}

const invalid = (field: string, message: string): AppError => new AppError("setting_invalid", { message, field });

function checkNotifyType(type: string): "email" | "webhook" {
  if (type === "email" || type === "webhook") return type;
  throw invalid("notify_type", "The notification type must be email or webhook");
}

/** 0 takes the site's own. */
function checkThreshold(threshold: number): number {
  const isFine = Number.isSafeInteger(threshold) && threshold >= 0;
  if (!isFine) throw invalid("quota_warning_threshold", "The warning threshold must be a whole number of at least 0");
  return threshold;
}

/** https only, and no login, which would not be sent; what was stored before stays. "" takes it away. */
function checkWebhookUrl(text: string, stored: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === stored) return trimmed;
  const url = URL.parse(trimmed);
  if (url?.protocol !== "https:") throw invalid("webhook_url", "The webhook address must begin with https://");
  if (url.username !== "" || url.password !== "")
    throw invalid("webhook_url", "The webhook address must not contain a user name or password: give the secret");
  return trimmed;
}

function checkEmail(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || z.email().safeParse(trimmed).success) return trimmed;
  throw invalid("notification_email", "The notification email is not an email address");
}

/** The setting after a change: fields that were not sent stay, a blank secret keeps the stored one. */
export function changeSetting(
  stored: StoredSetting,
  sent: SentSetting,
  seal: (secret: string) => string,
): StoredSetting {
  const changed: StoredSetting = {
    notify_type: sent.notify_type === undefined ? stored.notify_type : checkNotifyType(sent.notify_type),
    quota_warning_threshold:
      sent.quota_warning_threshold === undefined
        ? stored.quota_warning_threshold
        : checkThreshold(sent.quota_warning_threshold),
    webhook_url:
      sent.webhook_url === undefined ? stored.webhook_url : checkWebhookUrl(sent.webhook_url, stored.webhook_url),
    webhook_secret_cipher:
      (sent.webhook_secret ?? "") === "" ? stored.webhook_secret_cipher : seal(sent.webhook_secret ?? ""),
    notification_email:
      sent.notification_email === undefined ? stored.notification_email : checkEmail(sent.notification_email),
    accept_unset_model_ratio_model: sent.accept_unset_model_ratio_model ?? stored.accept_unset_model_ratio_model,
    language: sent.language ?? stored.language,
  };
  if (changed.notify_type === "webhook" && changed.webhook_url === "")
    throw invalid("webhook_url", "Please enter the webhook address");
  return changed;
}

/** The setting as its owner sees it: whether there is a secret, never which. */
export function showSetting(stored: StoredSetting): UserSetting {
  const { webhook_secret_cipher, ...shown } = stored;
  return { ...shown, webhook_secret_set: webhook_secret_cipher !== "" };
}

const ANSWER_MAX = 500;

/**
 * Sends the test message to where the stored setting says.
 * @throws AppError notification_no_address where there is nowhere to send it, not_found
 */
export async function sendTestMessage(
  context: Pick<ConsoleContext, "database" | "clock" | "deliver">,
  { user, role }: Pick<Session, "user" | "role">,
): Promise<TestMessageResult> {
  const row = await findSelf(context.database, user.id);
  if (row === undefined) throw new AppError("not_found", { message: "This account was not found" });
  const setting = readSetting(row.setting);
  const recipient = recipientOf(row.email ?? "", setting, false);
  if (recipient === undefined) throw new AppError("notification_no_address");
  const { method, address } = recipient;
  try {
    const answer = await context.deliver({
      userId: user.id,
      method,
      recipient: address,
      language: setting.language,
      code: "test",
      values: {},
      time: nowSeconds(context.clock),
    });
    return { is_delivered: true, failure: "", answer: answer.slice(0, ANSWER_MAX) };
  } catch (error) {
    if (!(error instanceof DeliveryFault)) throw error;
    // What a mail server says of its login is for the operator; what a webhook says is its owner's.
    const mayRead = method === "webhook" || isAdmin(role);
    return { is_delivered: false, failure: error.kind, answer: mayRead ? error.detail : "" };
  }
}
