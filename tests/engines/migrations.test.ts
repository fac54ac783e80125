/** Migrations on every engine: they produce exactly the schema, resume after a crash at any step, and refuse a newer database. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../server/src/db/database.ts";
import type { Database, Engine } from "../../server/src/db/database.ts";
import { nameColumns, NEW_USER } from "../../server/src/db/new-user.ts";
import { integer, text } from "../../server/src/db/migrations/columns.ts";
import { migrate, MIGRATIONS } from "../../server/src/db/migrations/migrate.ts";
import { identityRows } from "../../server/src/db/migrations/0024-identity-rows.ts";
import { accessTokens } from "../../server/src/db/migrations/0020-access-tokens.ts";
import { addColumn, createIndex } from "../../server/src/db/migrations/steps.ts";
import type { Migration } from "../../server/src/db/migrations/steps.ts";
import { VERSION_NAMES } from "../../server/src/db/versions.ts";
import { createTestPlace, engines, withDatabase } from "../support/databases/databases.ts";
import { SAMPLE_ROWS } from "./columns.ts";
import { TEXT } from "./sample-values.ts";

/** Tables whose id the database counts: SAMPLE_ROWS omits it there. */
const COUNTED = [
  "users",
  "tokens",
  "channels",
  "channel_keys",
  "channel_usage",
  "identity_providers",
  "outbox",
  "security_events",
  "audit_entries",
  "log_views",
  "prefill_groups",
  "personal_access_tokens",
  "price_changes",
  "invitations",
  "price_lists",
  "price_list_changes",
  "ledger",
  "logs",
  "price_versions",
  "redemptions",
  "top_ups",
  "tasks",
];

async function withEmpty<T>(
  engine: Engine,
  work: (database: Database, reopen: () => Promise<Database>) => Promise<T>,
): Promise<T> {
  const place = await createTestPlace(engine, { isEmpty: true });
  let database = await openDatabase(place.config);
  const reopen = async () => {
    await database.close();
    database = await openDatabase(place.config);
    return database;
  };
  try {
    return await work(database, reopen);
  } finally {
    await database.close();
    await place.remove();
  }
}

const COLUMN_NAMES: Record<Engine, string> = {
  sqlite: `select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite!_%' escape '!'`,
  postgres: `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = current_schema() and not (select relispartition from pg_class where oid = to_regclass(quote_ident(table_name)))`,
  mysql:
    "select table_name as `table`, column_name as `column` from information_schema.columns where table_schema = database()",
};

async function tableColumns(database: Database): Promise<Record<string, string[]>> {
  const { rows } = await sql
    .raw<{ table: string; column: string }>(COLUMN_NAMES[database.engine])
    .execute(database.kysely);
  const tables = Map.groupBy(rows, (row) => row.table);
  return Object.fromEntries([...tables].map(([name, columns]) => [name, columns.map(({ column }) => column).sort()]));
}

const expectedColumns = () =>
  Object.fromEntries(
    Object.entries(SAMPLE_ROWS)
      .map(([name, row]): [string, string[]] => [
        name,
        [...Object.keys(row), ...(COUNTED.includes(name) ? ["id"] : [])].sort(),
      ])
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );

const INDEX_NAMES: Record<Engine, string> = {
  sqlite: "select name from sqlite_master where type = 'index' and name like '%_index'",
  postgres: "select indexname as name from pg_indexes where schemaname = current_schema() and indexname like '%_index'",
  mysql:
    "select distinct index_name as name from information_schema.statistics where table_schema = database() and index_name like '%_index'",
};

const countIndexes = async (database: Database) =>
  (await sql.raw(INDEX_NAMES[database.engine]).execute(database.kysely)).rows.length;
const STEPS = MIGRATIONS.flatMap(({ steps }) => steps);
/** Names after `start`; a table that is made anew gets an index of the same name again. */
const stepsNamed = (start: string) => new Set(STEPS.map(({ name }) => name).filter((name) => name.startsWith(start)));
const indexSteps = stepsNamed("create index").size - stepsNamed("drop index").size;
const LAST = MIGRATIONS.at(-1)?.id ?? 0;

