/** TOTP codes of authenticator apps: RFC 6238 with SHA-1, six digits and 30-second steps, which every app supports. */
import { createHmac, randomBytes } from "node:crypto";
import { isSameSecret } from "../http/same-secret.ts";

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Clocks of phones are off by less than this many steps. */
const WINDOW_STEPS = 1;
/** As long as SHA-1's result: RFC 4226, 4. */
const SECRET_BYTES = 20;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, 6, without padding. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32.charAt(Number.parseInt(group.padEnd(5, "0"), 2))).join("");
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** A new secret: 160 random bits in base32. */
export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES));

/** Number of the step that a moment (Unix seconds) is in. */
export const stepAt = (seconds: number): number => Math.floor(seconds / STEP_SECONDS);

/** The code of a base32 secret in one step (RFC 4226, 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The latest step around this moment in which the secret has this code; undefined where it has it in none. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const steps = Array.from({ length: 2 * WINDOW_STEPS + 1 }, (_, index) => stepAt(now) + WINDOW_STEPS - index);
  return steps.find((step) => isSameSecret(code, totpCode(secret, step)));
}

/** The content of a QR code for an authenticator app: the secret, the account and the site. */
export function totpAddress(secret: string, { site, username }: { site: string; username: string }): string {
  const label = [site, username].map((part) => encodeURIComponent(part.replaceAll(":", " "))).join(":");
  const issuer = encodeURIComponent(site.replaceAll(":", " "));
  return `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
