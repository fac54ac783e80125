/** The forms of one's own name and password: their rules, and which fields are sent. Pure. */
import { PASSWORD_MINIMUM_LENGTH, USERNAME_MAXIMUM_LENGTH } from "../../../../../contract/src/constants.ts";

export interface PasswordForm {
  original_password: string;
  password: string;
  repeat: string;
}

interface PasswordError {
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

export interface ProfileForm {
  username: string;
  display_name: string;
  original_password: string;
  password: string;
}

interface Profile {
  username: string;
  display_name: string;
}

export const profileForm = ({ username, display_name }: Profile): ProfileForm => ({
  username,
  display_name,
  original_password: "",
  password: "",
});

export interface ProfileError {
  field: keyof ProfileForm;
  key: "usernameMissing" | "usernameLong" | "originalMissing" | "short" | "same";
}

/** The first rule that is broken. @param hasPassword the account has one to prove before it gets another */
export function checkProfile(form: ProfileForm, hasPassword: boolean): ProfileError | undefined {
  const username = form.username.trim();
  const { original_password, password } = form;
  if (username === "") return { field: "username", key: "usernameMissing" };
  if ([...username].length > USERNAME_MAXIMUM_LENGTH) return { field: "username", key: "usernameLong" };
  if (password === "") return undefined;
  if (hasPassword && original_password === "") return { field: "original_password", key: "originalMissing" };
  if ([...password].length < PASSWORD_MINIMUM_LENGTH) return { field: "password", key: "short" };
  return hasPassword && password === original_password ? { field: "password", key: "same" } : undefined;
}

/** Only what was changed is sent; the old password goes with a new one. */
export function changedProfile(form: ProfileForm, { username, display_name }: Profile): Partial<ProfileForm> {
  return {
    ...(form.username.trim() === username ? {} : { username: form.username.trim() }),
    ...(form.display_name.trim() === display_name ? {} : { display_name: form.display_name.trim() }),
    ...(form.password === "" ? {} : { password: form.password, original_password: form.original_password }),
  };
}
