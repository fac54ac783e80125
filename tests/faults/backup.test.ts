/** Backups and copies: whole while calls go on, the same rows on every engine, refused where they are damaged or of another key, resumed after a kill. */
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../server/src/db/database.ts";
import { openSnapshot } from "../../server/src/archive/snapshot.ts";
import { createTestPlace, engines, type TestPlace } from "../support/databases/databases.ts";
import { startS3Server } from "../support/databases/s3-server.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { startTurnpike, turnpike, turnpikeHere } from "../support/systems/command-line.ts";
import { type ServerProcess, startServer } from "../support/systems/processes.ts";
import { TestClient } from "../support/systems/server.ts";
import { MODELS, PERSON_PASSWORD, type Site, makeSite } from "../support/systems/site.ts";

const HERE = await engines();
const PASSPHRASE = "Grüße aus dem Keller 7";

const environmentOf = ({ config }: TestPlace) => ({
  DATA_DIR: config.dataDir,
  SECRET_KEY: config.secretKey ?? "",
  ...(config.databaseUrl === undefined ? {} : { DATABASE_URL: config.databaseUrl }),
});

/** Rows of the commands themselves, which backing up and restoring write. */
const isOfCommand = (table: string, text: string): boolean =>
  (table === "logs" || table === "audit_entries") && text.includes('"command line"');

/** Every row of a database, by table, in an order that no engine's collation changes. */
async function contentOf({ config }: TestPlace): Promise<Record<string, readonly string[]>> {
  const snapshot = await openSnapshot(config);
  const content: Record<string, string[]> = {};
  for await (const { table, rows } of snapshot.rows()) {
    const columns = table.columns.map((name, index) => [name, index] as const).toSorted();
    const texts = rows.map((row) => JSON.stringify(columns.map(([name, index]) => [name, row[index]])));
    const kept = texts.filter((text) => !isOfCommand(table.name, text));
    content[table.name] = [...(content[table.name] ?? []), ...kept];
  }
  await snapshot.close();
  return Object.fromEntries(Object.entries(content).map(([name, rows]) => [name, rows.toSorted()]));
}

