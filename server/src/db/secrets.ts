/** Encryption at rest: AES-256-GCM for values that must be readable again, HMAC-SHA256 for look-ups; all keys are derived from SECRET_KEY. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { KEY_FILE, refuseOpenKeyFile } from "./data-dir.ts";
import type { KeyValueStore } from "./key-value-store.ts";

/** The purpose of a look-up hash; the same value has unrelated hashes for different purposes. */
export type HashPurpose =
  | "token"
  | "token_sha256"
  | "channel"
  | "redemption"
  | "session"
  | "access_token"
  | "setup_code"
  | "setup_link"
  | "recovery"
  | "passkey"
  | "one_time_code"
  | "upstream_token"
  | "guess"
  | "configuration"
  | "task_notice"
  | "task_picture";

export interface Secrets {
  /**
   * Encrypts text for storage. `context` identifies the value and its owner and is authenticated: a cipher text copied into another
   * row cannot be decrypted there. Returns `v1.<key id>.<base64url>`; the key id distinguishes values of older keys.
   */
  encrypt(plain: string, context: string): string;
  /** Decrypts the result of `encrypt` for the same context. Throws on another key, another context or a changed cipher text. */
  decrypt(cipher: string, context: string): string;
  /** Look-up hash of `value`: 43 characters of base64url, equal for equal values and purposes. */
  hash(purpose: HashPurpose, value: string): string;
}

const FORMAT = "v1";
const NONCE_BYTES = 12;
const NONCES_DRAWN = 64;
const TAG_BYTES = 16;
const MINIMUM_LENGTH = 32;
const CHECK_FACT = "secret_key_check";
const CHECK_TEXT = "turnpike";
/** The key of look-up hashes, once SECRET_KEY was replaced: hashes of what nothing holds in clear must go on matching. */
const LOOK_UP_FACT = "look_up_key";

/** Keys from the documentation of this and similar programs: they are public and therefore refused. */
const SAMPLE_KEYS: readonly RegExp[] = [
  /^(.)\1*$/,
  /^(0123456789|1234567890|abcdefghij)/i,
  /change[-_ ]?me|replace[-_ ]?(me|this)|random_string|your[-_ ]?secret|secret[-_ ]?key[-_ ]?here|example|insecure|^(secret|password|turnpike)+$/i,
];

function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "turnpike", purpose, 32));
}

/** Random bytes for the next nonces, drawn together: each call of the operating system costs as much as an encryption. */
let nonces = Buffer.alloc(0);

/** Bytes that no other nonce has. */
function nextNonce(): Buffer {
  if (nonces.length < NONCE_BYTES) nonces = randomBytes(NONCE_BYTES * NONCES_DRAWN);
  const nonce = nonces.subarray(0, NONCE_BYTES);
  nonces = nonces.subarray(NONCE_BYTES);
  return nonce;
}

function seal(key: Buffer, prefix: string, plain: string, context: string): string {
  const nonce = nextNonce();
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(`${prefix}${context}`));
  const body = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return prefix + body.toString("base64url");
}

function unseal(key: Buffer, prefix: string, sealed: string, context: string): string {
  if (!sealed.startsWith(prefix))
    throw new Error("This value was encrypted under another SECRET_KEY or is not encrypted");
  const body = Buffer.from(sealed.slice(prefix.length), "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`${prefix}${context}`));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    return decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch (error) {
    throw new Error("This encrypted value was changed or belongs to another row", { cause: error });
  }
}

/** How every text that this key encrypted begins: `v1.<key id>.` */
export const cipherPrefixOf = (secretKey: string): string =>
  `${FORMAT}.${deriveKey(secretKey, "key id").toString("hex").slice(0, 8)}.`;

const lookUpKeyOf = (secretKey: string): Buffer => deriveKey(secretKey, "look-up");

/**
 * Creates the operations of a secret key (any text; length and samples are checked by `openSecrets`).
 * @param previous keys that decrypt too what they encrypted
 * @param hashKey key of the look-up hashes, where it is not that of `secretKey`
 */
export function createSecrets(
  secretKey: string,
  previous: readonly string[] = [],
  hashKey = lookUpKeyOf(secretKey),
): Secrets {
  const encryptionKey = deriveKey(secretKey, "encryption");
  const prefix = cipherPrefixOf(secretKey);
  const others = previous.map((key) => ({ prefix: cipherPrefixOf(key), key: deriveKey(key, "encryption") }));
  return {
    encrypt: (plain, context) => seal(encryptionKey, prefix, plain, context),
    decrypt(cipher, context) {
      const other = cipher.startsWith(prefix) ? undefined : others.find((each) => cipher.startsWith(each.prefix));
      return unseal(other?.key ?? encryptionKey, other?.prefix ?? prefix, cipher, context);
    },
    hash: (purpose, value) => createHmac("sha256", hashKey).update(`${purpose}\0${value}`).digest("base64url"),
  };
}

