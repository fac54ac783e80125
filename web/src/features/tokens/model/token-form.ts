/** The token form: initial values of its fields, their errors, and its request. Pure. */
import { EXPIRY_SHORTCUTS, NEW_TOKEN_QUOTA } from "../../../../../contract/src/constants.ts";
import {
  firstBadAddress,
  NEVER_EXPIRES,
  TOKEN_BATCH_MAX,
  TOKEN_NAME_MAX,
  type TokenCreate,
  type TokenRow,
  type TokenUpdate,
} from "../../../../../contract/src/features/tokens.ts";
import { amountQuota, amountText, type QuotaView } from "../../../ui/form/amount.ts";
import type { FieldErrors, KeyedError } from "../../../ui/form/use-form.ts";
import { expiryText, parseExpiry } from "./expiry.ts";

export interface TokenForm {
  name: string;
  /** Empty: the owner's own group, whichever that is. */
  group: string;
  /** Groups that a token of the group `auto` tries, in this order; empty for those of the site. */
  autoGroups: string[];
  /** Whether a call that fails in one of them is retried in the next. */
  retriesAcrossGroups: boolean;
  /** As typed. */
  count: string;
  /** As typed: dollars, or quota units where the site shows those. */
  amount: string;
  isUnlimited: boolean;
  /** As typed; empty for never. */
  expires: string;
  models: string[];
  allowIps: string;
}

/** How the site shows money and which language dates are in. */
export interface Shown extends QuotaView {
  language: "en" | "zh";
}

export type ExpiryShortcut = keyof typeof EXPIRY_SHORTCUTS;

/** The text of a shortcut picked now. */
export function shortcutText(shortcut: ExpiryShortcut, nowS: number, language: "en" | "zh"): string {
  const seconds = EXPIRY_SHORTCUTS[shortcut];
  return seconds === NEVER_EXPIRES ? "" : expiryText(nowS + seconds, language);
}

const splitModels = (token: TokenRow): string[] =>
  token.model_limits_enabled ? token.model_limits.split(",").filter((name) => name !== "") : [];

/** A new token: own group first, $1 of quota, no expiry, every model. */
export const newForm = (group: string, shown: Shown, name = ""): TokenForm => ({
  name,
  group,
  autoGroups: [],
  retriesAcrossGroups: false,
  count: "1",
  amount: amountText(NEW_TOKEN_QUOTA, shown),
  isUnlimited: false,
  expires: "",
  models: [],
  allowIps: "",
});

export const formOf = (token: TokenRow, shown: Shown): TokenForm => ({
  name: token.name,
  group: token.group,
  autoGroups: token.auto_groups,
  retriesAcrossGroups: token.cross_group_retry,
  count: "1",
  amount: amountText(token.remain_quota, shown),
  isUnlimited: token.unlimited_quota,
  expires: expiryText(token.expired_time, shown.language),
  models: splitModels(token),
  allowIps: token.allow_ips,
});

export type FormField = "name" | "count" | "amount" | "expires" | "allowIps";

function nameError(name: string): KeyedError | undefined {
  if (name.trim() === "") return { key: "nameMissing" };
  return [...name.trim()].length > TOKEN_NAME_MAX ? { key: "nameLong", values: { most: TOKEN_NAME_MAX } } : undefined;
}

function countError(count: string): KeyedError | undefined {
  const isFine = /^\d+$/.test(count.trim()) && Number(count) >= 1 && Number(count) <= TOKEN_BATCH_MAX;
  return isFine ? undefined : { key: "count", values: { most: TOKEN_BATCH_MAX } };
}

function expiryError(expires: string, nowS: number): KeyedError | undefined {
  const moment = parseExpiry(expires);
  if (moment === undefined) return { key: "expiryFormat" };
  return moment !== NEVER_EXPIRES && moment <= nowS ? { key: "expiryPast" } : undefined;
}

function addressError(allowIps: string): KeyedError | undefined {
  const bad = firstBadAddress(allowIps);
  return bad && { key: "address", values: { line: bad.line, text: bad.text.slice(0, 60) } };
}

/** Errors; a field of a stored token is checked only where it differs from `start`: an expired token must stay renamable. */
export function formErrors(
  form: TokenForm,
  start: TokenForm,
  isNew: boolean,
  shown: Shown,
  nowS: number,
): FieldErrors<FormField, KeyedError> {
  const isChecked = (field: keyof TokenForm): boolean => isNew || form[field] !== start[field];
  const found: Record<FormField, KeyedError | undefined> = {
    name: isChecked("name") ? nameError(form.name) : undefined,
    count: isNew ? countError(form.count) : undefined,
    amount:
      isChecked("amount") && !form.isUnlimited && amountQuota(form.amount, shown) === undefined
        ? { key: "amount" }
        : undefined,
    expires: isChecked("expires") ? expiryError(form.expires, nowS) : undefined,
    allowIps: isChecked("allowIps") ? addressError(form.allowIps) : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined));
}

/** The list with the group at `place` one place further up (-1) or down (1); the same list where it stands at that end. */
export function movedGroup(groups: readonly string[], place: number, by: -1 | 1): string[] {
  const [group, to] = [groups[place], place + by];
  if (group === undefined || to < 0 || to >= groups.length) return [...groups];
  return groups.toSpliced(place, 1).toSpliced(to, 0, group);
}

const modelFields = (models: readonly string[]) => ({
  model_limits_enabled: models.length > 0,
  model_limits: models.join(","),
});

/** The body of POST for a form without errors. */
export const createBody = (form: TokenForm, shown: Shown): TokenCreate => ({
  name: form.name.trim(),
  group: form.group,
  auto_groups: form.autoGroups,
  cross_group_retry: form.retriesAcrossGroups,
  count: Number(form.count),
  unlimited_quota: form.isUnlimited,
  remain_quota: form.isUnlimited ? 0 : (amountQuota(form.amount, shown) ?? 0),
  expired_time: parseExpiry(form.expires) ?? NEVER_EXPIRES,
  allow_ips: form.allowIps,
  ...modelFields(form.models),
});

/**
 * The body of PUT: only what was changed. The quota goes with the one the drawer was opened with, so that what calls use
 * meanwhile is kept.
 */
export function updateBody(token: TokenRow, form: TokenForm, start: TokenForm, shown: Shown): TokenUpdate {
  const body: TokenUpdate = { id: token.id };
  const quota = amountQuota(form.amount, shown);
  if (form.name !== start.name) body.name = form.name.trim();
  if (form.group !== start.group) body.group = form.group;
  if (form.autoGroups.join() !== start.autoGroups.join()) body.auto_groups = form.autoGroups;
  if (form.retriesAcrossGroups !== start.retriesAcrossGroups) body.cross_group_retry = form.retriesAcrossGroups;
  if (form.isUnlimited !== start.isUnlimited) body.unlimited_quota = form.isUnlimited;
  if (form.expires !== start.expires) body.expired_time = parseExpiry(form.expires) ?? NEVER_EXPIRES;
  if (form.models.join() !== start.models.join()) Object.assign(body, modelFields(form.models));
  if (form.allowIps !== start.allowIps) body.allow_ips = form.allowIps;
  if (!form.isUnlimited && form.amount !== start.amount && quota !== undefined) {
    body.remain_quota = quota;
    body.remain_quota_seen = token.remain_quota;
  }
  return body;
}
