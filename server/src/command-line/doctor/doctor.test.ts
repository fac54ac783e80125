/** Tests of `turnpike doctor`: each fault has a finding of its own with its repair, and a healthy system has none. */
import { chmod, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import { type TestPlace, createTestPlace, engines } from "../../../../tests/support/databases/databases.ts";
import { turnpike, turnpikeHere } from "../../../../tests/support/systems/command-line.ts";
import { keepRefused } from "../../billing/journal.ts";
import { startApp } from "../../app.ts";
import type { Config } from "../../config.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { keyValueStore } from "../../db/key-value-store.ts";
import { MIGRATIONS } from "../../db/migrations/migrate.ts";
import { createLogger } from "../../observe/logger.ts";
import { judgeAudit, judgeBackup } from "./backups.ts";
import { type Check, checkerOf, ok } from "./check.ts";
import { judgeSkew } from "./database.ts";
import { examine, resultOf } from "./doctor.ts";
import { checkNode, judgeSpace } from "./machine.ts";
import { judgeProxy } from "./traffic.ts";

const places: TestPlace[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

async function placeOn(engine: Parameters<typeof createTestPlace>[0], isEmpty = false): Promise<Config> {
  const place = await createTestPlace(engine, { isEmpty });
  places.push(place);
  await chmod(place.config.dataDir, 0o700);
  return place.config;
}

async function changed(config: Config, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = await openDatabase(config);
  await work(database).finally(() => database.close());
}

const named = (checks: readonly Check[], name: string) => checks.find((check) => check.name === name);
const statusOf = async (config: Config, name: string) => named(await examine(config), name)?.status;
const setOption = (config: Config, name: string, value: string) =>
  changed(config, ({ kysely }) => kysely.insertInto("options").values({ name, value, updated_time: 0 }).execute());

/** A server that answers with this status. */
async function siteWith(status: number): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(await engines())("on %s", (engine) => {
  test("a system that nothing is wrong with fails no check, without a server and beside one", async () => {
    const config = await placeOn(engine);
    const before = await examine(config);
    expect(before.filter(({ status }) => status === "fail")).toEqual([]);
    expect(named(before, "schema")?.finding).toBe(`schema ${MIGRATIONS.at(-1)?.id}, nothing pending`);
    expect(named(before, "processes")?.finding).toBe("no server runs on this database now");
    const app = await startApp(config, { logger: createLogger({ level: "silent" }), webDirectory: "no-web" });
    onTestFinished(() => app.close());
    const beside = await examine(config);
    expect(beside.filter(({ status }) => status === "fail")).toEqual([]);
    expect(named(beside, "processes")?.finding).toMatch(/^1 process(?:es)? run/);
    expect(named(beside, "secret_key")?.finding).toBe("SECRET_KEY opens what is sealed here");
    expect(await statusOf({ ...config, workers: 3 }, "processes")).toBe("warn");
    expect(await statusOf({ ...config, secretKey: "another key of at least 32 characters" }, "secret_key")).toBe(
      "fail",
    );
    await app.close();
  });

  test("steps that are left, a newer schema and an unfinished restore are findings", async () => {
    const config = await placeOn(engine);
    const write = (value: string, name = "schema") =>
      changed(config, (database) => keyValueStore(database).write(name, value));
    await write("33.0");
    expect(await statusOf(config, "schema")).toBe("warn");
    await write("9999.1");
    expect(await statusOf(config, "schema")).toBe("warn");
    await write("9999", "schema_minimum");
    expect(await statusOf(config, "schema")).toBe("fail");
    await write("restoring 34.1");
    expect(named(await examine(config), "schema")).toMatchObject({
      status: "fail",
      finding: expect.stringContaining("restore"),
    });
  });

  test("a database with nothing in it is a warning", async () => {
    const checks = await examine(await placeOn(engine, true));
    expect(checks.filter(({ status }) => status === "fail")).toEqual([]);
    expect(checks.some(({ name, status }) => (name === "database" || name === "schema") && status === "warn")).toBe(
      true,
    );
  });

  test("the mail server and the public address of the settings are tried", async () => {
    const config = await placeOn(engine);
    expect([await statusOf(config, "mail"), await statusOf(config, "address")]).toEqual(["ok", "warn"]);
    const address = await siteWith(200);
    await setOption(config, "ServerAddress", address);
    await setOption(config, "SMTPServer", "127.0.0.1");
    await setOption(config, "SMTPPort", new URL(address).port);
    expect([await statusOf(config, "mail"), await statusOf(config, "address")]).toEqual(["ok", "ok"]);
    const other = await siteWith(404);
    await changed(config, async ({ kysely }) => {
      await kysely.updateTable("options").set({ value: "1" }).where("name", "=", "SMTPPort").execute();
      await kysely.updateTable("options").set({ value: other }).where("name", "=", "ServerAddress").execute();
    });
    const checks = await examine(config);
    expect(named(checks, "mail")).toMatchObject({ status: "warn", finding: expect.stringContaining("ECONNREFUSED") });
    expect(named(checks, "address")?.finding).toBe(`${new URL(other).host} answers 404`);
  });
});

test("databases and a Redis that are away are findings without their passwords", async () => {
  const config = await placeOn("sqlite");
  for (const databaseUrl of ["postgres://u:hunter2@127.0.0.1:1/d", "mysql://u:hunter2@127.0.0.1:1/d"]) {
    const checks = await examine({ ...config, databaseUrl, redisUrl: "redis://:hunter2@127.0.0.1:1" });
    expect([named(checks, "database")?.status, named(checks, "redis")?.status]).toEqual(["fail", "warn"]);
    expect(JSON.stringify(checks)).not.toContain("hunter2");
    expect(resultOf(checks).exitCode).toBe(1);
  }
});

test("the folder's rights, settlements that wait in it and refused ones are findings", async () => {
  const config = await placeOn("sqlite");
  const journal = join(config.dataDir, "settlements-gone.journal");
  await writeFile(journal, '{"a":1}\n{"b":2}\n');
  expect(await statusOf(config, "journal")).toBe("ok");
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(journal, hourAgo, hourAgo);
  await chmod(config.dataDir, 0o755);
  const checks = await examine(config);
  expect(named(checks, "journal")?.finding).toMatch(/^2 settlements wait in DATA_DIR, the oldest for 36\d\d s$/);
  expect(named(checks, "data_dir")).toMatchObject({ status: "warn", repair: expect.stringContaining("chmod 700") });
  await keepRefused(config.dataDir, {} as Parameters<typeof keepRefused>[1], new Error("no such user"));
  expect(named(await examine(config), "journal")?.finding).toBe("1 settlements were refused by the database");
});

test("bounds: an old Node, a full disk, a clock that is wrong", () => {
  expect([checkNode("v25.9.0"), checkNode("v26.0.0"), checkNode("v30.1.0")].map(({ status }) => status)).toEqual([
    "fail",
    "ok",
    "ok",
  ]);
  const mib = 1024 * 1024;
  expect([255, 256, 2047, 2048].map((free) => judgeSpace(free * mib, "/").status)).toEqual([
    "fail",
    "warn",
    "warn",
    "ok",
  ]);
  expect([0, -4.9, 5, -29, 30, -31].map((skew) => judgeSkew(skew).status)).toEqual([
    "ok",
    "ok",
    "warn",
    "warn",
    "fail",
    "fail",
  ]);
});

describe.each(await engines())("more on %s", (engine) => {
  test("values under an earlier key are counted by their column", async () => {
    const config = { ...(await placeOn(engine)), previousSecretKeys: ["an earlier key of 32 characters or more"] };
    expect(named(await examine(config), "previous_keys")).toMatchObject({ status: "ok" });
    const row = { ...SAMPLE_ROWS.outbox, values_cipher: "v1.deadbeef.sealed" };
    await changed(config, ({ kysely }) => kysely.insertInto("outbox").values(row).execute());
    expect(named(await examine(config), "previous_keys")).toMatchObject({
      status: "warn",
      finding: "1 values are still encrypted with an earlier key: outbox.values_cipher 1",
    });
  });

  test("a place of backups that cannot be written is a failure, and the last backup has its age", async () => {
    const config = await placeOn(engine);
    expect(named(await examine(config), "backup")).toMatchObject({ status: "warn", finding: "no backup is scheduled" });
    const schedule = { hour: 3, count: 7, days: 0, passphrase: undefined, bucketUrl: undefined };
    const backups = { ...schedule, directory: join(config.dataDir, "missing") };
    const checks = await examine({ ...config, backups });
    expect(named(checks, "backup_place")).toMatchObject({ status: "fail", finding: expect.stringContaining("ENOENT") });
    expect(named(checks, "backup")?.finding).toMatch(/missing: no whole backup yet$/);
    const there = await examine({ ...config, backups: { ...backups, directory: config.dataDir } });
    expect(named(there, "backup_place")).toMatchObject({ status: "ok" });
  });

  test("an upstream without a valid certificate is named by its channel alone", async () => {
    const config = await placeOn(engine);
    const { host } = new URL(await siteWith(200));
    const channel = { ...SAMPLE_ROWS.channels, status: 1, base_url: `https://${host}`, setting: "" };
    await changed(config, ({ kysely }) => kysely.insertInto("channels").values(channel).execute());
    const found = named(await examine(config), "certificates");
    expect(found).toMatchObject({ status: "fail", finding: expect.stringMatching(/not valid: #\d+: /) });
    expect(found?.finding).not.toContain(host);
  });
});

test("a check that does not answer fails within its time, and holds up no other", async () => {
  const checked = checkerOf(50);
  const never = () => new Promise<never>(() => undefined);
  const checks = await Promise.all([
    checked("a", "redis.any", never),
    checked("b", "redis.any", () => ok("redis.unused")),
  ]);
  const late = { finding: "no answer within 0.05 s", code: "any.late", values: { limit: 0.05 } };
  expect(checks).toEqual([
    { name: "a", status: "fail", ...late, repair: "Correct REDIS_URL.", repairCode: "redis.any" },
    { name: "b", status: "ok", finding: "not used", code: "redis.unused", values: {} },
  ]);
});

test("backups, audits and proxies are judged by their age", () => {
  const now = 1_800_000_000;
  const state = (age: number, failure = "") =>
    JSON.stringify({ slot: 1, tried_time: 1, finished_time: now - age, file: "a.tpk", bytes: 2_097_152, failure });
  const backup = [state(3_600), state(31 * 3_600), state(55 * 3_600), state(60, "full"), undefined];
  expect(backup.map((each) => judgeBackup("/b", each, now).status)).toEqual(["ok", "warn", "fail", "warn", "warn"]);
  expect(judgeBackup("/b", state(5 * 3_600), now).finding).toBe(
    "/b: a.tpk, 2.0 MiB, written and read back 5 hours ago",
  );
  const audit = (age: number, faults = 0) => JSON.stringify({ time: now - age, rows: 9, faults });
  const audits = [undefined, audit(60), audit(60, 1), audit(60 * 3_600)];
  expect(audits.map((each) => judgeAudit(each, now).status)).toEqual(["ok", "ok", "fail", "warn"]);
  const seen = JSON.stringify({ address: "10.0.0.9", isPrivate: true, time: now });
  const proxy = (trustedProxies: string[]) => judgeProxy({ trustedProxies }, seen, now * 1000).status;
  expect([proxy([]), proxy(["10.0.0.0/8"])]).toEqual(["warn", "ok"]);
});

test("the command prints each finding with its repair, and a configuration that cannot be read is one", async () => {
  const config = await placeOn("sqlite");
  const env = { DATA_DIR: config.dataDir, SECRET_KEY: config.secretKey ?? "" };
  const fine = await turnpike(env, "doctor");
  expect([fine.code, fine.complaint]).toEqual([0, ""]);
  expect(fine.out).toMatch(/^ok {4}program .*Turnpike v/);
  expect(fine.out).toMatch(/warn {2}address .*\n +-> Set it under Settings/);
  const wrong = await turnpikeHere({ ...env, PORT: "abc" }, "doctor", "--json");
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.out)).toMatchObject({
    status: "fail",
    checks: [{ name: "program" }, { name: "configuration", finding: expect.stringContaining("PORT must be") }],
  });
});