describe.each(HERE)("a system on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let folder: string;
  let backup: string;
  const places: TestPlace[] = [];
  const emptyPlace = async (on: Engine): Promise<TestPlace> => {
    const place = await createTestPlace(on, { isEmpty: true });
    places.push({ ...place, config: { ...place.config, secretKey: site.place.config.secretKey } });
    return places.at(-1) ?? place;
  };

  beforeAll(async () => {
    // Calls go on all the time, but every row that they leave is read again by each test.
    upstream = await startFakeUpstream({ plan: { headerDelayMs: 20 } });
    site = await makeSite(engine, {
      upstreamUrl: upstream.url,
      quotas: [10_000_000, 10_000_000],
      options: { Notice: "Grüße 🎉 \u0001 \"quoted\" 'and' \\ 中文\n".repeat(50) },
    });
    folder = await mkdtemp(join(tmpdir(), "turnpike-backup-"));
    backup = join(folder, "whole.tpk");
    await writeFile(join(folder, "pass.txt"), `${PASSPHRASE}\n`);
  });
  afterAll(async () => {
    await upstream.close();
    await site.remove();
    for (const place of places) await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("is backed up while calls go on: what the file holds balances", async () => {
    const server: ServerProcess = await startServer(site.env);
    const [person] = site.people;
    let isOver = false;
    const call = async () => {
      while (!isOver) {
        const answer = await fetch(`${server.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${person?.key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: MODELS.fixed, messages: [{ role: "user", content: "hi" }] }),
        });
        expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
      }
    };
    const callers = Promise.all([call(), call(), call(), call()]);
    const ran = await turnpike(site.env, "backup", backup, "--json");
    isOver = true;
    await callers;
    await server.end();
    expect([ran.code, ran.complaint]).toEqual([0, ""]);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    const verified = await turnpike(site.env, "verify", backup, "--json");
    expect([verified.code, JSON.parse(verified.out)]).toMatchObject([
      0,
      { faults: [], rows: JSON.parse(ran.out).rows },
    ]);
    expect(await turnpikeHere(site.env, "backup", backup)).toMatchObject({ code: 1 });
  });

  test.each(HERE)("is copied to %s row by row, and runs there", async (target) => {
    const place = await emptyPlace(target);
    const to = place.config.databaseUrl ?? place.config.dataDir;
    const run = target === engine ? turnpike : turnpikeHere;
    const ran = await run(site.env, "copy", to, "--json");
    expect([ran.code, ran.complaint, JSON.parse(ran.out)]).toMatchObject([0, "", { faults: [] }]);
    expect(await contentOf(place)).toEqual(await contentOf(site.place));
    const server = await startServer({
      ...site.env,
      ...environmentOf(place),
      DATABASE_URL: place.config.databaseUrl ?? "",
    });
    const client = new TestClient(server.url);
    expect((await client.login("person1", PERSON_PASSWORD)).body.success).toBe(true);
    const made = await client.post("/api/token", { name: "after the move", unlimited_quota: true, expired_time: -1 });
    expect(made.body.success).toBe(true);
    await server.end();
    expect(await turnpikeHere(environmentOf(place), "audit")).toMatchObject({ code: 0 });
    const again = await turnpikeHere(site.env, "copy", to);
    expect([again.code, again.complaint]).toEqual([1, expect.stringContaining("3 accounts already")]);
  });

  test("is restored from an encrypted file with its passphrase and its key alone", async () => {
    const sealed = join(folder, "sealed.tpk");
    const pass = ["--passphrase-file", join(folder, "pass.txt")];
    expect(await turnpikeHere(site.env, "backup", sealed, ...pass)).toMatchObject({ code: 0 });
    expect((await readFile(sealed)).includes("person1")).toBe(false);
    const place = await emptyPlace(engine);
    const env = environmentOf(place);
    await writeFile(join(folder, "wrong.txt"), "another passphrase");
    const refusals = [
      await turnpikeHere(env, "restore", sealed),
      await turnpikeHere(env, "restore", sealed, "--passphrase-file", join(folder, "wrong.txt")),
      await turnpikeHere(
        { ...env, SECRET_KEY: "another-key-of-forty-characters-0123456789" },
        "restore",
        sealed,
        ...pass,
      ),
    ];
    expect(refusals.map(({ code, complaint }) => [code, complaint.split("\n").at(-2)])).toEqual([
      [1, expect.stringContaining("--passphrase-file")],
      [1, expect.stringContaining("The passphrase is not that of this backup")],
      [1, expect.stringContaining("SECRET_KEY is not that of the backed up system")],
    ]);
    expect(await turnpike(env, "restore", sealed, ...pass)).toMatchObject({ code: 0 });
    expect(await contentOf(place)).toEqual(await contentOf(site.place));
  });

  test("is not restored from a file that is cut or changed, and no server starts on what was begun", async () => {
    const bytes = await readFile(backup);
    const flipped = Buffer.from(bytes);
    const middle = Math.floor(bytes.length / 2);
    flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle);
    const place = await emptyPlace(engine);
    const env = environmentOf(place);
    for (const [name, content, cutTo] of [
      ["flipped", flipped, flipped.length],
      ["cut", bytes, bytes.length - 20],
      ["half", bytes, middle],
    ] as const) {
      const path = join(folder, `${name}.tpk`);
      await writeFile(path, content);
      await truncate(path, cutTo);
      const ran = await turnpikeHere(env, "restore", path);
      expect([name, ran.code, ran.complaint.trim()]).toEqual([name, 1, "The backup is incomplete or damaged"]);
    }
    const early = await turnpikeHere(env, "migrate", "--check");
    expect([early.code, early.complaint]).toEqual([1, expect.stringContaining("has not finished")]);
    expect(await turnpikeHere(env, "restore", backup)).toMatchObject({ code: 0 });
    expect(await turnpikeHere(env, "audit")).toMatchObject({ code: 0 });
  });

  test("killed while a part goes to a bucket leaves no object there, and the next backup ends the parts it left", async () => {
    const s3 = await startS3Server();
    const place = "s3://backups/by-hand/monday.tpk";
    const env = { ...site.env, ...s3.env };
    const child = startTurnpike(env, "backup", place);
    s3.failing = ({ query }) => {
      if (query.has("partNumber")) child.kill("SIGKILL");
      return undefined;
    };
    await once(child, "exit");
    s3.failing = () => undefined;
    expect([s3.objects.size, s3.uploads.size]).toEqual([0, 1]);
    expect(await turnpike(env, "backup", place)).toMatchObject({ code: 0 });
    expect([[...s3.objects.keys()], s3.uploads.size]).toEqual([["by-hand/monday.tpk"], 0]);
    await s3.close();
  });

  test("is the same after a restore that was killed and begun again", async () => {
    const place = await emptyPlace(engine);
    const env = environmentOf(place);
    for (const afterMs of [600, 900, 1_200]) {
      const child = startTurnpike(env, "restore", backup);
      const ended = once(child, "exit");
      const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
      await ended;
      clearTimeout(timer);
    }
    const last = await turnpikeHere(env, "restore", backup);
    // One of the three may have been done before it was killed.
    if (last.code !== 0) expect(last.complaint).toContain("3 accounts already");
    const other = await emptyPlace(engine);
    expect(await turnpikeHere(environmentOf(other), "restore", backup)).toMatchObject({ code: 0 });
    expect(await contentOf(place)).toEqual(await contentOf(other));
  });
});
