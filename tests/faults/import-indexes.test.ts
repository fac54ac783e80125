/** An import of many rows that builds indexes behind them: killed at any point, each is there again after the next import, `turnpike migrate` or a start of the server, and every row once. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../server/src/db/database.ts";
import { tablesWithoutIndexes } from "../../server/src/db/deferred-indexes.ts";
import { leftIndexesJob } from "../../server/src/jobs/left-indexes.ts";
import {
  createTestPlace,
  engines,
  type PlaceOptions,
  type TestPlace,
  withDatabase,
} from "../support/databases/databases.ts";
import { indexDefinitions } from "../support/databases/index-definitions.ts";
import { environmentOf, importWithKills, killImportWhen } from "../support/old-systems/killed-imports.ts";
import { makeOldGateway, NEW_API, numbersTo, type OldGateway } from "../support/old-systems/old-gateway.ts";
import { newApiRows } from "../support/old-systems/old-rows.ts";
import { turnpike } from "../support/systems/command-line.ts";
import { startServer } from "../support/systems/processes.ts";

/** Just so many that an import builds indexes behind them (MANY_ROWS of server/src/import/indexes.ts): each import here writes them all. */
const CALLS = 20_000;
const DAY = "2026-10-02";
const TIME = Date.parse(`${DAY}T12:00:00Z`) / 1000;

const LOGS = `id:id user_id created_at type content:string username:string token_name:string model_name:string quota prompt_tokens
  completion_tokens use_time is_stream:bool channel_id token_id group:string other:string`;

describe.each(await engines())("an import that builds indexes behind its rows on %s", (engine) => {
  let old: OldGateway;
  let words: readonly string[];
  let fresh: string[];
  let wholeMs: number;
  const places: TestPlace[] = [];

  beforeAll(async () => {
    old = await makeOldGateway(engine, { ...NEW_API, logs: LOGS }, newApiRows("http://upstream.example"));
    const [group, no] = [engine === "mysql" ? "`group`" : '"group"', engine === "postgres" ? "false" : "0"];
    await old.run(`INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens,
      use_time, is_stream, channel_id, token_id, ${group}, other) SELECT n, 2, ${TIME}, 2, 'a\\b', 'ada', 'token', 'gpt-4o', 7, 3, 4, 2, ${no}, 1, 2, 'default', '{}'
      FROM ${numbersTo(engine, CALLS)}`);
    words = [old.address, "--logs", `${DAY}..${DAY}`];
    const whole = await newPlace({ isEmpty: true });
    const startedMs = performance.now();
    const ran = await turnpike(environmentOf(whole), "import", ...words);
    wholeMs = performance.now() - startedMs;
    expect([ran.code, ran.complaint]).toEqual([0, expect.stringContaining("building index")]);
    fresh = await lookAt(whole);
  });
  afterAll(async () => {
    await old.remove();
    for (const place of places) await place.remove();
  });

  /** Migrated already, which an import would do first, unless it is empty. */
  async function newPlace(options: PlaceOptions = {}): Promise<TestPlace> {
    const place = await createTestPlace(engine, options);
    places.push(place);
    return place;
  }

  /** Every index, with how many rows of the log there are. Throws where one is still to be built. */
  async function lookAt({ config }: TestPlace): Promise<string[]> {
    const database = await openDatabase(config);
    try {
      expect(await tablesWithoutIndexes(database)).toEqual([]);
      const row = await database.kysely
        .selectFrom("logs")
        .select(({ fn }) => [fn.countAll().as("all"), fn.count("request_id").distinct().as("each")])
        .where("request_id", "like", "imported:%")
        .executeTakeFirstOrThrow();
      return [...(await indexDefinitions(database)), `${row.all} ${row.each}`];
    } finally {
      await database.close();
    }
  }

  async function finishByJob({ config }: TestPlace): Promise<void> {
    const database = await openDatabase(config);
    await leftIndexesJob(database, { info: () => undefined }).run();
    await database.close();
  }

  test("it has every index of a fresh database, beside partitions of its days", async () => {
    const indexes = fresh.slice(0, -1);
    expect(fresh.at(-1)).toBe(`${CALLS} ${CALLS}`);
    await withDatabase(engine, async (database) => {
      const made = await indexDefinitions(database);
      const isOfDays = (line: string): boolean => /^logs_(?:\d+|rest) /.test(line);
      expect(indexes.filter((line) => !isOfDays(line))).toEqual(made.filter((line) => !isOfDays(line)));
      if (engine !== "postgres") return;
      const ofRest = made.filter((line) => line.startsWith("logs_rest "));
      const days = Map.groupBy(indexes.filter(isOfDays), (line) => line.split(" ", 1)[0]);
      for (const lines of days.values())
        expect(lines.map((line) => line.slice(line.indexOf(" ")))).toEqual(
          ofRest.map((line) => line.slice(line.indexOf(" "))),
        );
    });
  });

  test.each([
    ["its rows come", "the indexes of logs are built behind"],
    ["an index is built", "building index "],
  ])("killed while %s, it is whole after the next import", async (_name, line) => {
    const place = await newPlace();
    const env = environmentOf(place);
    await killImportWhen(env, words, line);
    const again = await turnpike(env, "import", ...words);
    expect([again.code, again.complaint]).toEqual([0, expect.anything()]);
    expect(await lookAt(place)).toEqual(fresh);
  });

  test("killed at several points and begun again, it is whole", async () => {
    const place = await newPlace({ isEmpty: true });
    const env = environmentOf(place);
    const killedAt = await importWithKills(env, words, wholeMs);
    expect(await turnpike(env, "import", ...words)).toMatchObject({ code: 0 });
    expect(await lookAt(place), `killed after ${killedAt.join(", ")} ms`).toEqual(fresh);
  });

  test("killed while an index is built, the others are built by `turnpike migrate`", async () => {
    const place = await newPlace();
    const env = environmentOf(place);
    await killImportWhen(env, words, "building index 3");
    const migrated = await turnpike(env, "migrate");
    expect([migrated.code, migrated.complaint]).toEqual([0, expect.stringContaining("building index")]);
    expect(await lookAt(place)).toEqual(fresh);
  });

  test("killed while an index is built, the others are built by a server", async () => {
    const place = await newPlace();
    const env = environmentOf(place);
    await killImportWhen(env, words, "building index 3");
    const server = await startServer(env);
    if (engine !== "sqlite") await finishByJob(place);
    await server.end();
    expect(await lookAt(place)).toEqual(fresh);
  });

  test("killed between its rows, a server builds them, and the next import brings what lacked", async () => {
    const place = await newPlace();
    const env = environmentOf(place);
    await killImportWhen(env, words, "the indexes of logs are built behind");
    const server = await startServer(env);
    if (engine !== "sqlite") await finishByJob(place);
    await server.end();
    expect(await turnpike(env, "import", ...words)).toMatchObject({ code: 0 });
    expect(await lookAt(place)).toEqual(fresh);
  });
});
