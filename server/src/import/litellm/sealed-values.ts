/** Values that LiteLLM seals one by one in its database: three forms under its salt key, else its master key. */
import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import type { JsonFields } from "../../util/json-read.ts";
import { openSecretbox } from "./secretbox.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function openGcm(key: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined; // GCM fails for another key, which is what the caller asks.
  }
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

type Opener = (saltKey: string, text: string) => Buffer | undefined;

const OPENERS: readonly (readonly [prefix: string, open: Opener])[] = [
  [
    "v3:gcm:",
    (saltKey, text) =>
      openGcm(Buffer.from(hkdfSync("sha256", saltKey, "", "litellm-at-rest-v3", 32)), Buffer.from(text, "base64url")),
  ],
  ["v2:gcm:", (saltKey, text) => openGcm(sha256(saltKey), Buffer.from(text, "base64url"))],
  // Both alphabets of base64 are read.
  ["", (saltKey, text) => openSecretbox(sha256(saltKey), Buffer.from(text, "base64"))],
];

/** Opens a value; undefined where the key is none or another one. */
export function openValue(saltKey: string | undefined, value: string): string | undefined {
  if (saltKey === undefined) return undefined;
  const [prefix = "", open] = OPENERS.find(([start]) => value.startsWith(start)) ?? [];
  return open?.(saltKey, value.slice(prefix.length))?.toString("utf8");
}

export interface OpenedFields {
  fields: JsonFields;
  /** Names of texts that the key does not open. */
  closed: readonly string[];
}

/** Long enough for a nonce and a tag, and base64 throughout. */
const LOOKS_SEALED = /^(?:v[23]:gcm:)?[\w+/-]{54,}={0,2}$/;

/**
 * Opens the texts of an object; other values are in clear. A text that cannot be one of the three forms is in clear too, as rows from before July 2024
 * have it.
 */
export function openFields(saltKey: string | undefined, sealed: JsonFields): OpenedFields {
  const closed: string[] = [];
  const entries = Object.entries(sealed).map(([name, value]): [string, unknown] => {
    if (typeof value !== "string" || !LOOKS_SEALED.test(value)) return [name, value];
    const opened = openValue(saltKey, value);
    if (opened === undefined) closed.push(name);
    return [name, opened];
  });
  return { fields: Object.fromEntries(entries.filter(([, value]) => value !== undefined)), closed };
}
