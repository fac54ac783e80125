/** Tests of deferred indexes on every engine: each is there again after a death at any statement, and none is taken from a table that is read. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { LOG_TYPE } from "../../contract/src/constants.ts";
import type { Database } from "../../server/src/db/database.ts";
import {
  buildIndexes,
  buildLeftIndexes,
  buildMarks,
  deferIndexes,
  type DeferrableTable,
  tablesWithoutIndexes,
} from "../../server/src/db/deferred-indexes.ts";
import { ensureLogPartitions, partitionDays } from "../../server/src/db/log-partitions.ts";
import type { LockedSession } from "../../server/src/db/session.ts";
import { leftIndexesJob } from "../../server/src/jobs/left-indexes.ts";
import { engines, withDatabase } from "../support/databases/databases.ts";
import { indexDefinitions } from "../support/databases/index-definitions.ts";
import { SAMPLE_ROWS } from "./columns.ts";

const TABLES: readonly DeferrableTable[] = ["tokens", "ledger", "logs"];
const DAY = 86_400;
const quiet = (): void => undefined;

/** The database in a process that dies at a statement of its schema, counted from 0. */
function dyingAt(database: Database, statement: number): Database {
  let left = statement;
  return {
    ...database,
    withMigrationLock: (work) =>
      database.withMigrationLock((session) => {
        const dying: LockedSession = {
          all: (text) => session.all(text),
          async run(text) {
            if (left === 0) throw new Error("killed");
            left -= 1;
            await session.run(text);
          },
        };
        return work(dying);
      }),
  };
}

async function deferAll(database: Database): Promise<void> {
  for (const table of TABLES) await deferIndexes(database, table);
}

/** Runs it with a death at each of its statements. @returns how many deaths there were */
async function dieEverywhere(
  database: Database,
  work: (dying: Database) => Promise<unknown>,
  survive: () => Promise<void>,
): Promise<number> {
  for (let deaths = 0; ; deaths += 1) {
    const died = await work(dyingAt(database, deaths)).then(
      () => false,
      () => true,
    );
    await survive();
    if (!died) return deaths;
  }
}

const logRow = (id: number, type: number = LOG_TYPE.consumption) => ({
  ...SAMPLE_ROWS.logs,
  id,
  request_id: `call-${id}`,
  type,
});

const HERE = await engines();

describe.each(HERE)("indexes left for later on %s", (engine) => {
  test("none but the keys is left of the three tables, and each comes back as the migrations made it", () =>
    withDatabase(engine, async (database) => {
      await ensureLogPartitions(database, [0, 40 * DAY, 80 * DAY], partitionDays(0));
      const fresh = await indexDefinitions(database);
      await deferAll(database);
      const without = await indexDefinitions(database);
      expect(without.filter((line) => line.startsWith("logs ") && line.includes("_index"))).toEqual([]);
      expect(fresh.length - without.length).toBeGreaterThanOrEqual(9);
      const lines: string[] = [];
      expect(await buildIndexes(database, (line) => void lines.push(line))).toBe(true);
      expect(await indexDefinitions(database)).toEqual(fresh);
      expect([lines.length, lines[0], await tablesWithoutIndexes(database)]).toEqual([
        9,
        "building index 1 of 9: tokens by user_id, id",
        [],
      ]);
      expect(await buildIndexes(database, quiet)).toBe(false);
    }));

  test("a death at any statement, of the dropping or of the building, ends with every index", () =>
    withDatabase(engine, async (database) => {
      await ensureLogPartitions(database, [0], partitionDays(0));
      const fresh = await indexDefinitions(database);
      const survive = async (): Promise<void> => {
        await buildLeftIndexes(database, quiet);
        expect(await indexDefinitions(database)).toEqual(fresh);
        expect(await tablesWithoutIndexes(database)).toEqual([]);
      };
      const dropping = await dieEverywhere(database, deferAll, survive);
      const building = await dieEverywhere(
        database,
        async (dying) => {
          await deferAll(database);
          await buildIndexes(dying, quiet);
        },
        survive,
      );
      expect([dropping, building].map((deaths) => deaths >= 9)).toEqual([true, true]);
    }));

  test("a partition that is made while they are away, or half built, has them too", () =>
    withDatabase(engine, async (database) => {
      await deferAll(database);
      await ensureLogPartitions(database, [40 * DAY], partitionDays(0));
      // The log's first is begun, and not finished.
      await expect(buildIndexes(dyingAt(database, engine === "postgres" ? 5 : 3), quiet)).rejects.toThrow("killed");
      await ensureLogPartitions(database, [80 * DAY], partitionDays(0));
      await leftIndexesJob(database, { info: quiet }).run();
      const built = await indexDefinitions(database);
      await withDatabase(engine, async (other) => {
        await ensureLogPartitions(other, [40 * DAY, 80 * DAY], partitionDays(0));
        expect(built).toEqual(await indexDefinitions(other));
      });
    }));

  test("a log with a call keeps them, and one that is without them stays so for the load that goes on", () =>
    withDatabase(engine, async (database) => {
      const fresh = await indexDefinitions(database);
      await database.kysely.insertInto("logs").values(logRow(1)).execute();
      expect(await deferIndexes(database, "logs")).toBe(false);
      expect(await indexDefinitions(database)).toEqual(fresh);
      await database.kysely.deleteFrom("logs").execute();
      // An importing user has acts in it.
      await database.kysely.insertInto("logs").values(logRow(3, LOG_TYPE.admin)).execute();
      expect(await deferIndexes(database, "logs")).toBe(true);
      await database.kysely.insertInto("logs").values(logRow(2)).execute();
      expect(await deferIndexes(database, "logs")).toBe(true);
      await buildMarks(database);
      const marked = await indexDefinitions(database);
      expect(marked.filter((line) => line.includes("logs_request_id_index"))).toHaveLength(1);
      expect(marked).not.toEqual(fresh);
      expect(await leftIndexesJob(database, { info: quiet }).hasWork?.()).toBe(true);
      await leftIndexesJob(database, { info: quiet }).run();
      expect(await indexDefinitions(database)).toEqual(fresh);
      expect(await leftIndexesJob(database, { info: quiet }).hasWork?.()).toBe(false);
    }));
});

// The embedded database has one process, which does one of these things.
describe.each(HERE.filter((engine) => engine !== "sqlite"))("indexes left for later beside others on %s", (engine) => {
  test("a table that somebody uses keeps them, and nobody waits long for it", () =>
    withDatabase(engine, async (database) => {
      const fresh = await indexDefinitions(database);
      await database.kysely.transaction().execute(async (transaction) => {
        await sql`SELECT COUNT(*) FROM logs`.execute(transaction);
        expect(await deferIndexes(database, "logs")).toBe(false);
      });
      expect(await indexDefinitions(database)).toEqual(fresh);
      expect(await tablesWithoutIndexes(database)).toEqual([]);
    }));

  test("a server builds none while an import runs, which does it itself", () =>
    withDatabase(engine, async (database) => {
      await deferAll(database);
      const without = await indexDefinitions(database);
      await database.withImportLock(async () => {
        expect(await buildLeftIndexes(database, quiet)).toBe(false);
      });
      expect(await indexDefinitions(database)).toEqual(without);
      expect(await buildLeftIndexes(database, quiet)).toBe(true);
    }));
});
