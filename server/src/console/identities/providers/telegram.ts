/** Telegram's login widget: verifies the bot's signature over its fields (Telegram's documentation, "Checking authorization"). */
import { createHash, createHmac } from "node:crypto";
import { AppError } from "../../../../../contract/src/errors.ts";
import { isSameSecret } from "../../http/same-secret.ts";
import type { Profile } from "./provider.ts";

/** How long what the widget gave counts, and how far ahead Telegram's clock may be. Seconds. */
const OLDEST_SECONDS = 300;
const AHEAD_SECONDS = 60;

const SIGNED = ["auth_date", "first_name", "id", "last_name", "photo_url", "username"] as const;

export type TelegramFields = Partial<Record<(typeof SIGNED)[number], string | undefined>> & { hash: string };

/** The signature that Telegram's documentation describes; hexadecimal. */
export function telegramHash(botToken: string, fields: Omit<TelegramFields, "hash">): string {
  const lines = SIGNED.flatMap((name) => (fields[name] === undefined ? [] : [`${name}=${fields[name]}`]));
  const key = createHash("sha256").update(botToken).digest();
  return createHmac("sha256", key).update(lines.join("\n")).digest("hex");
}

/**
 * Who the widget says it is.
 * @param now Unix seconds.
 * @throws AppError identity_failed where the signature is wrong, or older than five minutes.
 */
export function telegramProfile(botToken: string, fields: TelegramFields, now: number): Profile {
  const isSigned = botToken !== "" && isSameSecret(fields.hash.toLowerCase(), telegramHash(botToken, fields));
  const signedTime = /^\d{1,12}$/.test(fields.auth_date ?? "") ? Number(fields.auth_date) : 0;
  const isFresh = signedTime >= now - OLDEST_SECONDS && signedTime <= now + AHEAD_SECONDS;
  if (!isSigned || !isFresh || !/^[1-9]\d{0,19}$/.test(fields.id ?? "")) throw new AppError("identity_failed");
  const { id = "", username = "", first_name = "", last_name = "" } = fields;
  return { subject: id, login: username, displayName: `${first_name} ${last_name}`.trim(), email: undefined };
}
