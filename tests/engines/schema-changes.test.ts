/** The rule of migrations: what takes something away from older programs is marked so, found by comparing the schema before and after each. */
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../server/src/db/database.ts";
import type { Database, Engine } from "../../server/src/db/database.ts";
import { integer, nullable, text } from "../../server/src/db/migrations/columns.ts";
import { MIGRATIONS, migrate, pendingSteps } from "../../server/src/db/migrations/migrate.ts";
import { planMigrations } from "../../server/src/db/migrations/plan.ts";
import {
  addColumn,
  createIndex,
  createTable,
  createUniqueIndex,
  dropColumn,
  dropTable,
  renameColumn,
} from "../../server/src/db/migrations/steps.ts";
import type { Migration, Step } from "../../server/src/db/migrations/steps.ts";
import { createTestPlace, engines, enginesHere, withDatabase } from "../support/databases/databases.ts";
import { breaksBetween, shapeOf } from "../support/databases/schema-shape.ts";

const LAST = MIGRATIONS.at(-1)?.id ?? 0;

/** Migrations that leave every column where it is, and yet take something from programs before them. */
const BY_DATA: Readonly<Record<number, string>> = { 20: "moves access tokens to a table of their own" };

async function withEmpty(engine: Engine, work: (database: Database) => Promise<void>): Promise<void> {
  const place = await createTestPlace(engine, { isEmpty: true });
  const database = await openDatabase(place.config);
  try {
    await work(database);
  } finally {
    await database.close();
    await place.remove();
  }
}

/** What each of these steps takes from a program that was written before it. */
const CHANGES: readonly (readonly [name: string, step: Step, breaks: RegExp | undefined])[] = [
  ["a column with a default", addColumn("redemptions", "note", text(32, "")), undefined],
  ["a column that may be NULL", addColumn("redemptions", "note", nullable(text(32))), undefined],
  ["a table", createTable({ name: "notes", columns: { name: text(8) }, primaryKey: ["name"] })[0] as Step, undefined],
  ["an index", createIndex("redemptions", ["created_time"]), undefined],
  ["a dropped column", dropColumn("redemptions", "redeemed_time"), /redemptions\.redeemed_time is gone/],
  ["a renamed column", renameColumn("redemptions", "quota", "amount", integer()), /redemptions\.quota is gone/],
  ["a dropped table", dropTable("checkins"), /checkins is gone/],
  ["a unique key", createUniqueIndex("redemptions", ["name"]), /unique key name/],
];

const next = (step: Step, minimumSchema?: number): Migration => ({
  id: LAST + 1,
  name: "next",
  steps: [step],
  ...(minimumSchema === undefined ? {} : { minimumSchema }),
});

describe.each(await engines())("migrations on %s", (engine) => {
  test("each is marked where it takes something from the programs before it, and no other is", () =>
    withEmpty(engine, async (database) => {
      let before = {};
      for (const migration of MIGRATIONS) {
        await migrate(database, { migrations: MIGRATIONS.filter(({ id }) => id <= migration.id) });
        const after = await shapeOf(database);
        const breaks = breaksBetween(before, after);
        before = after;
        const isMarked = migration.minimumSchema !== undefined;
        const isBreaking = breaks.length > 0 || BY_DATA[migration.id] !== undefined;
        // Migration.minimumSchema of steps.ts is the mark; `breaks` says what it is for.
        expect({ migration: migration.name, breaks, isMarked }).toMatchObject({ isMarked: isBreaking });
        expect(migration.minimumSchema ?? 1).toBeLessThanOrEqual(migration.id);
      }
    }));

  test.each(CHANGES)("%s is seen for what it takes away", (_name, step, breaks) =>
    withDatabase(engine, async (database) => {
      const before = await shapeOf(database);
      await migrate(database, { migrations: [...MIGRATIONS, next(step)] });
      const found = breaksBetween(before, await shapeOf(database));
      if (breaks === undefined) expect(found).toEqual([]);
      else expect(found.join("; ")).toMatch(breaks);
    }),
  );

  test("an older program runs on what a newer one added, and has nothing to do there", () =>
    withDatabase(engine, async (database) => {
      const newer = [...MIGRATIONS, next(addColumn("redemptions", "note", text(32, "")))];
      await migrate(database, { migrations: newer });
      expect(await migrate(database)).toEqual({ steps: 0, newer: { schema: LAST + 1, minimum: 20 } });
      expect(await pendingSteps(database)).toEqual([]);
    }));

  test("once a newer one began to take away, an older program is refused with both schemas named, also after a kill", () =>
    withDatabase(engine, async (database) => {
      const newer = [...MIGRATIONS, next(dropColumn("redemptions", "redeemed_time"), LAST + 1)];
      const kill = () => {
        throw new Error("killed");
      };
      await expect(migrate(database, { migrations: newer, onStep: kill })).rejects.toThrow("killed");
      const refusal = `for programs that know schema ${LAST + 1} or a later one; this one knows ${LAST}`;
      await expect(migrate(database)).rejects.toThrow(refusal);
      await expect(pendingSteps(database)).rejects.toThrow(refusal);
      expect(await migrate(database, { migrations: newer })).toEqual({ steps: 1 });
    }));

  test("what drops a column one release after its last use lets that release run", () =>
    withDatabase(engine, async (database) => {
      const newer = [...MIGRATIONS, next(dropColumn("redemptions", "redeemed_time"), LAST)];
      await migrate(database, { migrations: newer });
      expect(await migrate(database)).toMatchObject({ newer: { minimum: LAST } });
      await expect(migrate(database, { migrations: MIGRATIONS.slice(0, -1) })).rejects.toThrow(/newer version/);
    }));

  test("the plan has rows and times, and says who may run beside it", () =>
    withDatabase(engine, async (database) => {
      const added = next(createIndex("facts", ["name"]));
      const plan = await planMigrations(database, [...MIGRATIONS, added]);
      expect(plan).toMatchObject({ schema: LAST, target: LAST + 1, mayRunBeside: true });
      const [step] = plan.steps;
      expect(step?.title).toBe(`${String(LAST + 1).padStart(4, "0")} next: create index facts_name_index`);
      expect(step?.work).toMatchObject({ kind: "index", table: "facts" });
      expect(step?.work?.rows).toBeGreaterThan(0);
      const dropped = next(dropColumn("redemptions", "name"), LAST + 1);
      expect(await planMigrations(database, [...MIGRATIONS, dropped])).toMatchObject({ mayRunBeside: false });
      expect(await planMigrations(database)).toMatchObject({ schema: LAST, target: LAST, steps: [], seconds: 0 });
    }));
});

describe.runIf((await enginesHere()).includes("postgres"))("an index of PostgreSQL whose building was ended", () => {
  test("is made anew by the next run", () =>
    withDatabase("postgres", async (database) => {
      const { kysely, postgres } = database;
      await kysely
        .insertInto("options")
        .values([
          { name: "A", value: "same", updated_time: 1 },
          { name: "B", value: "same", updated_time: 1 },
        ])
        .execute();
      const unique = next(createUniqueIndex("options", ["value"]), LAST + 1);
      await expect(migrate(database, { migrations: [...MIGRATIONS, unique] })).rejects.toThrow(
        /could not create unique/,
      );
      const validity = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('options_value_key')";
      expect((await postgres?.query(validity))?.rows).toEqual([{ indisvalid: false }]);
      await kysely.deleteFrom("options").where("name", "=", "B").execute();
      await migrate(database, { migrations: [...MIGRATIONS, unique] });
      expect((await postgres?.query(validity))?.rows).toEqual([{ indisvalid: true }]);
    }));
});
