/** Tests of `turnpike key rotate`: killed and run again everything is encrypted with the new key, nothing is lost, and keys, passwords and sessions stay valid. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../tests/support/databases/databases.ts";
import { startTurnpike, turnpike, turnpikeHere } from "../../../tests/support/systems/command-line.ts";
import { runServerToItsEnd, startServer, until } from "../../../tests/support/systems/processes.ts";
import type { TestClient } from "../../../tests/support/systems/server.ts";
import { type Site, loggedIn, makeSite } from "../../../tests/support/systems/site.ts";
import { openSnapshot } from "../archive/snapshot.ts";
import type { Config } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { sealProxy } from "../db/proxy-login.ts";
import {
  HEADER_PURPOSE,
  type Secrets,
  cipherPrefixOf,
  createSecrets,
  sealChannelKey,
  sealCode,
  sealOption,
  sealTokenKey,
} from "../db/secrets.ts";
import { backgroundResponses } from "../stores/background-responses.ts";
import { SEALED_COLUMNS } from "./sealed-columns.ts";

const NEW_KEY = "the-second-key-5b0d3f9a7c1e4826bd";
const THIRD_KEY = "the-third-key-91c4e7a25d8f4b03aa6e";
const TOKENS = 1_500;
const NOW = Math.floor(Date.now() / 1000);

/** One value in every encrypted column, and tokens enough for many transactions. */
async function seed(database: Database, secrets: Secrets, { people, channelId }: Site): Promise<void> {
  const { kysely } = database;
  const [person] = people;
  if (person === undefined) throw new Error("the site has no person");
  const { userId, tokenId } = person;
  const base = await kysely.selectFrom("tokens").selectAll().where("id", "=", tokenId).executeTakeFirstOrThrow();
  const { id: _, ...token } = base;
  for (let start = 0; start < TOKENS; start += 100) {
    const rows = Array.from({ length: 100 }, (_row, index) => ({
      ...token,
      ...sealTokenKey(secrets, `token-${start + index}`),
      name: `t${start + index}`,
    }));
    await kysely.insertInto("tokens").values(rows).execute();
  }
  const { key_hash, key_cipher } = sealChannelKey(secrets, "one of several");
  await kysely
    .insertInto("channel_keys")
    .values({ channel_id: channelId, key_hash, key_cipher, key_mark: "", created_time: NOW })
    .execute();
  const common = { status: 1, quota: 1, created_time: NOW, redeemed_time: 0, used_user_id: 0, deleted_at: null };
  await kysely
    .insertInto("redemptions")
    .values({ ...common, user_id: userId, name: "r", ...sealCode(secrets, "a code") })
    .execute();
  await kysely
    .updateTable("channels")
    .set({
      header_override: secrets.encrypt('{"a":"b"}', HEADER_PURPOSE),
      setting: JSON.stringify({ proxy: sealProxy(secrets, "http://u:p@proxy.example:8080"), other: "kept" }),
    })
    .execute();
  const option = { name: "SMTPToken", value: sealOption(secrets, "SMTPToken", "mail password"), updated_time: NOW };
  await kysely.insertInto("options").values(option).execute();
  // Text that only looks encrypted.
  await kysely.insertInto("options").values({ name: "Notice", value: "v1.00000000.text", updated_time: NOW }).execute();
  const provider = { slug: "own", name: "Own", is_enabled: 0 as const, client_id: "c", oauth: null, created_time: NOW };
  const client_secret_cipher = secrets.encrypt("client secret", "identity_provider:own");
  await kysely
    .insertInto("identity_providers")
    .values({ ...provider, client_secret_cipher, endpoints: "{}" })
    .execute();
  const factor = { user_id: userId, confirmed_time: 0, last_step: 0, created_time: NOW };
  await kysely
    .insertInto("totp_factors")
    .values({ ...factor, secret_cipher: secrets.encrypt("totp secret", `totp:${userId}`) })
    .execute();
  const setting = {
    webhook_secret_cipher: secrets.encrypt("hook secret", `user:${userId}:webhook_secret`),
    gotify_priority: 3,
  };
  await kysely
    .updateTable("users")
    .set({ setting: JSON.stringify(setting) })
    .where("id", "=", userId)
    .execute();
  await kysely
    .insertInto("outbox")
    .values({
      event: "sample",
      user_id: userId,
      method: "email",
      recipient: "a@example.com",
      language: "en",
      values_cipher: secrets.encrypt("{}", `outbox:sample:${userId}`),
      status: "sent",
      attempts: 1,
      next_time: NOW,
      created_time: NOW,
      sent_time: NOW,
      failure: "",
      once_key: null,
    })
    .execute();
  await kysely
    .insertInto("idempotency_keys")
    .values({
      token_id: tokenId,
      key_hash: "k",
      body_hash: "b",
      request_id: "r1",
      state: 3,
      status: 200,
      content_type: "application/json",
      answer: secrets.encrypt("an answer", "idempotency_keys r1"),
      created_time: NOW,
      user_id: userId,
      answer_bytes: 9,
    })
    .execute();
  const token_cipher = secrets.encrypt("upstream token", "access_tokens n1");
  const access = { name_hash: "n1", token_cipher, expires_time: NOW + 86_400, updated_time: NOW };
  await kysely.insertInto("access_tokens").values(access).execute();
  const responses = backgroundResponses({ database, secrets, clock: Date.now, processId: "gone" });
  const response = {
    id: "resp_bg_1",
    userId,
    model: "m",
    isStreamed: true,
    status: "completed",
    upstreamId: "",
  } as const;
  await responses.begin({ ...response, response: "{}" });
  await responses.addEvents(response.id, { lastSequence: 0, frames: ["event: response.created\n\n"] });
}

