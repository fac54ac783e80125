/** What names and passwords of accounts must be, whoever sets them: their owner, a registration or an administrator. */
import { PASSWORD_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { DISPLAY_NAME_MAX, PASSWORD_MIN, USERNAME_MAX } from "../../../../contract/src/features/personal.ts";

/** The name as it is. An @ is left out because log-in also takes email addresses. Throws AppError username_invalid. */
export function checkUsername(username: string): string {
  const isFine = [...username].length <= USERNAME_MAX && /^[^\s@]+$/u.test(username);
  if (!isFine) throw new AppError("username_invalid", { field: "username" });
  return username;
}

/** The name without blanks around it. Throws AppError display_name_long. */
export function checkDisplayName(name: string): string {
  const trimmed = name.trim();
  if ([...trimmed].length > DISPLAY_NAME_MAX) throw new AppError("display_name_long", { field: "display_name" });
  return trimmed;
}

/** Throws AppError password_short. */
export function checkPassword(password: string): void {
  if ([...password].length < PASSWORD_MIN) throw new AppError("password_short", { field: "password" });
}

/** For a password that somebody else sets, or that begins an account. Throws AppError password_short or password_long. */
export function checkNewPassword(password: string): void {
  checkPassword(password);
  if ([...password].length > PASSWORD_MAXIMUM_LENGTH) throw new AppError("password_long", { field: "password" });
}
