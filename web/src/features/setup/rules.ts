/** Checks and request body of the wizard. Pure. */

import type { PasswordProblem } from "../../../../contract/src/passwords.ts";

export type UsageMode = "external" | "self" | "demo";

export const USAGE_MODES: readonly UsageMode[] = ["external", "self", "demo"];

export interface SetupForm {
  username: string;
  password: string;
  confirmPassword: string;
  usageMode: UsageMode;
  code: string;
}

export type AccountField = "username" | "password" | "confirmPassword";

export interface AccountError {
  field: AccountField;
  /** Of the sentence in the feature's texts. */
  key:
    | "usernameMissing"
    | "usernameLong"
    | "passwordShort"
    | "passwordLong"
    | "passwordCommon"
    | "passwordIsName"
    | "passwordMismatch";
}

const PASSWORD_KEYS = {
  short: "passwordShort",
  long: "passwordLong",
  common: "passwordCommon",
  name: "passwordIsName",
} as const satisfies Record<PasswordProblem, AccountError["key"]>;

/** The first thing wrong with the administrator's account, or undefined. @param problem what is wrong with the password */
export function checkAccount(form: SetupForm, problem: PasswordProblem | undefined): AccountError | undefined {
  if (form.username.trim() === "") return { field: "username", key: "usernameMissing" };
  if (problem !== undefined) return { field: "password", key: PASSWORD_KEYS[problem] };
  if (form.password !== form.confirmPassword) return { field: "confirmPassword", key: "passwordMismatch" };
  return undefined;
}

/** The body of POST /api/setup; without an account where a super administrator exists already. */
export function setupBody(form: SetupForm, hasRoot: boolean) {
  const account = hasRoot
    ? {}
    : { username: form.username.trim(), password: form.password, confirmPassword: form.confirmPassword };
  return {
    ...account,
    SelfUseModeEnabled: form.usageMode === "self",
    DemoSiteEnabled: form.usageMode === "demo",
    code: form.code.trim(),
  };
}
