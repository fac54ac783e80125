/** Rules of login and logout with a password. */
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { guard } from "../accounts/guesses.ts";
import type { Guesser } from "../accounts/guesses.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { STEP_UP_SECONDS } from "../http/guards.ts";
import { hashPassword, verifyPassword } from "../passwords.ts";
import { confirmSession } from "../session-store.ts";
import { checkHuman } from "./human-check.ts";
import { findAccount, findPasswordHash, replaceHash } from "./store.ts";
import type { Account } from "./store.ts";

export interface LoginForm {
  username: string;
  password: string;
  turnstile: string;
}

const seconds = (context: ConsoleContext): number => Math.floor(context.clock() / 1000);

/**
 * The account whose name, or e-mail, and password the form has.
 * @throws AppError password_login_disabled, login_fields_missing, human_check_*, login_failed, too_many_requests.
 */
export async function checkLogin(context: ConsoleContext, form: LoginForm, { ip, claim }: Guesser): Promise<Account> {
  const { options } = context.snapshot;
  if (!options.PasswordLoginEnabled) throw new AppError("password_login_disabled");
  const name = form.username.trim();
  if (name === "" || form.password === "") throw new AppError("login_fields_missing");
  await checkHuman(options, form.turnstile, ip);
  const account = await findAccount(context.database.kysely, name);
  const guess = { kind: "login", account: name, userId: account?.id, ip, claim } as const;
  const checked = await guard(context, guess, () => checkPassword(context, account, form.password));
  if (checked === undefined) throw new AppError("login_failed");
  return checked;
}

/** Takes the same time whether the account exists or not. */
async function checkPassword(
  context: ConsoleContext,
  account: Account | undefined,
  password: string,
): Promise<Account | undefined> {
  const check = await verifyPassword(account?.password_hash, password);
  if (account === undefined || !check.isRight || account.status !== USER_STATUS.enabled) return undefined;
  if (check.needsRehash) await rehash(context, account, password);
  return account;
}

async function rehash(context: ConsoleContext, account: Account, password: string): Promise<void> {
  if (account.password_hash === null) return;
  await replaceHash(context.database.kysely, account.id, account.password_hash, await hashPassword(password));
}

/**
 * Confirms the password of the session's own user.
 * @returns Unix seconds until which it counts.
 * @throws AppError confirm_failed, too_many_requests, or refused for an access token, which has no session to confirm.
 */
export async function confirmPassword(
  context: ConsoleContext,
  session: Session,
  { password, ip, claim }: { password: string } & Guesser,
): Promise<number> {
  if (session.sessionId === undefined) throw new AppError("refused", { message: "An access token cannot confirm" });
  const { id } = session.user;
  const guess = { kind: "step_up", account: String(id), userId: id, ip, claim } as const;
  const isRight = await guard(context, guess, async () => {
    const check = await verifyPassword(await findPasswordHash(context.database.kysely, id), password);
    return check.isRight || undefined;
  });
  if (isRight === undefined) throw new AppError("confirm_failed", { field: "password" });
  await confirmSession(context.database.kysely, session.sessionId, seconds(context));
  return seconds(context) + STEP_UP_SECONDS;
}
