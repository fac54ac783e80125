/** The form of the notification setting: what it shows of what is stored, its rules, and what it sends. Pure. */
import type { UserSetting } from "../../../../../contract/src/features/personal.ts";

/** Quota. */
export const THRESHOLD_PRESETS = [100_000, 500_000, 1_000_000, 5_000_000] as const;

export interface NotificationFields {
  notify_type: "email" | "webhook";
  /** As typed; empty takes the site's own threshold. */
  threshold: string;
  notification_email: string;
  webhook_url: string;
  /** Empty keeps the stored one. */
  webhook_secret: string;
}

export function notificationForm(setting: UserSetting, textOf: (quota: number) => string): NotificationFields {
  const { notify_type, quota_warning_threshold: threshold, notification_email, webhook_url } = setting;
  return {
    notify_type,
    threshold: threshold === 0 ? "" : textOf(threshold),
    notification_email,
    webhook_url,
    webhook_secret: "",
  };
}

export const isSame = (a: NotificationFields, b: NotificationFields): boolean =>
  (Object.keys(a) as (keyof NotificationFields)[]).every((name) => a[name] === b[name]);

interface Wrong {
  field: "quota_warning_threshold" | "webhook_url" | "notification_email";
  key: "thresholdWrong" | "urlMissing" | "urlWrong" | "emailWrong";
}

function wrongOf(form: NotificationFields, threshold: number | undefined): Wrong | undefined {
  const url = form.webhook_url.trim();
  const email = form.notification_email.trim();
  if (form.notify_type === "email" && email !== "" && !/^[^\s@]+@[^\s@]+$/.test(email))
    return { field: "notification_email", key: "emailWrong" };
  if (form.notify_type === "webhook" && url === "") return { field: "webhook_url", key: "urlMissing" };
  if (form.notify_type === "webhook" && URL.parse(url)?.protocol !== "https:")
    return { field: "webhook_url", key: "urlWrong" };
  return threshold === undefined ? { field: "quota_warning_threshold", key: "thresholdWrong" } : undefined;
}

interface SentNotification {
  notify_type: "email" | "webhook";
  quota_warning_threshold: number;
  notification_email?: string;
  webhook_url?: string;
  webhook_secret?: string;
}

/** The first rule that is broken, and what is sent where none is: only the fields of the way that is chosen. */
export function checkNotification(
  form: NotificationFields,
  quotaOf: (text: string) => number | undefined,
): { wrong: Wrong | undefined; body: SentNotification } {
  const threshold = form.threshold.trim() === "" ? 0 : quotaOf(form.threshold);
  const byWay =
    form.notify_type === "email"
      ? { notification_email: form.notification_email.trim() }
      : { webhook_url: form.webhook_url.trim(), webhook_secret: form.webhook_secret };
  const body = { notify_type: form.notify_type, quota_warning_threshold: threshold ?? 0, ...byWay };
  return { wrong: wrongOf(form, threshold), body };
}
