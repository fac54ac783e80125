/** Keys of payment providers as operators paste them: PEM, or the bare Base64 that a provider's tool shows, with or without line breaks. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import type { OptionName } from "../../../../contract/src/options/options.ts";
import type { OptionReason } from "../../../../contract/src/options/reasons.ts";
import { refusalOf } from "../../../../contract/src/options/refusals.ts";

/** More than a key or a certificate of 16,384 bits takes. */
const LONGEST_KEY = 32_768;

/** The bytes between the lines of PEM; undefined for what is no Base64. */
function derOf(text: string): Buffer | undefined {
  if (text.length > LONGEST_KEY) return undefined;
  const bare = text.replaceAll(/-----[A-Z0-9 ]+-----/g, "").replaceAll(/\s/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? Buffer.from(bare, "base64") : undefined;
}

/** The first that can be made; undefined where none can. Each way throws for bytes of another form. */
function firstOf<Made>(ways: readonly (() => Made)[]): Made | undefined {
  for (const way of ways) {
    try {
      return way();
    } catch {
      continue;
    }
  }
  return undefined;
}

const isRsa = (key: KeyObject | undefined): key is KeyObject => key?.asymmetricKeyType === "rsa";

/** An RSA private key, PKCS #8 or #1; undefined where the text is none. */
export function privateKeyIn(text: string): KeyObject | undefined {
  const key = derOf(text);
  if (key === undefined) return undefined;
  const made = firstOf([
    () => createPrivateKey({ key, format: "der", type: "pkcs8" }),
    () => createPrivateKey({ key, format: "der", type: "pkcs1" }),
  ]);
  return isRsa(made) ? made : undefined;
}

/** A certificate; undefined where the text is none. */
export function certificateIn(text: string): X509Certificate | undefined {
  const bytes = derOf(text);
  return bytes && firstOf([() => new X509Certificate(bytes)]);
}

/** An RSA public key, alone or that of a certificate; undefined where the text is neither. A private key is none. */
export function publicKeyIn(text: string): KeyObject | undefined {
  const key = derOf(text);
  if (key === undefined || privateKeyIn(text) !== undefined) return undefined;
  const made = firstOf([
    () => createPublicKey({ key, format: "der", type: "spki" }),
    () => createPublicKey({ key, format: "der", type: "pkcs1" }),
    () => new X509Certificate(key).publicKey,
  ]);
  return isRsa(made) ? made : undefined;
}

/** Bytes of WeChat Pay's APIv3 key: it is a key of AES-256. */
export const API_V3_KEY_BYTES = 32;

interface KeyRule {
  reason: OptionReason;
  isKey(text: string): boolean;
}

const PRIVATE_KEY: KeyRule = { reason: "private_key", isKey: (text) => privateKeyIn(text) !== undefined };
const PUBLIC_KEY: KeyRule = { reason: "public_key", isKey: (text) => publicKeyIn(text) !== undefined };

/** Options that hold a key. The browser's side of the catalogue cannot read keys, so they are checked here. */
const KEY_OPTIONS: Partial<Record<OptionName, KeyRule>> = {
  AlipayPrivateKey: PRIVATE_KEY,
  AlipayPublicKey: PUBLIC_KEY,
  WechatPayPrivateKey: PRIVATE_KEY,
  WechatPayPlatformKey: PUBLIC_KEY,
  WechatPayApiV3Key: { reason: "api_v3_key", isKey: (text) => Buffer.byteLength(text) === API_V3_KEY_BYTES },
};

/** Throws AppError option_invalid where an option of a key is to get a text that is none; blank is allowed everywhere. */
export function refuseNoKey(name: OptionName, text: string): void {
  const rule = KEY_OPTIONS[name];
  if (rule !== undefined && text.trim() !== "" && !rule.isKey(text))
    throw new AppError("option_invalid", { ...refusalOf(rule.reason), field: name });
}