/** Throws an Error of one line if SECRET_KEY is weak, or missing although DATABASE_URL is set; does not read `facts`. */
export function refuseSecretKey({ secretKey, databaseUrl }: Config): void {
  if (secretKey !== undefined) refuseWeakKey(secretKey);
  else if (databaseUrl !== undefined)
    throw new Error("SECRET_KEY is required with DATABASE_URL; make one with: openssl rand -hex 32");
}

function refuseWeakKey(secretKey: string): void {
  if (secretKey.length < MINIMUM_LENGTH)
    throw new Error(`SECRET_KEY must be at least ${MINIMUM_LENGTH} characters long`);
  if (SAMPLE_KEYS.some((sample) => sample.test(secretKey)))
    throw new Error("SECRET_KEY is a known sample value; make one with: openssl rand -hex 32");
}

/** Reads the key file of an embedded database. Undefined if it does not exist yet. */
async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Creates the key file, readable by its owner alone, and waits until it is on the disk. */
async function makeKeyFile(path: string): Promise<string> {
  const secretKey = randomBytes(48).toString("base64url");
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${secretKey}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return secretKey;
}

async function findSecretKey(config: Config, isKnown: boolean): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const path = join(config.dataDir, KEY_FILE);
  const found = await readKeyFile(path);
  if (found !== undefined) {
    await refuseOpenKeyFile(path);
    return found;
  }
  if (isKnown)
    throw new Error(
      `The key file ${path} is missing, but the database holds values encrypted with it: put it back or set SECRET_KEY`,
    );
  return makeKeyFile(path);
}

/** The secret key as it is set, or in the key file of the embedded database; undefined where there is none yet. */
export async function secretKeyOf({ secretKey, dataDir }: Config): Promise<string | undefined> {
  return secretKey ?? (await readKeyFile(join(dataDir, KEY_FILE)));
}

/** Whether a database's check value was made with this key. */
export function opensCheck(secretKey: string, check: string): boolean {
  try {
    const plain = createSecrets(secretKey).decrypt(check, CHECK_FACT);
    return timingSafeEqual(Buffer.from(plain), Buffer.from(CHECK_TEXT));
  } catch {
    return false; // GCM fails for another key, which is the result of this check.
  }
}

/** The key of the look-up hashes: that of the first SECRET_KEY, which every later one keeps encrypted. Throws an Error of one line. */
async function openLookUpKey(facts: KeyValueStore, keys: readonly string[], checkedKey: string): Promise<Buffer> {
  const [secretKey = "", ...previous] = keys;
  const ring = createSecrets(secretKey, previous);
  const first = lookUpKeyOf(checkedKey);
  const known = await facts.read(LOOK_UP_FACT);
  if (known === undefined && checkedKey === secretKey) return first;
  const stored =
    known ?? (await facts.writeOnce(LOOK_UP_FACT, ring.encrypt(first.toString("base64url"), LOOK_UP_FACT)));
  try {
    return Buffer.from(ring.decrypt(stored, LOOK_UP_FACT), "base64url");
  } catch (error) {
    throw new Error("SECRET_KEY_PREVIOUS lacks a key that this database still needs", { cause: error });
  }
}

/**
 * Finds the secret key (SECRET_KEY, else the key file of the embedded database, created at the first startup) and checks it against the
 * check value in `facts`, which the first startup writes. Throws an Error of one line if the key is missing, weak or wrong.
 */
export async function openSecrets(config: Config, facts: KeyValueStore): Promise<Secrets> {
  refuseSecretKey(config);
  const known = await facts.read(CHECK_FACT);
  const secretKey = await findSecretKey(config, known !== undefined);
  refuseWeakKey(secretKey);
  for (const key of config.previousSecretKeys) refuseWeakKey(key);
  const { previousSecretKeys: previous } = config;
  const check = known ?? (await facts.writeOnce(CHECK_FACT, createSecrets(secretKey).encrypt(CHECK_TEXT, CHECK_FACT)));
  const checkedKey = [secretKey, ...previous].find((key) => opensCheck(key, check));
  if (checkedKey === undefined)
    throw new Error(
      previous.length === 0
        ? "SECRET_KEY is not the key this database was encrypted with"
        : "Neither SECRET_KEY nor a key of SECRET_KEY_PREVIOUS is the key this database was encrypted with",
    );
  return createSecrets(secretKey, previous, await openLookUpKey(facts, [secretKey, ...previous], checkedKey));
}

