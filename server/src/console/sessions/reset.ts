/** Rules of password resets: a link by mail, and the new password that it is exchanged for. */
import { randomInt } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import { isMailConfigured } from "../../notify/mail.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { addressOf, inConstantTime } from "../accounts/email-codes.ts";
import { CODE_SECONDS, giveCodeUnlessRecent, newLinkToken, takeCode } from "../accounts/one-time-codes.ts";
import { tooManyRequests } from "../http/envelope.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { hashPassword } from "../passwords.ts";
import { findByAddress, writeResetPassword } from "./store.ts";

/**
 * Sends the link to the account of this address. For an address without one nothing is sent; answer and time are the same.
 * @throws AppError mail_not_configured, server_address_missing, email_invalid, too_many_requests with the seconds until this address may
 * be asked for again.
 */
export async function requestReset(context: ConsoleContext, email: string): Promise<void> {
  const { options } = context.snapshot;
  if (!isMailConfigured(options)) throw new AppError("mail_not_configured");
  // Never taken from the request: its sender chooses the Host header, and the mail would lead to a site of theirs.
  if (options.ServerAddress === "") throw new AppError("server_address_missing");
  await inConstantTime(giveAndMail(context, addressOf(email)));
}

function giveAndMail(context: ConsoleContext, address: string): Promise<void> {
  const [now, token] = [Math.floor(context.clock() / 1000), newLinkToken()];
  return context.database.kysely.transaction().execute(async (transaction) => {
    const account = await findByAddress(transaction, address);
    const payload = { userId: account?.id, epoch: account?.sign_in_epoch };
    const link = { purpose: "reset", subject: address, secret: token, payload, now } as const;
    const waitSeconds = await giveCodeUnlessRecent(context, transaction, link);
    if (waitSeconds > 0) throw tooManyRequests(waitSeconds);
    if (account === undefined) return;
    const { id: userId } = account;
    const query = new URLSearchParams({ email: address, token });
    const values = {
      address: `${context.snapshot.options.ServerAddress}/user/reset?${query}`,
      minutes: CODE_SECONDS / 60,
    };
    await notifyUser(context, transaction, { userId, notification: { code: "password_reset", values } });
  });
}

/** Whose link it is, and what their sign-ins stood at when it was sent: an older one resets nothing. */
const payloadSchema = z.object({ userId: z.number(), epoch: z.number() });

/** Uses the link up. Throws AppError reset_link_invalid. */
async function takeLink(context: ConsoleContext, email: string, token: string) {
  const address = email.trim().toLowerCase();
  const link = { purpose: "reset", subject: address, secret: token.trim() } as const;
  try {
    const payload = await takeCode(context, { ...link, now: Math.floor(context.clock() / 1000) });
    const sentFor = payloadSchema.safeParse(payload);
    if (!sentFor.success) throw new AppError("reset_link_invalid");
    return { address, ...sentFor.data };
  } catch (error) {
    if (error instanceof AppError && error.code === "code_invalid") throw new AppError("reset_link_invalid");
    throw error;
  }
}

/** Letters and digits of which none looks like another. */
const PASSWORD_ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/** 92 bits. */
const PASSWORD_LENGTH = 16;

/** A random password, for an account whose owner has to choose another one at the next login. */
export const newPassword = (): string =>
  Array.from({ length: PASSWORD_LENGTH }, () => PASSWORD_ALPHABET.charAt(randomInt(PASSWORD_ALPHABET.length))).join("");

/**
 * Exchanges the link for a new password, a temporary one. Every session and access token of the account end; second factors stay, since they
 * protect against a compromised mailbox.
 * @returns the new password, which is shown this once.
 * @throws AppError reset_link_invalid where the link is used, over, was guessed at five times, or the account has another address by now
 * or ended its sessions since.
 */
export async function resetPassword(
  context: ConsoleContext,
  { email, token, ip }: { email: string; token: string; ip: string },
): Promise<string> {
  const { userId, ...sentFor } = await takeLink(context, email, token);
  const password = newPassword();
  const change = { userId, ...sentFor, passwordHash: await hashPassword(password) };
  const isThere = await writeResetPassword(context.database, change, async (queries) => {
    await notifyUser(context, queries, { userId, notification: { code: "password_changed", values: { ip } } });
  });
  if (!isThere) throw new AppError("reset_link_invalid");
  context.recordSecurityEvent({ kind: "password_reset", userId, ip });
  await context.snapshot.refresh();
  return password;
}
