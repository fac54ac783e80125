/** Redemption codes as users read, search and store them, and the form that creates and edits them. Pure. */
import {
  NEW_REDEMPTION_QUOTA,
  REDEMPTION_BATCH_MAX,
  REDEMPTION_LIST_STATUS,
  REDEMPTION_NAME_MAX,
  REDEMPTION_QUOTA_MAX,
  REDEMPTION_STATUS,
  type RedemptionCreate,
  type RedemptionRow,
  type RedemptionUpdate,
} from "../../../../../contract/src/features/redemptions.ts";
import { amountQuota, amountText, type QuotaView } from "../../../ui/form/amount.ts";
import type { FieldErrors, KeyedError } from "../../../ui/form/use-form.ts";

export interface RedemptionForm {
  name: string;
  /** As typed: dollars, or quota units where the site shows those. */
  amount: string;
  /** As typed. */
  count: string;
  /** As a field of the type `datetime-local` has it, in local time; blank for never. */
  expires: string;
}

export type FormField = keyof RedemptionForm;

export const newForm = (view: QuotaView): RedemptionForm => ({
  name: "",
  amount: amountText(NEW_REDEMPTION_QUOTA, view),
  count: "1",
  expires: "",
});

/** The form of redemption codes: what its fields start with, what is wrong with them, and what is sent. Pure. */
export const formOf = ({ name, quota, expired_time }: RedemptionRow, view: QuotaView): RedemptionForm => ({
  name,
  amount: amountText(quota, view),
  count: "1",
  expires: expired_time === 0 ? "" : localText(expired_time),
});

const two = (number: number): string => String(number).padStart(2, "0");

/** Unix seconds as a field of the type `datetime-local` takes them: 2026-11-24T09:05. */
function localText(atS: number): string {
  const at = new Date(atS * 1000);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Unix seconds of such a text; 0 for a blank one, undefined for one that is no moment. */
function momentOf(text: string): number | undefined {
  if (text.trim() === "") return 0;
  const ms = new Date(text).getTime();
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** What a list shows of a code: an unused one that has expired is neither to be used nor used. `nowS` in Unix seconds. */
export const shownStatus = ({ status, expired_time }: RedemptionRow, nowS = Date.now() / 1000): number =>
  status === REDEMPTION_STATUS.unused && expired_time !== 0 && expired_time <= nowS
    ? REDEMPTION_LIST_STATUS.expired
    : status;

function nameError(name: string, isNew: boolean): KeyedError | undefined {
  const { length } = [...name.trim()];
  if (length === 0 && !isNew) return { key: "nameMissing" };
  return length > REDEMPTION_NAME_MAX ? { key: "nameLong", values: { most: REDEMPTION_NAME_MAX } } : undefined;
}

function amountError(amount: string, view: QuotaView): KeyedError | undefined {
  const quota = amountQuota(amount, view) ?? 0;
  if (quota < 1) return { key: "amount" };
  return quota > REDEMPTION_QUOTA_MAX ? { key: "amountLarge" } : undefined;
}

function countError(count: string): KeyedError | undefined {
  const isFine = /^\d+$/.test(count.trim()) && Number(count) >= 1 && Number(count) <= REDEMPTION_BATCH_MAX;
  return isFine ? undefined : { key: "count", values: { most: REDEMPTION_BATCH_MAX } };
}

function expiryError(expires: string, nowS: number): KeyedError | undefined {
  const moment = momentOf(expires);
  return moment === 0 || (moment !== undefined && moment > nowS) ? undefined : { key: "expires" };
}

/** What is wrong with the form of new codes, or of a stored one. */
export function formErrors(form: RedemptionForm, isNew: boolean, view: QuotaView): FieldErrors<FormField, KeyedError> {
  const found: Record<FormField, KeyedError | undefined> = {
    name: nameError(form.name, isNew),
    amount: amountError(form.amount, view),
    count: isNew ? countError(form.count) : undefined,
    // A stored code may have expired; the server refuses what is changed to the past.
    expires: expiryError(form.expires, isNew ? Date.now() / 1000 : 0),
  };
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined));
}

/** What a form without errors gives away, in quota: by one code, and by all of them. Undefined while an amount or a number is none. */
export function givenBy(
  form: RedemptionForm,
  view: QuotaView,
): { count: number; quota: number; sum: number } | undefined {
  const errors = formErrors(form, true, view);
  if (errors.amount !== undefined || errors.count !== undefined) return undefined;
  const [count, quota] = [Number(form.count), amountQuota(form.amount, view) ?? 0];
  return { count, quota, sum: count * quota };
}

/** The body of POST for a form without errors. */
export const createBody = (form: RedemptionForm, view: QuotaView): RedemptionCreate => ({
  name: form.name.trim(),
  quota: amountQuota(form.amount, view) ?? 0,
  count: Number(form.count),
  expired_time: momentOf(form.expires) ?? 0,
});

/** The body of PUT: only what was changed. */
export function updateBody(id: number, form: RedemptionForm, start: RedemptionForm, view: QuotaView): RedemptionUpdate {
  const quota = amountQuota(form.amount, view);
  return {
    id,
    ...(form.name.trim() !== start.name && { name: form.name.trim() }),
    ...(form.amount !== start.amount && quota !== undefined && { quota }),
    ...(form.expires !== start.expires && { expired_time: momentOf(form.expires) ?? 0 }),
  };
}

const FIRST = 6;
const LAST = 4;
const WHOLE = /^[0-9a-f]{32}$/i;

/** What a list shows of it: 3f9a0c…12be. */
export const shortCode = (code: string): string => `${code.slice(0, FIRST)}…${code.slice(-LAST)}`;

/** The search text for the address: of a whole code its end alone, since addresses are stored, shared and logged. */
export const searchedText = (text: string): string =>
  WHOLE.test(text.trim()) ? text.trim().slice(-LAST).toLowerCase() : text;

/** The file that codes are handed out in: one a line. */
export const codesText = (codes: readonly string[]): string => codes.map((code) => `${code}\n`).join("");

/** Its name, without what file systems refuse. */
export const codesFileName = (name: string): string => {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}$.,_ -]+/gu, "-")
    .replaceAll(/^[. -]+|[. -]+$/g, "")
    .trim();
  return `${plain === "" ? "codes" : plain}.txt`;
};