const KEY_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A new token key: 48 random letters and digits, without the `sk-` in front. */
export function generateTokenKey(): string {
  return Array.from({ length: 48 }, () => KEY_ALPHABET.charAt(randomInt(KEY_ALPHABET.length))).join("");
}

/** A new redemption code: 32 hexadecimal digits, 128 random bits. */
export const generateCode = (): string => randomBytes(16).toString("hex");

/** The columns of a stored key: look-up hash, cipher text, and the part that the console may search and show. */
export interface SealedKey {
  key_hash: string;
  key_cipher: string;
  key_first: string;
  key_last: string;
}

type KeyPurpose = "token" | "channel" | "redemption";

function sealKey(secrets: Secrets, purpose: KeyPurpose, key: string): SealedKey {
  const key_hash = secrets.hash(purpose, key);
  return {
    key_hash,
    key_cipher: secrets.encrypt(key, `${purpose}:${key_hash}`),
    // Of a short key not even these are stored: they would reveal most of it.
    key_first: key.length >= 16 ? key.slice(0, 6) : "",
    key_last: key.length >= 16 ? key.slice(-4) : "",
  };
}

const openKey = (secrets: Secrets, purpose: KeyPurpose, row: { key_hash: string; key_cipher: string }): string =>
  secrets.decrypt(row.key_cipher, `${purpose}:${row.key_hash}`);

/** Columns of a token (`key` without `sk-`). */
export const sealTokenKey = (secrets: Secrets, key: string): SealedKey => sealKey(secrets, "token", key);
export const openTokenKey = (secrets: Secrets, row: { key_hash: string; key_cipher: string }): string =>
  openKey(secrets, "token", row);

/** Look-up hash of a token of which only the SHA-256 of `sk-` and its key is known; `sha256` in hexadecimal. */
const hashedKeyHash = (secrets: Secrets, sha256: string): string => secrets.hash("token_sha256", sha256.toLowerCase());

/** The hash by which `sealHashedKey` lets a token be found, of the key itself (without `sk-`). */
export const hashedKeyHashOf = (secrets: Secrets, key: string): string =>
  hashedKeyHash(secrets, createHash("sha256").update(`sk-${key}`).digest("hex"));

/**
 * Columns of a token whose key has not come yet. What is stored is as strong as of any other: without SECRET_KEY it can be neither tried
 * against lists of keys nor made from a leaked SHA-256.
 * @param sha256 of `sk-` and the key, in hexadecimal
 * @param end the key's last characters where they are known
 */
export function sealHashedKey(secrets: Secrets, sha256: string, end: string): SealedKey & { key_unknown: 1 } {
  const key_hash = hashedKeyHash(secrets, sha256);
  return {
    key_hash,
    key_cipher: secrets.encrypt("", `token:${key_hash}`),
    key_first: "",
    key_last: end.slice(-4),
    key_unknown: 1,
  };
}

export const sealChannelKey = (secrets: Secrets, key: string): SealedKey => sealKey(secrets, "channel", key);
export const openChannelKey = (secrets: Secrets, row: { key_hash: string; key_cipher: string }): string =>
  openKey(secrets, "channel", row);
/** Columns of a redemption code. */
export const sealCode = (secrets: Secrets, code: string): SealedKey => sealKey(secrets, "redemption", code);
export const openCode = (secrets: Secrets, row: { key_hash: string; key_cipher: string }): string =>
  openKey(secrets, "redemption", row);

/** Purpose of an encrypted header override: no other column's text can stand in its place. */
export const HEADER_PURPOSE = "channel:header_override";

/** Context of the client secret of a named identity provider. */
export const identityContext = (slug: string): string => `identity_provider:${slug}`;

/** A channel's header override for its row; "" stays empty. */
export const sealHeaderOverride = (secrets: Secrets, text: string): string =>
  text === "" ? "" : secrets.encrypt(text, HEADER_PURPOSE);
/** The same in clear, "" where there is none. Throws where it was encrypted with another key. */
export const openHeaderOverride = (secrets: Secrets, stored: string | null): string =>
  stored === null || stored === "" ? "" : secrets.decrypt(stored, HEADER_PURPOSE);

/** Value of an option that the catalogue marks as secret, for and from its row. An empty value stays empty and means: disabled. */
export const sealOption = (secrets: Secrets, name: string, value: string): string =>
  value === "" ? "" : secrets.encrypt(value, `option:${name}`);
export const openOption = (secrets: Secrets, name: string, stored: string): string =>
  stored === "" ? "" : secrets.decrypt(stored, `option:${name}`);
