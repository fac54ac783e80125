/** The notification setting of a user: how it is changed and shown, its write-only secret, and the test message. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import { type SentSetting, userSetting, type UserSetting } from "../../../../contract/src/features/personal.ts";
import {
  ADDRESS_MASK,
  fieldsOfWay,
  isNotificationWay,
  maskAddress,
  NOTIFICATION_WAY_NAMES,
  type NotificationWay,
  WAY_FIELDS,
  type WayField,
} from "../../../../contract/src/notification-ways.ts";
import { sidebarEntriesSchema } from "../../../../contract/src/options/schemas.ts";
import type { TestMessageResult } from "../../../../contract/src/notifications.ts";
import { isAdmin } from "../../../../contract/src/roles.ts";
import { DeliveryFault } from "../../notify/delivery-fault.ts";
import { recipientOf } from "../../notify/notify-user.ts";
import { readSetting, sealedContext, type StoredSetting } from "../../notify/user-setting.ts";
import { missingField, valuesOfWay, wrongValueOf } from "../../notify/ways/send.ts";
import { parseJson } from "../../util/json-read.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { findSelf } from "./store.ts";

const invalid = (field: string, message: string): AppError => new AppError("setting_invalid", { message, field });

function checkNotifyType(type: string): NotificationWay {
  if (isNotificationWay(type)) return type;
  throw invalid("notify_type", `The notification type must be one of ${NOTIFICATION_WAY_NAMES.join(", ")}`);
}

/** 0 takes the site's own. */
function checkThreshold(threshold: number): number {
  const isFine = Number.isSafeInteger(threshold) && threshold >= 0;
  if (!isFine) throw invalid("quota_warning_threshold", "The warning threshold must be a whole number of at least 0");
  return threshold;
}

/** https only, and no login, which would not be sent; what was stored before stays. "" takes it away. */
function checkAddress(field: string, text: string, stored: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === stored) return trimmed;
  const url = URL.parse(trimmed);
  if (url?.protocol !== "https:") throw invalid(field, "The address must begin with https://");
  if (url.username !== "" || url.password !== "")
    throw invalid(field, "The address must not contain a user name or password: give the secret");
  if (trimmed.includes(ADDRESS_MASK)) throw invalid(field, "This address is masked: enter the whole address");
  return trimmed;
}

function checkInteger(field: string, value: number, { least = 0, most }: WayField): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw invalid(field, `${field} must be a whole number from ${least} to ${most}`);
}

/** "" shows everything that the site shows. */
function checkSidebar(text: string): string {
  if (text.trim() === "") return "";
  const read = sidebarEntriesSchema.safeParse(parseJson(text));
  if (!read.success) throw invalid("sidebar_modules", 'The entries must be JSON such as {"console":{"log":false}}');
  return JSON.stringify(read.data);
}

function checkEmail(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || z.email().safeParse(trimmed).success) return trimmed;
  throw invalid("notification_email", "The notification email is not an email address");
}

/** Encrypts and decrypts what an account's setting keeps sealed. */
export interface Sealing {
  userId: number;
  encrypt(text: string, context: string): string;
  decrypt(cipher: string, context: string): string;
}

type Stored = Readonly<Record<string, unknown>>;

/** A sealed address: "" and its masked form keep the stored one. */
function changedSealedAddress(name: string, text: string, stored: Stored, sealing: Sealing): Stored {
  const shown = String(stored[name] ?? "");
  const address = checkAddress(name, text, shown);
  if (address === "" || address === shown) return {};
  const cipher = sealing.encrypt(address, sealedContext(sealing.userId, name));
  return { [name]: maskAddress(address), [`${name}_cipher`]: cipher };
}

/** The change of the stored setting by a sent field. */
function changedField(name: string, field: WayField, value: unknown, stored: Stored, sealing: Sealing): Stored {
  if (field.kind === "integer") return { [name]: checkInteger(name, Number(value), field) };
  const text = String(value);
  if (field.kind === "sealedAddress") return changedSealedAddress(name, text, stored, sealing);
  if (field.kind === "address") return { [name]: checkAddress(name, text, String(stored[name] ?? "")) };
  if (field.kind === "email") return { [name]: checkEmail(text) };
  if (field.kind === "text") return { [name]: text.trim() };
  const secret = text.trim();
  return secret === "" ? {} : { [`${name}_cipher`]: sealing.encrypt(secret, sealedContext(sealing.userId, name)) };
}

/** Clears each secret whose address has changed and that was not sent with it: it goes nowhere that it was not entered for. */
function clearedSecrets(before: Stored, after: Stored, sent: Stored): Stored {
  const cleared = WAY_FIELDS.filter(([name, { goesTo }]) => {
    if (goesTo === undefined || (sent[name] ?? "") !== "") return false;
    return before[goesTo] !== after[goesTo] || before[`${goesTo}_cipher`] !== after[`${goesTo}_cipher`];
  });
  return Object.fromEntries(cleared.map(([name]) => [`${name}_cipher`, ""]));
}

