/** Tests of encryption at rest: a value can be decrypted only with the right key in the right row, and a wrong key stops the startup. */
import { mkdtemp, readFile, rm, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { KeyValueStore } from "./key-value-store.ts";
import {
  createSecrets,
  generateTokenKey,
  openChannelKey,
  openOption,
  openSecrets,
  openTokenKey,
  sealChannelKey,
  sealOption,
  sealTokenKey,
} from "./secrets.ts";

const KEY = "4f1c9d7e2a8b4e6fa03d5c7b9e1f2a6d";
const OTHER = "9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d";
let dataDir: string;
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), "turnpike-secrets-"))));
afterEach(() => rm(dataDir, { recursive: true }));

/** Facts of a database, as far as the secrets see it. */
function createDatabaseInfo(): KeyValueStore & { rows: Map<string, string> } {
  const rows = new Map<string, string>();
  const writeOnce = async (name: string, value: string) => rows.getOrInsert(name, value);
  const write = async (name: string, value: string) => void rows.set(name, value);
  return { rows, read: async (name) => rows.get(name), writeOnce, write };
}

const configOf = (env: Record<string, string>) => readConfig({ DATA_DIR: dataDir, ...env });
const refusal = (env: Record<string, string>, facts = createDatabaseInfo()) =>
  openSecrets(configOf(env), facts).then(
    () => "",
    (error: Error) => error.message,
  );

describe("encryption", () => {
  const secrets = createSecrets(KEY);

  test("gives back what went in, and never the same cipher text twice", () => {
    const text = "sk-ключ 额度 🚀";
    const [first, second] = [secrets.encrypt(text, "a"), secrets.encrypt(text, "a")];
    expect([secrets.decrypt(first, "a"), secrets.decrypt(second, "a")]).toEqual([text, text]);
    expect(first).not.toBe(second);
    expect(secrets.decrypt(secrets.encrypt("", "a"), "a")).toBe("");
  });

  test("does not open in another row, under another key, or with any byte changed", () => {
    const sealed = secrets.encrypt("secret", "row 1");
    expect(() => secrets.decrypt(sealed, "row 2")).toThrow("another row");
    expect(() => createSecrets(OTHER).decrypt(sealed, "row 1")).toThrow("another SECRET_KEY");
    const start = sealed.lastIndexOf(".") + 1;
    for (let index = start; index < sealed.length - 1; index += 1) {
      const changed = sealed.slice(0, index) + (sealed[index] === "A" ? "B" : "A") + sealed.slice(index + 1);
      expect(() => secrets.decrypt(changed, "row 1")).toThrow("was changed");
    }
    expect(() => secrets.decrypt(sealed.slice(0, start + 8), "row 1")).toThrow("was changed");
  });

  test("look-up hashes are constant, differ by purpose and key, and do not hold the value", () => {
    expect(secrets.hash("token", "abc")).toBe(createSecrets(KEY).hash("token", "abc"));
    expect(secrets.hash("token", "abc")).not.toBe(secrets.hash("channel", "abc"));
    expect(secrets.hash("token", "abc")).not.toBe(createSecrets(OTHER).hash("token", "abc"));
    expect(secrets.hash("token", "abc")).toMatch(/^[\w-]{43}$/);
  });

  test("sealed keys open in their own row only and show at most six and four characters of a long key", () => {
    const key = generateTokenKey();
    const row = sealTokenKey(secrets, key);
    expect(openTokenKey(secrets, row)).toBe(key);
    expect(row).toMatchObject({
      key_first: key.slice(0, 6),
      key_last: key.slice(-4),
      key_hash: secrets.hash("token", key),
    });
    expect(JSON.stringify(row)).not.toContain(key.slice(6, -4));
    expect(() => openChannelKey(secrets, row)).toThrow("another row");
    expect(sealChannelKey(secrets, "short")).toMatchObject({ key_first: "", key_last: "" });
    expect(openOption(secrets, "SMTPToken", sealOption(secrets, "SMTPToken", "pw"))).toBe("pw");
    expect(sealOption(secrets, "SMTPToken", "")).toBe("");
  });

  test("token keys are 48 letters and digits and use the whole alphabet", () => {
    const keys = Array.from({ length: 200 }, generateTokenKey);
    expect(keys.every((key) => /^[A-Za-z0-9]{48}$/.test(key))).toBe(true);
    expect(new Set(keys).size).toBe(200);
    expect(new Set(keys.join("")).size).toBe(62);
  });
});

describe("the key of an embedded database", () => {
  test("is made on the first start, readable by its owner alone, and found on the second", async () => {
    const facts = createDatabaseInfo();
    const first = await openSecrets(configOf({}), facts);
    const path = join(dataDir, "secret.key");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, "utf8")).trim().length).toBeGreaterThanOrEqual(32);
    const second = await openSecrets(configOf({}), facts);
    expect(second.decrypt(first.encrypt("x", "a"), "a")).toBe("x");
  });

  test("that is missing stops the start in one line instead of making another", async () => {
    const facts = createDatabaseInfo();
    await openSecrets(configOf({}), facts);
    await unlink(join(dataDir, "secret.key"));
    expect(await refusal({}, facts)).toMatch(/^The key file .* is missing.*$/);
    await expect(stat(join(dataDir, "secret.key"))).rejects.toThrow("ENOENT");
  });

  test("that is another one stops the startup in one line and does not change the check value", async () => {
    const facts = createDatabaseInfo();
    await openSecrets(configOf({ SECRET_KEY: KEY }), facts);
    const check = facts.rows.get("secret_key_check");
    expect(await refusal({ SECRET_KEY: OTHER }, facts)).toBe(
      "SECRET_KEY is not the key this database was encrypted with",
    );
    expect(facts.rows.get("secret_key_check")).toBe(check);
    expect(await refusal({ SECRET_KEY: KEY }, facts)).toBe("");
  });
});

describe("SECRET_KEY", () => {
  test("is required with DATABASE_URL", async () => {
    expect(await refusal({ DATABASE_URL: "postgres://localhost/x" })).toMatch(
      /^SECRET_KEY is required with DATABASE_URL/,
    );
  });

  test.each(["short", "x".repeat(31)])("of %s is too short", async (key) => {
    expect(await refusal({ SECRET_KEY: key })).toBe("SECRET_KEY must be at least 32 characters long");
  });

  test.each([
    "a".repeat(40),
    "change-me-change-me-change-me-change-me",
    "0123456789abcdef0123456789abcdef",
    "random_string_random_string_random",
    "your-secret-key-here-0000000000000",
  ])("%s is a known sample", async (key) => {
    const message = await refusal({ SECRET_KEY: key });
    expect(message).toMatch(/^SECRET_KEY is a known sample value/);
    expect(message).not.toContain(key);
  });
});