describe.each(await engines())("migrations on %s", (engine) => {
  test("the tables and columns are exactly those of the schema", () =>
    withDatabase(engine, async (database) => {
      expect(await tableColumns(database)).toEqual(expectedColumns());
      expect(await countIndexes(database)).toBe(indexSteps);
    }));

  test("a second start finds nothing to do", () =>
    withDatabase(engine, async (database) => expect(await migrate(database)).toEqual({ steps: 0 })));

  test.each(["begin", "done"] as const)(
    "a death at the %s of every single step resumes to the same schema",
    { timeout: 240_000 },
    (moment) =>
      withEmpty(engine, async (database) => {
        let deaths = 0;
        let deadliest = "";
        const die = (step: { name: string }, when: "begin" | "done") => {
          // Each step is survived the second time it is reached.
          if (when !== moment || step.name === deadliest) return;
          deadliest = step.name;
          deaths += 1;
          throw new Error("killed");
        };
        for (let attempt = 0; attempt <= STEPS.length; attempt += 1) {
          const end = await migrate(database, { onStep: die }).catch((error: unknown) => error);
          if (!(end instanceof Error)) break;
          expect(end.message).toBe("killed");
        }
        expect(deaths).toBe(STEPS.length);
        expect(await migrate(database)).toEqual({ steps: 0 });
        expect(await tableColumns(database)).toEqual(expectedColumns());
        expect(await countIndexes(database)).toBe(indexSteps);
        expect(await database.kysely.selectFrom("versions").selectAll().orderBy("name").execute()).toEqual(
          VERSION_NAMES.toSorted().map((name) => ({ name, version: 1 })),
        );
      }),
  );

  test("several processes at once migrate once", () =>
    withEmpty(engine, async (database) => {
      const results = await Promise.all(
        engine === "sqlite" ? [migrate(database)] : [migrate(database), migrate(database), migrate(database)],
      );
      expect(results.map(({ steps }) => steps).sort((left, right) => right - left)[0]).toBe(STEPS.length);
      expect(results.reduce((sum, { steps }) => sum + steps, 0)).toBe(STEPS.length);
    }));

  test("a later migration adds a column with its fallback and an index, also when it is run again unrecorded", () =>
    withDatabase(engine, async (database) => {
      const next: Migration = {
        id: LAST + 1,
        name: "remarks",
        steps: [
          addColumn("options", "remark", text(32, "none")),
          addColumn("options", "rank", integer(7)),
          createIndex("options", ["updated_time"]),
        ],
      };
      await database.kysely.insertInto("options").values({ name: "Notice", value: "v", updated_time: 1 }).execute();
      expect(await migrate(database, { migrations: [...MIGRATIONS, next] })).toEqual({ steps: 3 });
      await database.kysely
        .updateTable("facts")
        .set({ value: `${LAST + 1}.0` })
        .where("name", "=", "schema")
        .execute();
      expect(await migrate(database, { migrations: [...MIGRATIONS, next] })).toEqual({ steps: 3 });
      const row: unknown = await database.kysely.selectFrom("options").selectAll().executeTakeFirst();
      expect(row).toEqual({
        name: "Notice",
        value: "v",
        updated_time: 1,
        updated_by: 0,
        revision: 0,
        remark: "none",
        rank: 7,
      });
    }));

  test("user names are folded: the oldest of those that look alike gets the name, the others stay, and none is lost to its letters", () =>
    withEmpty(engine, async (database) => {
      await migrate(database, { migrations: MIGRATIONS.slice(0, 9) });
      const names = ["Root", "root", "ＲＯＯＴ", "O'Re\\illy", "straße", "STRASSE"];
      for (const [index, username] of names.entries())
        await sql`insert into users (username, aff_code, setting, created_time) values (${username}, ${`c${index}`}, '{}', 1)`.execute(
          database.kysely,
        );
      await migrate(database);
      const rows = await database.kysely
        .selectFrom("users")
        .select(["username", "username_key"])
        .orderBy("id")
        .execute();
      expect(rows.map(({ username }) => username)).toEqual(names);
      expect(rows.map((row) => row.username_key)).toEqual(["root", null, null, "o're\\illy", "strasse", null]);
    }));

  test("access tokens of an older version become rows, but for banned and deregistered accounts", () =>
    withEmpty(engine, async (database) => {
      const { kysely } = database;
      await migrate(database, { migrations: MIGRATIONS.filter(({ id }) => id < accessTokens.id) });
      for (const [name, status, deleted] of [
        ["living", 1, null],
        ["banned", 2, null],
        ["gone", 1, 5],
        ["none", 1, null],
      ] as const) {
        const hash = name === "none" ? null : `hash of ${name}`;
        await sql`insert into users (username, aff_code, setting, created_time, status, deleted_at, access_token_hash) values (${name}, ${name}, '{}', 1, ${status}, ${deleted}, ${hash})`.execute(
          kysely,
        );
      }
      await migrate(database);
      const rows = await kysely.selectFrom("personal_access_tokens").selectAll().execute();
      expect(rows).toMatchObject([
        { token_hash: "hash of living", name: "API (earlier)", scope: "admin", expires_time: 0 },
      ]);
      expect(
        await kysely.selectFrom("users").select("id").where("access_token_hash", "is not", null).execute(),
      ).toEqual([]);
    }));

  test("identities of built-in sites become rows as their columns say, in more than one part, and keep the names there", () =>
    withEmpty(engine, async (database) => {
      const { kysely } = database;
      await migrate(database, { migrations: MIGRATIONS.filter(({ id }) => id < identityRows.id) });
      const added = Array.from({ length: 1_200 }, (_, index) => ({
        ...NEW_USER,
        ...nameColumns(`u${index}`),
        aff_code: `c${index}`,
        created_time: 7,
        changed_version: 1,
        github_id: index < 1_100 ? `gh-${index}` : null,
        deleted_at: index === 3 ? 9 : null,
        linux_do_id: index === 5 ? "" : null,
        oidc_id: index === 4 ? TEXT : null,
      }));
      for (let start = 0; start < added.length; start += 100)
        await kysely
          .insertInto("users")
          .values(added.slice(start, start + 100))
          .execute();
      const ids = (await kysely.selectFrom("users").select("id").orderBy("id").execute()).map(({ id }) => id);
      const [first = 0, second = 0, third = 0] = ids;
      const rows = [
        { provider: "github", subject: "gh-0", user_id: first, login: "octocat", created_time: 1 },
        // Left behind by an account that was unbound by other means, in the way of another one's.
        { provider: "github", subject: "gh-2", user_id: ids.at(-1) ?? 0, login: "stale", created_time: 1 },
        { provider: "github", subject: "gh-gone", user_id: 9_999_999, login: "stale", created_time: 1 },
        { provider: "company", subject: "gh-1", user_id: second, login: "", created_time: 2 },
      ];
      await kysely.insertInto("identities").values(rows).execute();
      await migrate(database);
      const found = await kysely.selectFrom("identities").selectAll().orderBy("user_id").orderBy("provider").execute();
      expect(found).toHaveLength(1_102);
      expect(found.slice(0, 4)).toEqual([
        rows[0],
        rows[3],
        { provider: "github", subject: "gh-1", user_id: second, login: "", created_time: 7 },
        { provider: "github", subject: "gh-2", user_id: third, login: "", created_time: 7 },
      ]);
      expect(found.filter(({ provider }) => provider === "oidc")).toMatchObject([{ subject: TEXT, user_id: ids[4] }]);
      expect(new Set(found.filter(({ provider }) => provider === "github").map(({ subject }) => subject))).toEqual(
        new Set(added.flatMap(({ github_id }) => github_id ?? [])),
      );
      await kysely
        .updateTable("facts")
        .set({ value: `${identityRows.id}.0` })
        .where("name", "=", "schema")
        .execute();
      await migrate(database);
      expect(
        await kysely.selectFrom("identities").selectAll().orderBy("user_id").orderBy("provider").execute(),
      ).toEqual(found);
    }));

  test("the ledger of an older version stays unchanged: its costs are unknown, and the roll-up has none", () =>
    withEmpty(engine, async (database) => {
      await migrate(database, { migrations: MIGRATIONS.slice(0, 10) });
      const { kysely } = database;
      const { cost: _cost, ...entry } = SAMPLE_ROWS.ledger;
      const { cost: _hourly, costed_quota: _costed, ...hour } = SAMPLE_ROWS.usage_hours;
      const {
        costs: _costs,
        key_choice: _choice,
        balance_currency: _currency,
        balance_failure: _failure,
        header_override: _headers,
        settings: _settings,
        remark: _remark,
        ...channel
      } = SAMPLE_ROWS.channels;
      const hours = [1, 2, 3].map((each) => ({ ...hour, hour: each * 3600, quota: each * 100 }));
      await kysely.insertInto("usage_hours").values(hours).execute();
      await kysely
        .insertInto("ledger")
        .values({ ...entry, entry_id: "old" })
        .execute();
      await kysely.insertInto("channels").values(channel).execute();
      await migrate(database);
      expect(await kysely.selectFrom("usage_hours").selectAll().orderBy("hour").execute()).toEqual(
        hours.map((each) => ({ ...each, cost: 0, costed_quota: 0 })),
      );
      expect(await kysely.selectFrom("ledger").select(["entry_id", "cost"]).execute()).toEqual([
        { entry_id: "old", cost: null },
      ]);
      expect(await kysely.selectFrom("channels").select("costs").execute()).toEqual([{ costs: null }]);
    }));

  test.each([`${LAST + 1}.1`, `${LAST}.999`])(
    "a database of a newer version (%s) is refused in one line and left as it is",
    (progress) =>
      withDatabase(engine, async (database) => {
        const { kysely } = database;
        await kysely.updateTable("facts").set({ value: progress }).where("name", "=", "schema").execute();
        // A version that recorded no minimum lets no older program run.
        await kysely.deleteFrom("facts").where("name", "=", "schema_minimum").execute();
        const error: unknown = await migrate(database).catch((reason: unknown) => reason);
        expect(String(error)).toMatch(/written by a newer version of the program/);
        expect(String(error)).not.toContain("\n");
        expect(
          await database.kysely.selectFrom("facts").select("value").where("name", "=", "schema").execute(),
        ).toEqual([{ value: progress }]);
      }),
  );

  test("what was migrated is there after closing and opening again", () =>
    withEmpty(engine, async (database, reopen) => {
      await migrate(database);
      const again = await reopen();
      expect(await migrate(again)).toEqual({ steps: 0 });
    }));
});
