/** Scheduled backups: one a day that can be restored, the newest of which stay; a failure reaches the super administrator and is tried again. */
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SAMPLE_ROWS } from "../../../tests/engines/columns.ts";
import { type S3Server, startS3Server } from "../../../tests/support/databases/s3-server.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { readArchive } from "../archive/file.ts";
import { filePlace, placeOf } from "../archive/places.ts";
import { createLogger } from "../observe/logger.ts";
import { requestFact } from "../archive/backup-state.ts";
import { readConfig } from "../config.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { backupJobs } from "./backups.ts";
import { startScheduler } from "./scheduler.ts";

const DAY_SECONDS = 86_400;
/** 04:00 by UTC. */
const FOUR = 20_000 * DAY_SECONDS + 4 * 3_600;
const PASSPHRASE = "a long passphrase";
const SCHEDULE = { bucketUrl: undefined, hour: 3, count: 7, days: 0, passphrase: undefined };

describe.each(await engines())("scheduled backups on %s", { timeout: 60_000 }, (engine) => {
  let opened: TestDatabase;
  let folder: string;
  let now: number;
  const logger = createLogger({ level: "silent" });

  const jobsOf = (settings: { directory?: string; count?: number; passphrase?: string } = {}) => {
    const backups = { ...SCHEDULE, directory: folder, ...settings };
    const context = { database: opened.database, secrets: opened.secrets, logger, clock: () => now * 1000 };
    return backupJobs(context, { ...opened.config, backups }, "v9");
  };
  const jobOf = (settings?: Parameters<typeof jobsOf>[0]) => {
    const [job] = jobsOf(settings);
    if (job?.hasWork === undefined) throw new Error("There is no job of backups");
    return { run: job.run, hasWork: job.hasWork };
  };
  const files = async () => (await readdir(folder)).toSorted();
  const messages = () => opened.database.kysely.selectFrom("outbox").select(["event", "user_id"]).execute();
  const failure = async (): Promise<unknown> => {
    const facts = opened.database.kysely.selectFrom("facts").select("value").where("name", "=", "scheduled_backup");
    return (JSON.parse((await facts.executeTakeFirstOrThrow()).value) as { failure: unknown }).failure;
  };
  const tablesOf = async (file: string, passphrase?: string): Promise<string[]> => {
    const names = new Set<string>();
    for await (const { table } of readArchive(filePlace(join(folder, file)), passphrase)) names.add(table.name);
    return [...names];
  };

  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    const root = { ...SAMPLE_ROWS.users, role: 100, email: "root@example.com", deleted_at: null, setting: "" };
    await opened.database.kysely.insertInto("users").values(root).execute();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    now = FOUR;
    folder = await mkdtemp(join(tmpdir(), "turnpike-backups-"));
    const { kysely } = opened.database;
    for (const table of ["leases", "outbox"] as const) await kysely.deleteFrom(table).execute();
    await kysely.deleteFrom("facts").where("name", "like", "%backup%").execute();
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("writes a file that can be read whole, once a day from the hour on", async () => {
    const job = jobOf();
    expect(await job.hasWork()).toBe(true);
    await job.run();
    expect(await files()).toEqual(["turnpike-20241004T040000Z.tpk"]);
    expect(await tablesOf("turnpike-20241004T040000Z.tpk")).toContain("ledger");
    now = FOUR + 22 * 3_600;
    expect(await job.hasWork()).toBe(false);
    await job.run();
    now = FOUR + 23 * 3_600;
    expect(await job.hasWork()).toBe(true);
    await job.run();
    expect(await files()).toEqual(["turnpike-20241004T040000Z.tpk", "turnpike-20241005T030000Z.tpk"]);
    expect(await failure()).toBe("");
    expect(await messages()).toEqual([]);
  });

  test("encrypts it where a passphrase is set", async () => {
    await jobOf({ passphrase: PASSPHRASE }).run();
    const [file = ""] = await files();
    expect(await tablesOf(file, PASSPHRASE)).toContain("ledger");
    await expect(tablesOf(file, "another passphrase")).rejects.toThrow("The passphrase is not that of this backup");
  });

  test("keeps the newest, removes what a killed one left, and touches no other file", async () => {
    const others = ["mine.tpk", "turnpike-20200101.tpk", "turnpike-x.tpk.part"];
    const own = ["turnpike-20240101T030000Z.tpk", "turnpike-20240102T030000Z.tpk", "turnpike-20240103T030000Z.tpk"];
    for (const name of [...others, ...own, "turnpike-20240104T030000Z.tpk.part"])
      await writeFile(join(folder, name), name);
    await jobOf({ count: 2 }).run();
    const kept = ["turnpike-20240103T030000Z.tpk", "turnpike-20241004T040000Z.tpk"];
    expect(await files()).toEqual([...others, ...kept].toSorted());
  });

  test("deletes none while no new one can be written, tries again after an hour, and tells the super administrator once, and when it works", async () => {
    const directory = join(folder, "file");
    await writeFile(directory, "no folder");
    const job = jobOf({ directory });
    await job.run();
    expect(await failure()).toMatch(/EEXIST|ENOTDIR/);
    expect(await messages()).toMatchObject([{ event: "backup_failed" }]);
    now += 3_599;
    expect(await job.hasWork()).toBe(false);
    now += 1;
    expect(await job.hasWork()).toBe(true);
    await job.run();
    now += DAY_SECONDS;
    await job.run();
    expect(await messages()).toHaveLength(1);
    expect(await readFile(directory, "utf8")).toBe("no folder");
    await rm(directory);
    now += 3_600;
    await job.run();
    expect(await failure()).toBe("");
    expect(await readdir(directory)).toHaveLength(1);
    expect((await messages()).map(({ event }) => event)).toEqual(["backup_failed", "backup_works_again"]);
    now += DAY_SECONDS;
    await job.run();
    expect(await messages()).toHaveLength(2);
  });

  test("is late 6 hours after its hour, which sends one message, and not for what a start was too late for", async () => {
    const [job, late] = jobsOf();
    now = FOUR + 4 * 3_600;
    await late?.run();
    expect(await messages()).toEqual([]);
    now += 2 * 3_600;
    for (let run = 0; run < 3; run += 1) await late?.run();
    expect(await messages()).toMatchObject([{ event: "backup_late" }]);
    await job?.run();
    await late?.run();
    expect((await messages()).map(({ event }) => event)).toEqual(["backup_late", "backup_works_again"]);
  });

  test("one that is asked for is made out of its hour, once", async () => {
    const job = jobOf();
    await job.run();
    now += 60;
    expect(await job.hasWork()).toBe(false);
    await keyValueStore(opened.database).write(requestFact("folder"), String(now));
    expect(await job.hasWork()).toBe(true);
    await job.run();
    expect([await job.hasWork(), (await files()).length]).toEqual([false, 2]);
  });

  test("leaves it to the next process where its own stops", async () => {
    await jobOf().run(AbortSignal.abort());
    expect((await files()).filter((name) => name.endsWith(".tpk"))).toEqual([]);
    expect(await messages()).toEqual([]);
    expect(await jobOf().hasWork()).toBe(true);
    await jobOf().run();
    expect(await files()).toEqual(["turnpike-20241004T040000Z.tpk"]);
  });

  test("is written once by processes that begin at once", async () => {
    const clock = () => now * 1000;
    const schedulers = ["a", "b", "c"].map((holder) =>
      startScheduler({ database: opened.database, logger, holder, clock, jobs: jobsOf() }),
    );
    const ran = await Promise.all(schedulers.map((each) => each.runNow("scheduled_backup")));
    await Promise.all(schedulers.map((each) => each.stop()));
    expect(ran.filter(Boolean)).toHaveLength(1);
    expect(await files()).toEqual(["turnpike-20241004T040000Z.tpk"]);
  });
});

