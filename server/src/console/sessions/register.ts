/** Rules of registering with a password. */
import { AppError } from "../../../../contract/src/errors.ts";
import { nameColumns } from "../../db/new-user.ts";
import { checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { takeEmailCode } from "../accounts/email-codes.ts";
import { giveFirstToken } from "../accounts/first-token.ts";
import { createAccount, refuseTaken } from "../accounts/new-account.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { hashPassword } from "../passwords.ts";
import { checkHuman } from "./human-check.ts";

export interface RegisterForm {
  username: string;
  password: string;
  password2?: string | undefined;
  email: string;
  verification_code: string;
  aff_code: string;
  turnstile: string;
}

/**
 * Makes an account without logging it in. The form's address is used only where the site verifies addresses.
 * @throws AppError registration_closed, password_registration_closed, username_*, password_*, human_check_*, email_*, code_invalid,
 * too_many_requests.
 */
export async function register(context: ConsoleContext, form: RegisterForm, request: RequestFacts): Promise<void> {
  const { options } = context.snapshot;
  // A gateway for oneself takes no strangers.
  if (!options.RegisterEnabled || options.SelfUseModeEnabled) throw new AppError("registration_closed");
  if (!options.PasswordRegisterEnabled) throw new AppError("password_registration_closed");
  const username = checkUsername(form.username.trim());
  const address = options.EmailVerificationEnabled ? form.email : "";
  checkNewPassword(context, form.password, { username, email: address });
  if (form.password2 !== undefined && form.password2 !== form.password)
    throw new AppError("passwords_differ", { field: "password2" });
  await checkHuman(options, form.turnstile, request.ip);
  // Before the code is used up: who has to choose another name goes on with the same code.
  await refuseTaken(context.database.kysely, { ...nameColumns(username), email: null });
  const proof = { email: form.email, code: form.verification_code, ip: request.ip, claim: request.claim };
  const email = options.EmailVerificationEnabled ? await takeEmailCode(context, proof) : null;
  const account = await createAccount(context, {
    username,
    password_hash: await hashPassword(form.password),
    email,
    inviteCode: form.aff_code.trim(),
    setting: JSON.stringify({ language: request.language }),
  });
  context.recordSecurityEvent({ kind: "registered", userId: account.id, way: "password", ip: request.ip });
  await giveFirstToken(context, account);
}
