/** E-mail verification codes that prove the ownership of an address, at registration and when an address is added to an account. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Language } from "../../../../contract/src/notifications.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { isMailConfigured } from "../../notify/mail.ts";
import { putMessage } from "../../notify/outbox.ts";
import { tooManyRequests } from "../http/envelope.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { guard } from "./guesses.ts";
import type { GuardContext, Guesser } from "./guesses.ts";
import { CODE_SECONDS, giveCodeUnlessRecent, newDigits, takeCode } from "./one-time-codes.ts";

const ADDRESS = z.email().max(254);

/** The address as accounts store it: without blanks around it and in small letters. Throws AppError email_invalid. */
export function addressOf(email: string): string {
  const address = email.trim().toLowerCase();
  if (!ADDRESS.safeParse(address).success) throw new AppError("email_invalid", { field: "email" });
  return address;
}

/** Throws AppError email_domain_refused, email_alias_refused where the site's options do not take this address. */
function checkAllowed(options: OptionValues, address: string): void {
  const [local = "", domain = ""] = address.split("@");
  const { EmailDomainRestrictionEnabled, EmailDomainWhitelist, EmailAliasRestrictionEnabled } = options;
  if (EmailDomainRestrictionEnabled && !EmailDomainWhitelist.some((entry) => entry.toLowerCase() === domain))
    throw new AppError("email_domain_refused", { field: "email", values: { domain } });
  if (EmailAliasRestrictionEnabled && /[+.]/.test(local)) throw new AppError("email_alias_refused", { field: "email" });
}

type CodeContext = Pick<ConsoleContext, "database" | "secrets" | "snapshot" | "clock">;

/**
 * Sends a code to an address. One that already belongs to an account gets none, with an equal response in equal time, so that the endpoint
 * cannot be used to find out which addresses have an account.
 * @throws AppError mail_not_configured, email_invalid, email_domain_refused, email_alias_refused, too_many_requests with the seconds
 * until this address may be asked for again.
 */
export async function sendEmailCode(
  context: CodeContext,
  { email, language }: { email: string; language: Language },
): Promise<void> {
  const { options } = context.snapshot;
  if (!isMailConfigured(options)) throw new AppError("mail_not_configured");
  const address = addressOf(email);
  checkAllowed(options, address);
  await inConstantTime(giveAndMail(context, address, language));
}

function giveAndMail(context: CodeContext, address: string, language: Language): Promise<void> {
  const { database } = context;
  const [now, secret] = [Math.floor(context.clock() / 1000), newDigits()];
  return database.kysely.transaction().execute(async (transaction) => {
    const code = { purpose: "email", subject: address, secret, now } as const;
    // Kept for a known address too, though it is not sent: the wait for another one is the same.
    const waitSeconds = await giveCodeUnlessRecent(context, transaction, code);
    if (waitSeconds > 0) throw tooManyRequests(waitSeconds);
    const known = transaction.selectFrom("users").select("id").where("email", "=", address).limit(1);
    if ((await known.executeTakeFirst()) !== undefined) return;
    const notification = { code: "email_code", values: { code: secret, minutes: CODE_SECONDS / 60 } } as const;
    const recipient = { method: "email", address } as const;
    await putMessage(context, transaction, { notification, userId: 0, recipient, language, now });
  });
}

/**
 * Takes the code that was sent to an address. It is gone afterwards; wrong ones are counted for the code, and as guesses at the address.
 * @returns the address as accounts store it.
 * @throws AppError email_invalid, email_code_missing, code_invalid, too_many_requests.
 */
export async function takeEmailCode(
  context: GuardContext,
  { email, code, ip, claim }: { email: string; code: string } & Guesser,
): Promise<string> {
  const secret = code.trim();
  if (email.trim() === "") throw new AppError("email_code_missing", { field: "email" });
  if (secret === "") throw new AppError("email_code_missing", { field: "verification_code" });
  const subject = addressOf(email);
  const now = Math.floor(context.clock() / 1000);
  const isRight = await guard(context, { kind: "email_code", account: subject, ip, claim }, () =>
    takeCode(context, { purpose: "email", subject, secret, now }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && error.code === "code_invalid") return undefined;
        throw error;
      },
    ),
  );
  if (isRight === undefined) throw new AppError("code_invalid", { field: "verification_code" });
  return subject;
}

/** Longer than the work takes on a database that is well. */
const SHORTEST_MS = 150;

/**
 * What `work` gives or throws, but never before `SHORTEST_MS` have passed: for answers whose time must not say whether an address has an
 * account.
 */
export async function inConstantTime<Result>(work: Promise<Result>): Promise<Result> {
  const [ended] = await Promise.allSettled([work, delay(SHORTEST_MS)]);
  if (ended.status === "rejected") throw ended.reason;
  return ended.value;
}
