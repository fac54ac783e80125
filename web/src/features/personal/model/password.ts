/** Rules of a new password, as the form tells them before anything is sent. Pure. */
import { PASSWORD_MINIMUM_LENGTH } from "../../../../../contract/src/constants.ts";

export interface PasswordForm {
  original_password: string;
  password: string;
  repeat: string;
}

export interface PasswordError {
  field: keyof PasswordForm;
  key: "originalMissing" | "missing" | "short" | "same" | "mismatch";
}

/** The first rule that is broken, in the order of the fields. @param hasPassword the account has one to prove */
export function checkNewPassword(form: PasswordForm, hasPassword: boolean): PasswordError | undefined {
  const { original_password, password, repeat } = form;
  if (hasPassword && original_password === "") return { field: "original_password", key: "originalMissing" };
  if (password === "") return { field: "password", key: "missing" };
  if ([...password].length < PASSWORD_MINIMUM_LENGTH) return { field: "password", key: "short" };
  if (hasPassword && password === original_password) return { field: "password", key: "same" };
  return repeat === password ? undefined : { field: "repeat", key: "mismatch" };
}
