/** Password hashing: argon2id for own passwords, bcrypt and scrypt accepted once for imported accounts. Verification takes equally long for unknown users. */
import { argon2, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import bcrypt from "bcryptjs";

const derive = promisify(argon2);

/** OWASP's smallest recommended argon2id setting: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const BCRYPT = /^\$2[aby]\$\d\d\$/;
/** LiteLLM's form: 16 bytes of salt and 32 of the tag, under its one cost. */
const SCRYPT = /^scrypt:([\w+/-]{64}={0,2})$/;
const SCRYPT_COST = { N: 16_384, r: 8, p: 1 } as const;

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/** The stored form of a password (PHC string). */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await derive("argon2id", { message: password, nonce, tagLength: TAG_BYTES, ...COST });
  const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`;
  return `$argon2id$v=19$${cost}$${unpadded(nonce)}$${unpadded(tag)}`;
}

export interface PasswordCheck {
  isRight: boolean;
  /** The stored form should be replaced by a fresh `hashPassword`: it was imported or is weaker than today's. */
  needsRehash: boolean;
}

const WRONG: PasswordCheck = { isRight: false, needsRehash: false };

/** Compared against when there is no such user, so that the time reveals nothing; no password has this hash on purpose. */
let dummyHash: Promise<string> | undefined;

/**
 * Checks a password against the stored form; undefined or null stands for a user who does not exist or has none, and
 * takes as long as a wrong password.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<PasswordCheck> {
  if (stored === undefined || stored === null || stored === "") {
    dummyHash ??= hashPassword(randomBytes(SALT_BYTES).toString("hex"));
    await verifyArgon(await dummyHash, password);
    return WRONG;
  }
  const scryptBody = SCRYPT.exec(stored)?.[1];
  if (scryptBody !== undefined) return { isRight: await verifyScrypt(scryptBody, password), needsRehash: true };
  if (!BCRYPT.test(stored)) return verifyArgon(stored, password);
  return { isRight: await bcrypt.compare(password, stored), needsRehash: true };
}

async function verifyScrypt(body: string, password: string): Promise<boolean> {
  const bytes = Buffer.from(body, "base64");
  const expected = bytes.subarray(SALT_BYTES);
  const actual = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password, bytes.subarray(0, SALT_BYTES), expected.length, SCRYPT_COST, (error, tag) =>
      error === null ? resolve(tag) : reject(error),
    );
  });
  return timingSafeEqual(actual, expected);
}

async function verifyArgon(stored: string, password: string): Promise<PasswordCheck> {
  const match = PHC.exec(stored);
  if (match === null) return WRONG;
  const [, memory, passes, parallelism, salt = "", tag = ""] = match;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(tag, "base64");
  const nonce = Buffer.from(salt, "base64");
  const actual = await derive("argon2id", { message: password, nonce, tagLength: expected.length, ...cost });
  const needsRehash = cost.memory < COST.memory || cost.passes < COST.passes;
  return { isRight: timingSafeEqual(actual, expected), needsRehash };
}
