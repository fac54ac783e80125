/** Rules of registration with a password, and the default token of a new account. */
import { AppError } from "../../../../contract/src/errors.ts";
import { nameColumns } from "../../db/new-user.ts";
import { checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { takeEmailCode } from "../accounts/email-codes.ts";
import type { SignedInAccount } from "../accounts/login-answer.ts";
import { createAccount, refuseTaken } from "../accounts/new-account.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { hashPassword } from "../passwords.ts";
import { createTokens } from "../tokens/service.ts";
import { acceptTerms, checkTermsVersion, termsVersion } from "../terms.ts";
import { checkHuman } from "./human-check.ts";

/** Where a client shows what is left; the account's own quota is the limit. */
const SHOWN_QUOTA = 500_000;

/** Makes the first token of a new account where the operator wants one (GENERATE_DEFAULT_TOKEN). An account without its first token is whole: what fails is logged, and the owner makes one. */
export async function giveFirstToken(context: ConsoleContext, account: SignedInAccount): Promise<void> {
  if (!context.site.givesFirstToken) return;
  const owner = { id: account.id, groupName: account.group_name };
  const name = `${account.username}'s initial token`;
  const token = { name, unlimited_quota: true, remain_quota: SHOWN_QUOTA, expired_time: -1 };
  await createTokens(context, owner, token).catch((error: unknown) =>
    context.logger.error({ err: error, userId: account.id }, "the first token of a new account could not be made"),
  );
}

interface RegisterForm {
  username: string;
  password: string;
  password2?: string | undefined;
  email: string;
  verification_code: string;
  terms_version: string;
  aff_code: string;
  turnstile: string;
}

/**
 * Makes an account; logging it in is the next step of the caller. The form's address is used only where the site verifies addresses.
 * @throws AppError registration_closed, password_registration_closed, username_*, password_*, human_check_*, email_*, code_invalid, terms_*,
 * too_many_requests.
 */
export async function register(
  context: ConsoleContext,
  form: RegisterForm,
  request: RequestFacts,
): Promise<SignedInAccount> {
  const { options } = context.snapshot;
  // A gateway in self-use mode creates no accounts.
  if (!options.RegisterEnabled || options.SelfUseModeEnabled) throw new AppError("registration_closed");
  if (!options.PasswordRegisterEnabled) throw new AppError("password_registration_closed");
  const username = checkUsername(form.username.trim());
  const address = options.EmailVerificationEnabled ? form.email : "";
  checkNewPassword(context, form.password, { username, email: address });
  if (form.password2 !== undefined && form.password2 !== form.password)
    throw new AppError("passwords_differ", { field: "password2" });
  checkTermsVersion(form.terms_version, termsVersion(options));
  await checkHuman(options, form.turnstile, request.ip);
  // Before the code is used up: a user who has to choose another name keeps the same code.
  await refuseTaken(context.database.kysely, { ...nameColumns(username), email: null });
  const proof = { email: form.email, code: form.verification_code, ip: request.ip, claim: request.claim };
  const email = options.EmailVerificationEnabled ? await takeEmailCode(context, proof) : null;
  const row = {
    username,
    password_hash: await hashPassword(form.password),
    email,
    inviteCode: form.aff_code.trim(),
    setting: JSON.stringify({ language: request.language }),
  };
  const now = Math.floor(context.clock() / 1000);
  const account = await createAccount(context, row, (queries, userId) =>
    acceptTerms(context.database, queries, { userId, version: form.terms_version, now }),
  );
  context.recordSecurityEvent({ kind: "registered", userId: account.id, way: "password", ip: request.ip });
  await giveFirstToken(context, account);
  return account;
}
