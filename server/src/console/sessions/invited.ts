/** Registration by the link of an invitation, which works while registration is closed to others. */
import { nameColumns } from "../../db/new-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { findInvitation, spendInvitation } from "../accounts/invitation.ts";
import type { SignedInAccount } from "../accounts/login-answer.ts";
import { createAccount, refuseTaken } from "../accounts/new-account.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { hashPassword } from "../passwords.ts";
import { acceptTerms, checkTermsVersion, termsVersion } from "../terms.ts";
import { giveFirstToken } from "./register.ts";

interface InvitedForm {
  token: string;
  username: string;
  password: string;
  terms_version: string;
}

/**
 * Makes the ordinary account of an invitation, with its address, group and quota; logging it in is the next step of the caller.
 * @throws AppError invitation_invalid, username_*, password_*, terms_*, email_taken where the address got an account meanwhile.
 */
export async function acceptInvitation(
  context: ConsoleContext,
  form: InvitedForm,
  request: RequestFacts,
): Promise<SignedInAccount> {
  const invitation = await findInvitation(context, form.token);
  const { email, group_name } = invitation;
  const username = checkUsername(form.username.trim());
  checkNewPassword(context, form.password, { username, email });
  checkTermsVersion(form.terms_version, termsVersion(context.snapshot.options));
  await refuseTaken(context.database.kysely, { ...nameColumns(username), email });
  const password_hash = await hashPassword(form.password);
  const row = { username, password_hash, email, setting: JSON.stringify({ language: request.language }) };
  const now = nowSeconds(context.clock);
  const made = await createAccount(context, row, async (queries, userId) => {
    await spendInvitation(context, queries, invitation, userId);
    await acceptTerms(context.database, queries, { userId, version: form.terms_version, now });
  });
  context.recordSecurityEvent({ kind: "registered", userId: made.id, way: "password", ip: request.ip });
  const account = { ...made, group_name };
  await giveFirstToken(context, account);
  return account;
}