/** How many rows of each table hold something that this key encrypted, wherever it stands. */
async function sealedBy(config: Config, secretKey: string): Promise<Record<string, number>> {
  const snapshot = await openSnapshot(config);
  const counts: Record<string, number> = {};
  try {
    for await (const { table, rows } of snapshot.rows())
      for (const row of rows) {
        if (!row.some((value) => String(value).includes(cipherPrefixOf(secretKey)))) continue;
        counts[table.name] = (counts[table.name] ?? 0) + 1;
      }
  } finally {
    await snapshot.close();
  }
  return counts;
}

test("every column that schema and migrations call a cipher is gone through", async () => {
  const named = new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`));
  const site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
  const snapshot = await openSnapshot(site.place.config);
  const ciphers = snapshot.tables.flatMap(({ name, columns }) =>
    columns.filter((column) => column.endsWith("_cipher")).map((column) => `${name}.${column}`),
  );
  await snapshot.close();
  await site.remove();
  expect(ciphers.length).toBeGreaterThan(6);
  expect(ciphers.filter((column) => !named.has(column))).toEqual([]);
});

const rotating = ({ env }: Site, secretKey: string, previous: string) => ({
  ...env,
  SECRET_KEY: secretKey,
  SECRET_KEY_PREVIOUS: previous,
});

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Starts the command and kills it once this share of the rows is done. True where it was killed before its end. */
async function killedAt(share: number, site: Site, oldKey: string, rows: number): Promise<boolean> {
  const child = startTurnpike(rotating(site, NEW_KEY, oldKey), "key", "rotate");
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const isFar = async () => total(await sealedBy(site.place.config, NEW_KEY)) > rows * share;
  await until(async () => child.exitCode !== null || (await isFar()), "a part of the rotation");
  const isKilled = child.kill("SIGKILL");
  await ended;
  return isKilled;
}

/** Everything opens with the new key alone, at the place where it stands. */
async function expectAllOpen(config: Config): Promise<void> {
  const database = await openDatabase({ ...config, secretKey: NEW_KEY });
  const secrets = createSecrets(NEW_KEY);
  for (const { table, column, reseal, applies } of SEALED_COLUMNS) {
    const rows = await database.kysely.selectFrom(table).selectAll().execute();
    const sealed = (rows as Record<string, string | number>[]).filter(
      (row) => String(row[column]).includes(cipherPrefixOf(NEW_KEY)) && (applies?.(row) ?? true),
    );
    expect([table, column, sealed.length > 0]).toEqual([table, column, true]);
    // What does not open throws.
    for (const row of sealed) expect(reseal(secrets, String(row[column]), row)).not.toBe(row[column]);
  }
  await database.close();
}

describe.each(await engines())("on %s", (engine) => {
  let site: Site;
  let oldKey: string;

  beforeEach(async () => {
    site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [1_000] });
    oldKey = site.place.config.secretKey ?? "";
  }, 60_000);
  afterEach(() => site.remove());

  const statusOfKey = async (url: string): Promise<number> => {
    const authorization = `Bearer ${site.people[0]?.key ?? ""}`;
    return (await fetch(`${url}/v1/models`, { headers: { authorization } })).status;
  };

  test("a key that nobody knows stops the start and the rotation, in one line without keys", async () => {
    const before = await sealedBy(site.place.config, oldKey);
    const wrong = { ...site.env, SECRET_KEY: NEW_KEY };
    expect((await runServerToItsEnd(wrong)).output).toBe(
      "SECRET_KEY is not the key this database was encrypted with\n",
    );
    const ran = await turnpikeHere({ ...wrong, SECRET_KEY_PREVIOUS: THIRD_KEY }, "key", "rotate");
    expect(ran).toMatchObject({
      code: 1,
      complaint: "Neither SECRET_KEY nor a key of SECRET_KEY_PREVIOUS is the key this database was encrypted with\n",
    });
    expect(await sealedBy(site.place.config, oldKey)).toEqual(before);
  });

  test(
    "killed in the middle and run again, everything has the new key, and opens with it alone",
    { timeout: 120_000 },
    async () => {
      const database = await openDatabase(site.place.config);
      await seed(database, createSecrets(oldKey), site).finally(() => database.close());
      const before = await sealedBy(site.place.config, oldKey);
      const kills = [];
      for (const share of [0.2, 0.5]) kills.push(await killedAt(share, site, oldKey, total(before)));
      expect(kills).toContain(true);
      const ran = await turnpike(rotating(site, NEW_KEY, oldKey), "key", "rotate", "--json");
      expect([ran.code, ran.complaint]).toEqual([0, ""]);
      expect(JSON.parse(ran.out)).toMatchObject({ left: 0, unopened: {} });
      expect(await sealedBy(site.place.config, oldKey)).toEqual({});
      expect((await runServerToItsEnd(site.env)).output).toContain("SECRET_KEY is not the key");
      const server = await startServer({ ...site.env, SECRET_KEY: NEW_KEY });
      expect(await statusOfKey(server.url)).toBe(200);
      await server.end();
      // The key of the look-up hashes is one more.
      expect(await sealedBy(site.place.config, NEW_KEY)).toMatchObject({ tokens: before["tokens"], facts: 2 });
      await expectAllOpen(site.place.config);
    },
  );

  test("beside a running server, twice: keys, passwords and sessions go on", { timeout: 120_000 }, async () => {
    let person: TestClient | undefined;
    for (const [secretKey, previous] of [
      [NEW_KEY, oldKey],
      [THIRD_KEY, NEW_KEY],
    ] as const) {
      const env = rotating(site, secretKey, previous);
      const server = await startServer(env);
      person ??= await loggedIn(server.url, "person0");
      const headers = { cookie: person.cookie, "new-api-user": String(person.userId) };
      const session = async () => (await fetch(`${server.url}/api/user/self`, { headers })).status;
      const ran = await turnpike(env, "key", "rotate", "--json");
      expect([ran.code, ran.complaint]).toEqual([0, ""]);
      expect((JSON.parse(ran.out) as { resealed: number }).resealed).toBeGreaterThan(0);
      expect([await statusOfKey(server.url), await session()]).toEqual([200, 200]);
      expect((await loggedIn(server.url, "person0")).userId).toBe(person.userId);
      await server.end();
      expect(await sealedBy(site.place.config, previous)).toEqual({});
    }
  });

  test("a value that no key opens is counted and named, and left as it is", async () => {
    const lost = createSecrets("a key that is lost for ever, 0123456789").encrypt("x", "option:SMTPToken");
    const database = await openDatabase(site.place.config);
    const option = { name: "SMTPToken", value: lost, updated_time: NOW };
    await database.kysely.insertInto("options").values(option).execute();
    await database.close();
    const ran = await turnpikeHere(site.env, "key", "rotate");
    expect([ran.code, ran.out]).toEqual([1, expect.stringContaining("options.value: 1 values open with no key")]);
    expect(await sealedBy(site.place.config, "a key that is lost for ever, 0123456789")).toEqual({ options: 1 });
  });
});