/** Throws setting_invalid where the chosen way lacks a field, or a field that was sent is not as its vendor has it. */
function checkWay(setting: StoredSetting, sent: Stored, sealing: Sealing): void {
  const way = setting.notify_type;
  const missing = missingField(way, setting);
  if (missing !== undefined) throw invalid(missing, `Please enter ${missing}`);
  if (way === "email" || !fieldsOfWay(way).some(([name]) => sent[name] !== undefined)) return;
  const wrong = wrongValueOf(way, valuesOfWay(way, setting, sealing.userId, sealing.decrypt));
  if (wrong !== undefined) throw invalid(wrong.field, wrong.message);
}

/**
 * The setting after a change: fields that were not sent stay, a blank secret keeps the stored one unless its address changes.
 * @throws AppError setting_invalid, naming the field
 */
export function changeSetting(stored: StoredSetting, sent: SentSetting, sealing: Sealing): StoredSetting {
  const values: Stored = sent;
  const changed: StoredSetting = {
    ...stored,
    notify_type: sent.notify_type === undefined ? stored.notify_type : checkNotifyType(sent.notify_type),
    quota_warning_threshold:
      sent.quota_warning_threshold === undefined
        ? stored.quota_warning_threshold
        : checkThreshold(sent.quota_warning_threshold),
    accept_unset_model_ratio_model: sent.accept_unset_model_ratio_model ?? stored.accept_unset_model_ratio_model,
    record_ip_log: sent.record_ip_log ?? stored.record_ip_log,
    sidebar_modules: sent.sidebar_modules === undefined ? stored.sidebar_modules : checkSidebar(sent.sidebar_modules),
    monthly_statement: sent.monthly_statement ?? stored.monthly_statement,
    language: sent.language ?? stored.language,
  };
  for (const [name, field] of WAY_FIELDS)
    if (values[name] !== undefined) Object.assign(changed, changedField(name, field, values[name], stored, sealing));
  Object.assign(changed, clearedSecrets(stored, changed, values));
  checkWay(changed, values, sealing);
  return changed;
}

/** What a stored field is called where its ciphers are not shown: that of a secret as whether there is one, that of an address not at all. */
const isShown = ([name]: [string, unknown]): boolean => !name.endsWith("_cipher");

/** The setting as its owner sees it: whether there is a secret, never which. */
export function showSetting(stored: StoredSetting): UserSetting {
  const ciphers: Stored = stored;
  const secrets = WAY_FIELDS.filter(([, { kind }]) => kind === "secret");
  const areSet = secrets.map(([name]) => [`${name}_set`, ciphers[`${name}_cipher`] !== ""]);
  return userSetting.parse({
    ...Object.fromEntries(Object.entries(stored).filter(isShown)),
    ...Object.fromEntries(areSet),
  });
}

/** Stored fields that say where messages about an account go, and with which secret. */
const ADDRESS_FIELDS: readonly string[] = ["notify_type", ...WAY_FIELDS.flatMap(([name]) => [name, `${name}_cipher`])];

/** Whether messages go elsewhere after a change. */
export function leadsElsewhere(before: StoredSetting, after: StoredSetting): boolean {
  const [old, changed]: [Stored, Stored] = [before, after];
  return ADDRESS_FIELDS.some((name) => old[name] !== changed[name]);
}

const ANSWER_MAX = 500;

/**
 * Sends the test message to where the setting says, with what was sent in place of what is stored; nothing is stored. Another address wants
 * the confirmation that storing it wants: a stolen session would otherwise write to anybody from this site.
 * @throws AppError setting_invalid, step_up_required, notification_no_address where there is nowhere to send it, not_found
 */
export async function sendTestMessage(
  context: Pick<ConsoleContext, "database" | "clock" | "deliver" | "secrets">,
  { session, requireStepUp }: { session: Pick<Session, "user" | "role">; requireStepUp(): void },
  sent: SentSetting,
): Promise<TestMessageResult> {
  const { user, role } = session;
  const row = await findSelf(context.database, user.id);
  if (row === undefined) throw new AppError("not_found", { message: "This account was not found" });
  const stored = readSetting(row.setting);
  const setting = changeSetting(stored, sent, sealingOf(context.secrets, user.id));
  if (leadsElsewhere(stored, setting)) requireStepUp();
  const recipient = recipientOf(row.email ?? "", setting, false);
  if (recipient === undefined) throw new AppError("notification_no_address");
  const { method, address } = recipient;
  try {
    const answer = await context.deliver({
      userId: user.id,
      method,
      recipient: address,
      setting,
      language: setting.language,
      code: "test",
      values: {},
      time: nowSeconds(context.clock),
    });
    return { is_delivered: true, failure: "", answer: answer.slice(0, ANSWER_MAX) };
  } catch (error) {
    if (!(error instanceof DeliveryFault)) throw error;
    // What a mail server says of its login is for the operator; what a webhook says is its owner's.
    const mayRead = method !== "email" || isAdmin(role);
    return { is_delivered: false, failure: error.kind, answer: mayRead ? error.detail : "" };
  }
}

/** Seals with the secret key of the site. */
export const sealingOf = (
  { encrypt, decrypt }: Pick<ConsoleContext["secrets"], "encrypt" | "decrypt">,
  userId: number,
): Sealing => ({ userId, encrypt, decrypt });