describe("scheduled backups in a bucket", { timeout: 120_000 }, () => {
  let opened: TestDatabase;
  let server: S3Server;
  let now = FOUR;
  const logger = createLogger({ level: "silent" });
  const jobsOf = (settings: object = {}, env: Readonly<Record<string, string>> = {}) => {
    const { s3, backups } = readConfig({ ...server.env, ...env });
    if (backups === undefined) throw new Error("There is no schedule");
    const context = { database: opened.database, secrets: opened.secrets, logger, clock: () => now * 1000 };
    return backupJobs(context, { ...opened.config, s3, backups: { ...backups, ...settings } }, "v9");
  };
  const run = async (...settings: Parameters<typeof jobsOf>): Promise<void> => jobsOf(...settings)[0]?.run();
  const stateOf = async (): Promise<unknown> =>
    JSON.parse((await keyValueStore(opened.database).read("scheduled_backup_bucket")) ?? "{}");

  beforeAll(async () => {
    opened = await openTestDatabase("sqlite");
    server = await startS3Server();
  });
  afterAll(async () => {
    await server.close();
    await opened.close();
  });
  beforeEach(async () => {
    now = FOUR;
    server.objects.clear();
    server.failing = () => undefined;
    await opened.database.kysely.deleteFrom("facts").where("name", "like", "%backup%").execute();
  });

  test("are whole, encrypted where asked, read back, and kept by number; what a killed process left is removed", async () => {
    server.uploads.set("left", { key: "site/turnpike-20240101T030000Z.tpk", parts: new Map() });
    for (const name of ["turnpike-20240102T030000Z.tpk", "turnpike-20240103T030000Z.tpk", "mine.tpk"])
      server.objects.set(`site/${name}`, { body: Buffer.from("old"), time: 0 });
    await run({ count: 2, passphrase: PASSPHRASE });
    expect(await stateOf()).toMatchObject({ failure: "", file: "turnpike-20241004T040000Z.tpk", finished_time: FOUR });
    expect([...server.objects.keys()].toSorted()).toEqual([
      "site/mine.tpk",
      "site/turnpike-20240103T030000Z.tpk",
      "site/turnpike-20241004T040000Z.tpk",
    ]);
    expect(server.uploads.size).toBe(0);
    const place = placeOf("s3://backups/site/turnpike-20241004T040000Z.tpk", readConfig(server.env).s3);
    const tables = new Set<string>();
    for await (const { table } of readArchive(place, PASSPHRASE)) tables.add(table.name);
    expect(tables).toContain("ledger");
  });

  test("go beside those of a folder, which a bucket that is away does not hold up", async () => {
    const folder = await mkdtemp(join(tmpdir(), "turnpike-backups-"));
    const jobs = jobsOf({ directory: folder }, { BACKUP_S3_SECRET_KEY: "another" });
    await Promise.all(jobs.map((job) => job.run()));
    expect(await readdir(folder)).toEqual(["turnpike-20241004T040000Z.tpk"]);
    expect(await stateOf()).toMatchObject({
      failure: expect.stringContaining("BACKUP_S3_SECRET_KEY is not the secret"),
    });
    expect(server.objects.size).toBe(0);
    await rm(folder, { recursive: true });
  });

  test("that were changed on their way are found when they are read back, and delete no older one", async () => {
    server.objects.set("site/turnpike-20240102T030000Z.tpk", { body: Buffer.from("old"), time: 0 });
    server.failing = ({ method, key, query }) => {
      const object = server.objects.get(key);
      if (method === "HEAD" && query.size === 0 && object !== undefined)
        object.body = Buffer.concat([object.body.subarray(0, -9), Buffer.alloc(9, 7)]);
      return undefined;
    };
    await run({ count: 1 });
    expect(await stateOf()).toMatchObject({ failure: "The backup is incomplete or damaged", slot: 0 });
    expect(server.objects.has("site/turnpike-20240102T030000Z.tpk")).toBe(true);
  });
});

test("there is no job without a destination", async () => {
  const opened = await openTestDatabase("sqlite");
  const context = { database: opened.database, secrets: opened.secrets, logger: createLogger({ level: "silent" }) };
  expect(backupJobs({ ...context, clock: Date.now }, opened.config, "v9")).toEqual([]);
  await opened.close();
});
