/** Tests of the system page: for the super administrator alone, every part bounded in time, backups requested, and the bundle recorded. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SystemCheck, SystemFacts } from "../../../../contract/src/features/system.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { MIGRATIONS } from "../../db/migrations/migrate.ts";
import { systemTools } from "../../composition/system-tools.ts";
import { openVitals, type Vitals } from "../../composition/process-vitals.ts";

describe.each(await engines())("on %s", { timeout: 120_000 }, (engine) => {
  let site: TestConsole;
  let root: Caller;
  const facts = () => root.data<SystemFacts>("GET", "/api/system");
  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(ROLE.root);
  });
  afterAll(() => site.close());

  test("says what it stands on", async () => {
    const { database, tables, disk, outbox, backups } = await facts();
    expect(database).toMatchObject({
      failure: "",
      data: { engine, schema: String(MIGRATIONS.at(-1)?.id), pending: [] },
    });
    expect(database.data?.bytes).toBeGreaterThan(100_000);
    expect(tables.failure).toBe("");
    expect(tables.data?.map(({ name }) => name)).toContain("users");
    expect(disk.data?.total_bytes).toBeGreaterThan(disk.data?.free_bytes ?? Infinity);
    expect([outbox.data, backups.data]).toEqual([{ waiting: 0, failed: 0, oldest_time: 0 }, []]);
  });

  test("a part that does not answer is late, and holds up no other", async () => {
    const { system } = site.context;
    Object.assign(site.context, {
      system: {
        ...system,
        disk: () => new Promise(() => undefined),
        backups: () => Promise.reject(new Error("gone\nfor good")),
      },
    });
    const { disk, backups, database } = await facts();
    Object.assign(site.context, { system });
    expect([disk, backups, database.failure]).toEqual([
      { data: null, failure: "late" },
      { data: null, failure: "gone" },
      "",
    ]);
  });

  test("every process shows itself, and jobs are those of the process that ran them last", async () => {
    const { database } = site.foundation;
    const logger = { warn: () => undefined };
    const look = (started_time: number) => () => ({
      snapshot_age_ms: 3,
      journal_entries: 1,
      waiting_entries: 2,
      jobs: [{ name: "outbox", every_seconds: 2, started_time, ended_time: started_time, next_time: 9, failure: "" }],
    });
    const open = (process: string, at: number): Vitals =>
      openVitals({ database, logger, clock: Date.now, process, version: "v9", look: look(at) });
    const [own, other] = [open("a", 5), open("b", 7)];
    const { system } = site.context;
    Object.assign(site.context, { system: { ...system, processes: own.all } });
    if (engine !== "sqlite") {
      const row = {
        process: "b",
        seen_time: Math.floor(Date.now() / 1000),
        vitals: JSON.stringify((await other.all())[0]),
      };
      await database.kysely.insertInto("process_vitals").values(row).execute();
    }
    const { processes, jobs } = await facts();
    Object.assign(site.context, { system });
    await Promise.all([own.stop(), other.stop()]);
    expect(processes.data?.map(({ name }) => name)).toEqual(engine === "sqlite" ? ["a"] : ["a", "b"]);
    expect(jobs.data).toMatchObject([{ name: "outbox", started_time: engine === "sqlite" ? 5 : 7, leader: "" }]);
  });

  test("checks are those of the doctor, and none but the super administrator sees any of it", async () => {
    const checks = await root.data<SystemCheck[]>("GET", "/api/system/checks");
    const names = new Set(checks.map(({ name }) => name));
    for (const name of ["program", "disk", "schema", "secret_key", "backup", "audit", "proxy", "certificates", "redis"])
      expect([...names]).toContain(name);
    expect(checks.find(({ name }) => name === "backup")).toMatchObject({
      status: "warn",
      repair: expect.stringContaining("BACKUP_DIR"),
    });
    const admin = await site.person(ROLE.admin);
    for (const [method, path] of [
      ["GET", "/api/system"],
      ["GET", "/api/system/checks"],
      ["POST", "/api/system/support_bundle"],
    ] as const)
      expect((await admin.call(method, path)).status).toBe(403);
  });

  test("a backup is asked for where there is a destination, and the bundle is made, each with an entry of the trail", async () => {
    const refused = await root.call("POST", "/api/system/backup", { destination: "bucket" });
    expect(refused.body).toMatchObject({ success: false, code: "backup_not_configured", field: "destination" });
    const { system } = site.context;
    const config = {
      ...site.config,
      backups: {
        directory: `${site.config.dataDir}/backups`,
        bucketUrl: undefined,
        hour: 3,
        count: 7,
        days: 0,
        passphrase: undefined,
      },
    };
    Object.assign(site.context, { system: systemTools(config, site.foundation.database, () => undefined) });
    await root.data("POST", "/api/system/backup", { destination: "folder" });
    expect((await facts()).backups.data).toMatchObject([{ name: "folder", is_requested: true, files: null }]);
    Object.assign(site.context, { system });
    const bundle = await root.data<{ files: { name: string }[]; archive: string }>(
      "POST",
      "/api/system/support_bundle",
    );
    expect(bundle.files.map(({ name }) => name)).toContain("turnpike-support/doctor.json");
    expect(Buffer.from(bundle.archive, "base64").subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    const trail = await site.foundation.database.kysely
      .selectFrom("audit_entries")
      .select("event")
      .orderBy("id")
      .execute();
    expect(trail.map(({ event }) => (JSON.parse(event) as { code: string }).code)).toEqual([
      "backup_requested",
      "support_bundle_made",
    ]);
  });
});
