/** Authenticator apps (TOTP): set-up, recovery codes, removal, verification, and the reset by an administrator for a user who lost theirs. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import type { Queries } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { audit } from "../kit/audit.ts";
import { refuseLastFactor } from "../required-action.ts";
import { requireOpenSession } from "../session-store.ts";
import { checkEditable } from "../users/authority.ts";
import { userMissing } from "../users/service.ts";
import { deletePasskeys, passkeysOf } from "./passkey-store.ts";
import { passkeyView } from "./passkeys.ts";
import { countRecoveryCodes, removeRecoveryCodes, replaceRecoveryCodes, takeRecoveryCode } from "./recovery-codes.ts";
import { deleteTotp, findTotp, hasPassword, takeStep, writeConfirmed, writeNewTotp } from "./store.ts";
import { newTotpSecret, stepOfCode, totpAddress } from "./totp.ts";

export const secretContext = (userId: number): string => `totp:${userId}`;

/** The factors of the account. */
export async function readFactors({ database }: ConsoleContext, { user }: Session) {
  const { kysely } = database;
  const [has_password, totp, recovery_codes, keys] = await Promise.all([
    hasPassword(kysely, user.id),
    findTotp(kysely, user.id),
    countRecoveryCodes(kysely, user.id),
    passkeysOf(kysely, user.id),
  ]);
  return { has_password, totp_time: totp?.confirmed_time ?? 0, recovery_codes, passkeys: keys.map(passkeyView) };
}

/** A new secret, which counts once a code of it was typed. @throws AppError totp_on. */
export async function beginTotp(context: ConsoleContext, { user }: Session) {
  const { database, secrets, snapshot } = context;
  const secret = newTotpSecret();
  const secretCipher = secrets.encrypt(secret, secretContext(user.id));
  const isKept = await writeNewTotp(database, database.kysely, {
    userId: user.id,
    secretCipher,
    now: nowSeconds(context.clock),
  });
  if (!isKept) throw new AppError("totp_on");
  return { secret, address: totpAddress(secret, { site: snapshot.options.SystemName, username: user.username }) };
}

type FactorCode = "factor_added" | "factor_removed";

const notice = (code: FactorCode, factor: string, ip: string): Notification => ({ code, values: { factor, ip } });

/** Enables TOTP. @returns recovery codes. @throws AppError totp_off, totp_on, factor_code_wrong. */
export async function confirmTotp(
  context: ConsoleContext,
  { user, sessionId }: Session,
  code: string,
  { ip }: RequestFacts,
): Promise<string[]> {
  const { database, secrets } = context;
  const row = await findTotp(database.kysely, user.id);
  if (row === undefined) throw new AppError("totp_off");
  if (row.confirmed_time > 0) throw new AppError("totp_on");
  const secretCipher = row.secret_cipher;
  const now = nowSeconds(context.clock);
  const step = stepOfCode(secrets.decrypt(secretCipher, secretContext(user.id)), plainCode(code), now);
  if (step === undefined) throw new AppError("factor_code_wrong", { field: "code" });
  return database.kysely.transaction().execute(async (transaction) => {
    await requireOpenSession(transaction, { userId: user.id, sessionId });
    if (!(await writeConfirmed(transaction, { userId: user.id, secretCipher, step, now })))
      throw new AppError("totp_on");
    await notifyUser(context, transaction, { userId: user.id, notification: notice("factor_added", "totp", ip) });
    return replaceRecoveryCodes(transaction, secrets, user.id);
  });
}

/** Disables TOTP. @throws AppError totp_off, or factor_demanded where the site demands a factor and no passkey is left. */
export async function disableTotp(context: ConsoleContext, { user }: Session, { ip }: RequestFacts): Promise<void> {
  await context.database.kysely.transaction().execute(async (transaction) => {
    // Taken first: factors are taken away one after the other.
    await bumpVersion(transaction, "users");
    if (!(await deleteTotp(transaction, user.id))) throw new AppError("totp_off");
    await removeRecoveryCodes(transaction, user.id);
    await refuseLastFactor(transaction, user.id);
    await notifyUser(context, transaction, { userId: user.id, notification: notice("factor_removed", "totp", ip) });
  });
}

