/** The form of the notification setting: what it shows of what is stored, its rules, and what it sends. Pure; the fields are those of NOTIFICATION_WAYS. */
import type { SentSetting, UserSetting } from "../../../../../contract/src/features/personal.ts";
import {
  fieldsOfWay,
  type NotificationWay,
  WAY_FIELDS,
  type WayField,
  type WayFieldName,
} from "../../../../../contract/src/notification-ways.ts";

/** Quota. */
export const THRESHOLD_PRESETS = [100_000, 500_000, 1_000_000, 5_000_000] as const;

export type NotificationFields = {
  notify_type: NotificationWay;
  monthly_statement: boolean;
  /** As typed; empty takes the site's own threshold. */
  threshold: string;
  /** As typed; an empty secret or sealed address keeps the stored one. */
} & Record<WayFieldName, string>;

const isSealed = ({ kind }: WayField): boolean => kind === "secret" || kind === "sealedAddress";

/** A stored value that the form does not show: the masked address, or whether there is a secret. */
export function keptOf(setting: UserSetting, name: WayFieldName, field: WayField): string {
  const stored: Readonly<Record<string, unknown>> = setting;
  if (field.kind === "sealedAddress") return String(stored[name]);
  return stored[`${name}_set`] === true ? "***" : "";
}

export function notificationForm(setting: UserSetting, textOf: (quota: number) => string): NotificationFields {
  const { notify_type, monthly_statement, quota_warning_threshold: threshold } = setting;
  const stored: Readonly<Record<string, unknown>> = setting;
  const texts = WAY_FIELDS.map(([name, field]) => [name, isSealed(field) ? "" : String(stored[name])]);
  // WAY_FIELDS names every field.
  const ways = Object.fromEntries(texts) as Record<WayFieldName, string>;
  return { ...ways, notify_type, monthly_statement, threshold: threshold === 0 ? "" : textOf(threshold) };
}

export const isSame = (a: NotificationFields, b: NotificationFields): boolean =>
  (Object.keys(a) as (keyof NotificationFields)[]).every((name) => a[name] === b[name]);

/**
 * Whether the stored secret is kept where its field is empty: another address clears it.
 * @param form what is entered @param setting what is stored
 */
export function isKept(form: NotificationFields, setting: UserSetting, name: WayFieldName, field: WayField): boolean {
  if (keptOf(setting, name, field) === "") return false;
  const address = WAY_FIELDS.find(([each]) => each === field.goesTo);
  if (address === undefined) return true;
  const entered = form[address[0]].trim();
  if (isSealed(address[1])) return entered === "";
  return entered === (setting as Readonly<Record<string, unknown>>)[address[0]];
}

export interface Wrong {
  field: "quota_warning_threshold" | WayFieldName;
  key: "thresholdWrong" | "missing" | "urlWrong" | "emailWrong" | "integerWrong";
}

function wrongKey(field: WayField, text: string): Wrong["key"] | undefined {
  if (text === "") return undefined;
  if (field.kind === "email") return /^[^\s@]+@[^\s@]+$/.test(text) ? undefined : "emailWrong";
  if (field.kind === "address" || field.kind === "sealedAddress")
    return URL.parse(text)?.protocol === "https:" ? undefined : "urlWrong";
  if (field.kind !== "integer") return undefined;
  const isFine = /^\d+$/.test(text) && Number(text) >= (field.least ?? 0) && Number(text) <= field.most;
  return isFine ? undefined : "integerWrong";
}

function wrongOf(form: NotificationFields, setting: UserSetting, threshold: number | undefined): Wrong | undefined {
  for (const [name, field] of fieldsOfWay(form.notify_type)) {
    const text = form[name].trim();
    if (text === "" && field.isRequired === true && !isKept(form, setting, name, field))
      return { field: name, key: "missing" };
    const key = wrongKey(field, text);
    if (key !== undefined) return { field: name, key };
  }
  return threshold === undefined ? { field: "quota_warning_threshold", key: "thresholdWrong" } : undefined;
}

/** The sent value of a field; an emptied integer has its default. */
const sentValue = (field: WayField, text: string): string | number =>
  field.kind === "integer" ? Number(text === "" ? (field.otherwise ?? 0) : text) : text;

/** The first rule that is broken, and what is sent where none is: only the fields of the way that is chosen. */
export function checkNotification(
  form: NotificationFields,
  setting: UserSetting,
  quotaOf: (text: string) => number | undefined,
): { wrong: Wrong | undefined; body: SentSetting } {
  const threshold = form.threshold.trim() === "" ? 0 : quotaOf(form.threshold);
  const byWay = fieldsOfWay(form.notify_type).map(([name, field]) => [name, sentValue(field, form[name].trim())]);
  const body = {
    notify_type: form.notify_type,
    monthly_statement: form.monthly_statement,
    quota_warning_threshold: threshold ?? 0,
    ...Object.fromEntries(byWay),
  };
  return { wrong: wrongOf(form, setting, threshold), body };
}
