/** The forms that add and edit a user: their errors and their requests. Pure. */
import {
  PASSWORD_MAXIMUM_LENGTH,
  PASSWORD_MINIMUM_LENGTH,
  USERNAME_MAXIMUM_LENGTH,
} from "../../../../../contract/src/constants.ts";
import { DISPLAY_NAME_MAX } from "../../../../../contract/src/features/personal.ts";
import { type ManagedUser, USER_REMARK_MAX, type UserChange } from "../../../../../contract/src/features/users.ts";
import { type QuotaView, signedQuota } from "../../../ui/form/amount.ts";
import type { FieldErrors, KeyedError } from "../../../ui/form/use-form.ts";

export interface UserForm {
  username: string;
  displayName: string;
  password: string;
  group: string;
  remark: string;
  /** As typed, with a sign; blank changes nothing. */
  amount: string;
}

export type UserField = keyof UserForm;

export const NEW_USER_FORM: UserForm = {
  username: "",
  displayName: "",
  password: "",
  group: "",
  remark: "",
  amount: "",
};

export const formOf = (user: ManagedUser): UserForm => ({
  ...NEW_USER_FORM,
  username: user.username,
  displayName: user.display_name,
  group: user.group,
  remark: user.remark,
});

const lengthOf = (text: string): number => [...text].length;

function usernameError(username: string): KeyedError | undefined {
  const name = username.trim();
  if (name === "") return { key: "usernameMissing" };
  const isFine = lengthOf(name) <= USERNAME_MAXIMUM_LENGTH && /^[^\s@]+$/u.test(name);
  return isFine ? undefined : { key: "username", values: { most: USERNAME_MAXIMUM_LENGTH } };
}

function passwordError(password: string, isNew: boolean): KeyedError | undefined {
  if (password === "") return isNew ? { key: "passwordMissing" } : undefined;
  if (lengthOf(password) < PASSWORD_MINIMUM_LENGTH)
    return { key: "passwordShort", values: { least: PASSWORD_MINIMUM_LENGTH } };
  const isLong = lengthOf(password) > PASSWORD_MAXIMUM_LENGTH;
  return isLong ? { key: "passwordLong", values: { most: PASSWORD_MAXIMUM_LENGTH } } : undefined;
}

/** The balance after the typed change; undefined where that is no amount, or leads beyond what can be counted. */
export function balanceAfter(amount: string, balance: number, view: QuotaView): number | undefined {
  if (amount.trim() === "") return balance;
  const delta = signedQuota(amount, view);
  return delta !== undefined && Number.isSafeInteger(balance + delta) ? balance + delta : undefined;
}

/** Errors; a stored user's name is checked only where it was changed: imported ones may break today's rules. */
export function formErrors(
  form: UserForm,
  user: ManagedUser | undefined,
  view: QuotaView,
): FieldErrors<UserField, KeyedError> {
  const isNew = user === undefined;
  const isRenamed = isNew || form.username !== user.username;
  const isLong =
    lengthOf(form.displayName.trim()) > DISPLAY_NAME_MAX && (isNew || form.displayName !== user.display_name);
  const found: Record<UserField, KeyedError | undefined> = {
    username: isRenamed ? usernameError(form.username) : undefined,
    displayName: isLong ? { key: "displayName", values: { most: DISPLAY_NAME_MAX } } : undefined,
    password: passwordError(form.password, isNew),
    group: undefined,
    remark:
      form.remark.trim().length > USER_REMARK_MAX ? { key: "remark", values: { most: USER_REMARK_MAX } } : undefined,
    amount: isNew || balanceAfter(form.amount, user.quota, view) !== undefined ? undefined : { key: "amount" },
  };
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined));
}

const CHANGE_ID_BYTES = 16;

/** 128 random bits in hexadecimal. (crypto.randomUUID is there on https alone.) */
export const newChangeId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(CHANGE_ID_BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** The body of PUT: only what was changed, the balance as a signed correction. */
export function changeOf(user: ManagedUser, form: UserForm, view: QuotaView): UserChange {
  const body: UserChange = { id: user.id };
  const delta = form.amount.trim() === "" ? 0 : (signedQuota(form.amount, view) ?? 0);
  if (form.username !== user.username) body.username = form.username.trim();
  if (form.displayName !== user.display_name) body.display_name = form.displayName.trim();
  if (form.password !== "") body.password = form.password;
  if (form.group !== user.group) body.group = form.group;
  if (form.remark !== user.remark) body.remark = form.remark.trim();
  if (delta !== 0) body.quota_delta = delta;
  return body;
}