/** @returns new recovery codes; the old ones have ended. @throws AppError totp_off. */
export async function renewRecoveryCodes(
  context: ConsoleContext,
  { user }: Session,
  { ip }: RequestFacts,
): Promise<string[]> {
  return context.database.kysely.transaction().execute(async (transaction) => {
    const totp = await findTotp(transaction, user.id);
    if (totp === undefined || totp.confirmed_time === 0) throw new AppError("totp_off");
    await notifyUser(context, transaction, {
      userId: user.id,
      notification: notice("factor_added", "recovery_codes", ip),
    });
    return replaceRecoveryCodes(transaction, context.secrets, user.id);
  });
}

/** Apps show six digits in two groups. */
const plainCode = (typed: string): string => typed.replaceAll(/\s/g, "");

/** Six digits; everything else is read as a recovery code. */
export const isTotpCode = (typed: string): boolean => /^\d{6}$/.test(plainCode(typed));

/**
 * Takes a code of the account's authenticator app.
 * @returns false where it is wrong.
 * @throws AppError factor_code_used for one that was taken before.
 */
export async function takeTotpCode(context: ConsoleContext, userId: number, typed: string): Promise<boolean> {
  const { kysely } = context.database;
  const row = await findTotp(kysely, userId);
  if (row === undefined || row.confirmed_time === 0) return false;
  const secretCipher = row.secret_cipher;
  const secret = context.secrets.decrypt(secretCipher, secretContext(userId));
  const step = stepOfCode(secret, plainCode(typed), nowSeconds(context.clock));
  if (step === undefined) return false;
  if (!(await takeStep(kysely, { userId, secretCipher, step })))
    throw new AppError("factor_code_used", { field: "code" });
  return true;
}

/** Takes what was typed as the second step. @returns false where it is wrong. @throws AppError factor_code_used. */
export async function takeSecondFactor(context: ConsoleContext, userId: number, typed: string): Promise<boolean> {
  if (isTotpCode(typed)) return takeTotpCode(context, userId, typed);
  const { database, secrets } = context;
  return takeRecoveryCode(database.kysely, secrets, { userId, typed, now: nowSeconds(context.clock) });
}

/** The name of the account, where the caller may act on it. */
async function nameOfTarget(queries: Queries, { user, role }: Session, userId: number): Promise<string> {
  const target = await queries
    .selectFrom("users")
    .select(["id", "username", "role", "deleted_at"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (target === undefined) throw userMissing();
  // The own ones are turned off on the own page, which asks for more.
  if (target.id === user.id) throw new AppError("user_is_self", { field: "id" });
  checkEditable({ id: user.id, role }, target);
  return target.username;
}

/** Deletes the authenticator app with its recovery codes, and every passkey. @returns what there was */
export async function removeAllFactors(queries: Queries, userId: number): Promise<{ totp: boolean; passkeys: number }> {
  const totp = await deleteTotp(queries, userId);
  await removeRecoveryCodes(queries, userId);
  return { totp, passkeys: await deletePasskeys(queries, userId) };
}

/**
 * Takes the factors of a user away who lost their phone and their keys, so that the password alone signs in.
 * @throws AppError not_found, user_is_self, user_role_not_lower, user_deregistered.
 */
export async function removeFactorsOf(
  context: ConsoleContext,
  session: Session,
  userId: number,
  request: RequestFacts,
): Promise<{ totp: boolean; passkeys: number }> {
  const { name, ...removed } = await context.database.kysely.transaction().execute(async (transaction) => {
    const name = await nameOfTarget(transaction, session, userId);
    const { totp, passkeys } = await removeAllFactors(transaction, userId);
    const factors = [...(totp ? ["totp"] : []), ...(passkeys > 0 ? ["passkey"] : [])];
    for (const factor of factors)
      await notifyUser(context, transaction, {
        userId,
        notification: { code: "factor_removed_by_administrator", values: { factor } },
      });
    return { name, totp, passkeys };
  });
  const event = { code: "factors_removed", values: { name, id: userId } } as const;
  await audit(context, { session, request }, event, removed);
  return removed;
}
