/** The rules of a registration before it is sent; the server checks the rest. */
import { USERNAME_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import type { ErrorCode } from "../../../../contract/src/error-codes.ts";
import { PASSWORD_REFUSALS, type PasswordProblem } from "../../../../contract/src/passwords.ts";

export const REGISTER_FIELDS = ["username", "password", "password2", "email", "verification_code"] as const;
export type RegisterField = (typeof REGISTER_FIELDS)[number];
export type RegisterForm = Record<RegisterField, string>;

export const EMPTY_FORM: RegisterForm = { username: "", password: "", password2: "", email: "", verification_code: "" };

export type RegisterErrors = Partial<Record<RegisterField, ErrorCode>>;

/** Whether it looks like an address; whether mail arrives there the code shows. */
export const looksLikeAddress = (email: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim());

const length = (text: string): number => [...text].length;

/** Errors by field, as codes of their sentences; empty where there are none. @param problem of the password */
export function registerErrors(form: RegisterForm, needsCode: boolean, problem?: PasswordProblem): RegisterErrors {
  const errors: RegisterErrors = {};
  const username = form.username.trim();
  if (username === "" || length(username) > USERNAME_MAXIMUM_LENGTH || /[\s@]/.test(username))
    errors.username = "username_invalid";
  if (problem !== undefined) errors.password = PASSWORD_REFUSALS[problem];
  else if (form.password !== form.password2) errors.password2 = "passwords_differ";
  if (!needsCode) return errors;
  if (!looksLikeAddress(form.email)) errors.email = "email_invalid";
  else if (form.verification_code.trim() === "") errors.verification_code = "email_code_missing";
  return errors;
}
