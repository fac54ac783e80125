/** Tests of the log rows of commands: each that changes or exports something leaves one, alone and beside a running server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type S3Server, startS3Server } from "../../../tests/support/databases/s3-server.ts";
import { type TestPlace, createTestPlace, engines } from "../../../tests/support/databases/databases.ts";
import { turnpike, turnpikeHere } from "../../../tests/support/systems/command-line.ts";
import { startServer } from "../../../tests/support/systems/processes.ts";
import { type Site, makeSite } from "../../../tests/support/systems/site.ts";
import { openDatabase } from "../db/database.ts";
import { COMMANDS } from "./commands.ts";
import { openSnapshot } from "../archive/snapshot.ts";

/** What neither changes anything nor hands data out. */
const WITHOUT_ROW = ["serve", "audit", "verify", "config export", "config plan", "doctor", "version"];

test("every command says what row it leaves, and none without one is forgotten here", () => {
  expect(COMMANDS.filter(({ row }) => row === "none").map(({ name }) => name)).toEqual(WITHOUT_ROW);
  const own = COMMANDS.filter(({ row }) => row === "own").map(({ name }) => name);
  expect(own.every((name) => name === "import" || name === "config apply" || name.startsWith("user "))).toBe(true);
});

/** Codes of the acts of the command line, in their order, from both tables. */
async function actsOf({ config }: Pick<TestPlace, "config">): Promise<{ trail: string[]; log: string[] }> {
  const snapshot = await openSnapshot(config);
  try {
    const trail = await snapshot.select("SELECT event FROM audit_entries WHERE actor = ? ORDER BY id", [
      "command line",
    ]);
    const log = await snapshot.select("SELECT other FROM logs WHERE username = ? ORDER BY id", ["command line"]);
    return {
      trail: trail.map(([event]) => (JSON.parse(String(event)) as { code: string }).code),
      log: log.map(([other]) => (JSON.parse(String(other)) as { event: { code: string } }).event.code),
    };
  } finally {
    await snapshot.close();
  }
}

describe.each(await engines())("on %s", { timeout: 240_000 }, (engine) => {
  let site: Site;
  let folder: string;
  let s3: S3Server;
  beforeAll(async () => {
    site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [1_000] });
    folder = await mkdtemp(join(tmpdir(), "turnpike-rows-"));
    s3 = await startS3Server();
  });
  afterAll(async () => {
    await s3.close();
    await site.remove();
    await rm(folder, { recursive: true });
  });

  const acts = [
    ["user", "unlock", "person0"],
    ["key", "rotate"],
  ] as const;
  const codes = ["user_unlocked", "key_rotated"];

  test.each(["alone", "beside a server"])("each act has a row in the log and in the trail, %s", async (how) => {
    const database = await openDatabase(site.place.config);
    await database.kysely.deleteFrom("audit_entries").execute();
    await database.kysely.deleteFrom("logs").execute();
    await database.close();
    const server = how === "alone" ? undefined : await startServer(site.env);
    const run = how === "alone" ? turnpike : turnpikeHere;
    for (const words of acts) expect([words, (await run(site.env, ...words)).complaint]).toEqual([words, ""]);
    const file = join(folder, `${how.slice(0, 5)}.tpk`);
    expect(await run(site.env, "backup", file)).toMatchObject({ code: 0, complaint: "" });
    const bundle = await run(site.env, "support-bundle", `${file}.tar.gz`);
    expect(bundle.code).toBe(0);
    await server?.end();
    const all = [...codes, "backup_made", "support_bundle_made"];
    expect(await actsOf(site.place)).toEqual({ trail: all, log: all });
  });

  test("a backup in a bucket is verified and restored from there, with a row in what was restored", async () => {
    const env = { ...site.env, ...s3.env };
    const place = "s3://backups/by-hand/monday.tpk";
    expect(await turnpikeHere(env, "backup", place)).toMatchObject({ code: 0, complaint: "" });
    expect(await turnpikeHere(env, "verify", place)).toMatchObject({ code: 0, complaint: "" });
    const wrong = await turnpikeHere({ ...env, BACKUP_S3_SECRET_KEY: "another" }, "verify", place);
    expect([wrong.code, wrong.complaint]).toEqual([1, expect.stringContaining("403")]);
    const target = await createTestPlace(engine, { isEmpty: true });
    const { dataDir, databaseUrl } = target.config;
    const there = {
      ...env,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl ?? "",
      SECRET_KEY: site.place.config.secretKey ?? "",
    };
    expect(await turnpike(there, "restore", place)).toMatchObject({ code: 0, complaint: "" });
    expect((await actsOf(target)).trail.at(-1)).toBe("backup_restored");
    await target.remove();
  });
});
