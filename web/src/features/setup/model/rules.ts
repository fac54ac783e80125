/** What the wizard checks before it sends anything, and what it sends. Pure. */

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
  key: "usernameMissing" | "usernameLong" | "passwordShort" | "passwordMismatch";
}

const PASSWORD_MIN = 8;

export const isLongEnough = (password: string): boolean => password.length >= PASSWORD_MIN;

/** The passwords of eight and more characters that head every published list. */
const COMMON = new Set(
  "12345678 123456789 1234567890 password password1 password123 qwerty123 qwertyuiop 11111111 00000000 88888888 iloveyou sunshine princess football baseball superman 1q2w3e4r 1qaz2wsx admin123 administrator letmein1 welcome1 a1234567 abc12345 changeme turnpike".split(
    " ",
  ),
);

export const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase());

/** The first thing wrong with the administrator's account, or undefined. */
export function checkAccount(form: SetupForm): AccountError | undefined {
  if (form.username.trim() === "") return { field: "username", key: "usernameMissing" };
  if (!isLongEnough(form.password)) return { field: "password", key: "passwordShort" };
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
