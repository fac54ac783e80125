/** Rules for user names and passwords, equal for owners, registrations and administrators. */
import { COMMON_PASSWORDS } from "../../../../contract/src/common-passwords.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { USERNAME_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import { DISPLAY_NAME_MAX } from "../../../../contract/src/features/personal.ts";
import { PASSWORD_REFUSALS, passwordProblem, siteNames } from "../../../../contract/src/passwords.ts";
import type { ConsoleContext } from "../http/handlers.ts";

/** The name as it is. An @ is left out because log-in also takes email addresses. Throws AppError username_invalid. */
export function checkUsername(username: string): string {
  const isFine = [...username].length <= USERNAME_MAXIMUM_LENGTH && /^[^\s@]+$/u.test(username);
  if (!isFine) throw new AppError("username_invalid", { field: "username" });
  return username;
}

/** The name without blanks around it. Throws AppError display_name_long. */
export function checkDisplayName(name: string): string {
  const trimmed = name.trim();
  if ([...trimmed].length > DISPLAY_NAME_MAX) throw new AppError("display_name_long", { field: "display_name" });
  return trimmed;
}

/** Whose password it will be, as far as that is known. */
export interface PasswordOwner {
  username: string;
  email: string | null;
}

/**
 * The one rule of every new password: 8 to 128 characters, not one of the commonest, not made of the names of the site
 * and the account. Throws AppError password_short, password_long, password_common or password_is_name.
 */
export function checkNewPassword(
  { snapshot }: Pick<ConsoleContext, "snapshot">,
  password: string,
  { username, email }: PasswordOwner,
): void {
  const { SystemName, ServerAddress } = snapshot.options;
  const names = [...siteNames({ name: SystemName, address: ServerAddress }), username, email ?? ""];
  const problem = passwordProblem(password, names, COMMON_PASSWORDS);
  if (problem !== undefined) throw new AppError(PASSWORD_REFUSALS[problem], { field: "password" });
}
