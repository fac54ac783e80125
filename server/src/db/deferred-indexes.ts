/** Deferred indexes of a load into empty tables: noted in the database, dropped, and built again by any process that finds the note. */
import { dirname } from "node:path";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import type { Database, Engine } from "./database.ts";
import { createIndex, dropIndex } from "./migrations/steps.ts";
import { type LockedSession, LockTaken, quoteText } from "./session.ts";

/** Fact that lists the tables whose indexes are to be built; it is there before the first of them is dropped, and goes once all are built. */
const FACT = "indexes_to_build";

export type DeferrableTable = "tokens" | "ledger" | "logs";

type Columns = readonly string[];

const ASKED = ["type", "model_name", "group_name"];

/** By which a load finds the rows that it brought before. */
const LOG_MARKS: Columns = ["request_id"];

interface Deferrable {
  /** Rows that are read: a table with one of these keeps its indexes, as does one with more than FEW_ROWS of any. */
  kept: string;
  /** Those that no promise of a unique value rests on. */
  indexes: readonly Columns[];
}

/** Of the set-up and of the acts of who imports. */
const FEW_ROWS = 1_000;
const CALLS = `${LOG_TYPE.consumption}, ${LOG_TYPE.error}`;

/** As the migrations leave them: tests/engines/deferred-indexes.test.ts holds both to each other. */
const DEFERRABLE: Readonly<Record<DeferrableTable, Deferrable>> = {
  tokens: { kept: "true", indexes: [["user_id", "id"]] },
  ledger: { kept: "kind = 'charge'", indexes: [["kind", "created_at", "user_id"]] },
  logs: {
    kept: `type IN (${CALLS})`,
    indexes: [
      LOG_MARKS,
      ["created_at", "id", ...ASKED],
      ["channel_id", "created_at", "id", ...ASKED],
      ["model_name", "created_at", "id", "type", "group_name"],
      ["group_name", "created_at", "id", "type", "model_name"],
      ["type", "created_at", "id", "user_id", "token_id", "channel_id", "model_name", "group_name"],
      ["user_id", "created_at", "id", "token_id", ...ASKED, "channel_id"],
    ],
  },
};

const TABLES = Object.keys(DEFERRABLE) as DeferrableTable[];

/** A list of tables; names of a later version are not among those that are known here. */
const tablesIn = (text: unknown): DeferrableTable[] => {
  const names = typeof text === "string" ? text.split(",") : [];
  return TABLES.filter((table) => names.includes(table));
};

const READ = `SELECT value FROM facts WHERE name = '${FACT}'`;

const noted = async (session: LockedSession): Promise<DeferrableTable[]> =>
  tablesIn((await session.all(READ))[0]?.["value"]);

async function note(session: LockedSession, tables: readonly DeferrableTable[]): Promise<void> {
  if (tables.length === 0) return session.run(`DELETE FROM facts WHERE name = '${FACT}'`);
  const value = quoteText(tables.join(","));
  await session.run(
    (await session.all(READ)).length === 0
      ? `INSERT INTO facts (name, value) VALUES ('${FACT}', ${value})`
      : `UPDATE facts SET value = ${value} WHERE name = '${FACT}'`,
  );
}

/** The tables whose indexes are to be built. */
export async function tablesWithoutIndexes({ kysely }: Pick<Database, "kysely">): Promise<DeferrableTable[]> {
  const row = await kysely.selectFrom("facts").select("value").where("name", "=", FACT).executeTakeFirst();
  return tablesIn(row?.value);
}

/** Statements queue behind the one that drops an index: no longer than this. */
const SHORT_WAIT: Readonly<Record<Engine, string | undefined>> = {
  sqlite: undefined,
  postgres: "SET lock_timeout = '2s'",
  mysql: "SET SESSION lock_wait_timeout = 2",
};

async function isRead(session: LockedSession, table: DeferrableTable): Promise<boolean> {
  const kept = await session.all(`SELECT 1 FROM ${table} WHERE ${DEFERRABLE[table].kept} LIMIT 1`);
  return kept.length > 0 || (await session.all(`SELECT 1 FROM ${table} LIMIT ${FEW_ROWS + 1}`)).length > FEW_ROWS;
}

/** Codes of PostgreSQL and MySQL for a lock that was not free in time. */
const LOCKED = /^(55P03|ER_LOCK_WAIT_TIMEOUT)$/;

async function dropAll(session: LockedSession, engine: Engine, table: DeferrableTable): Promise<boolean> {
  const wait = SHORT_WAIT[engine];
  if (wait !== undefined) await session.run(wait);
  try {
    for (const columns of DEFERRABLE[table].indexes) await dropIndex(table, columns).run(session, engine);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && LOCKED.test(String(error.code))) return false;
    throw error;
  }
}

/**
 * Drops the indexes of a table that no call has a row in; `buildIndexes` has to follow, in this process or in another.
 * @returns whether it is without them now; one that is read, or used at the moment, keeps them
 */
export const deferIndexes = (database: Database, table: DeferrableTable): Promise<boolean> =>
  database.withMigrationLock(async (session) => {
    const tables = await noted(session);
    if (tables.includes(table)) return true;
    if (await isRead(session, table)) return false;
    await note(session, [...tables, table]);
    if (await dropAll(session, database.engine, table)) return true;
    await buildThose(session, database.engine, { tables: [table], progress: () => undefined });
    await note(session, tables);
    return false;
  });

/** Builds the index by which a continued load finds its rows of the log. */
export const buildMarks = (database: Database): Promise<void> =>
  database.withMigrationLock((session) => createIndex("logs", LOG_MARKS).run(session, database.engine));

/** One that waits for others while it builds must not wait for ever. */
const LONG_WAIT: Readonly<Record<Engine, string | undefined>> = {
  sqlite: undefined,
  postgres: "SET lock_timeout = '300s'",
  mysql: "SET SESSION lock_wait_timeout = 300",
};

interface Building {
  tables: readonly DeferrableTable[];
  progress: (line: string) => void;
}

async function buildThose(session: LockedSession, engine: Engine, { tables, progress }: Building): Promise<void> {
  const wait = LONG_WAIT[engine];
  if (wait !== undefined) await session.run(wait);
  const left = tables.flatMap((table) => DEFERRABLE[table].indexes.map((columns) => ({ table, columns })));
  for (const [index, { table, columns }] of left.entries()) {
    progress(`building index ${index + 1} of ${left.length}: ${table} by ${columns.slice(0, 2).join(", ")}`);
    await createIndex(table, columns).run(session, engine);
  }
}

/** What is sorted at once in memory, and what an import kept of the database meanwhile is given back: 40 MB of an import's largest memory. */
const SORT_KB = 8_000;

/** What is sorted goes to the disk beside the database: in memory it would take as much as the index. */
async function withSorting(
  session: LockedSession,
  { engine, folder }: { engine: Engine; folder: string | undefined },
  work: () => Promise<void>,
): Promise<void> {
  if (engine !== "sqlite") return work();
  if (folder !== undefined) await session.run(`PRAGMA temp_store_directory = ${quoteText(folder)}`);
  await session.run("PRAGMA temp_store = FILE");
  await session.run(`PRAGMA cache_size = -${SORT_KB}`);
  await session.run("PRAGMA shrink_memory");
  try {
    await work();
  } finally {
    await session.run("PRAGMA temp_store = MEMORY");
  }
}

/**
 * Builds every index that was left for later, those alone that are missing; killed at any point, it is run again. Where nothing is left it only reads.
 * @param progress is given a line for each
 * @returns whether there were any
 */
export async function buildIndexes(database: Database, progress: (line: string) => void): Promise<boolean> {
  if ((await tablesWithoutIndexes(database)).length === 0) return false;
  const { engine, sqlite } = database;
  await database.withMigrationLock(async (session) => {
    const tables = await noted(session);
    const folder = sqlite === undefined ? undefined : dirname(sqlite.path);
    await withSorting(session, { engine, folder }, () => buildThose(session, engine, { tables, progress }));
    await note(session, []);
  });
  return true;
}

/** The same for what an import left that was ended: none where one runs, which builds them itself. */
export async function buildLeftIndexes(database: Database, progress: (line: string) => void): Promise<boolean> {
  if ((await tablesWithoutIndexes(database)).length === 0) return false;
  try {
    return await database.withImportLock(() => buildIndexes(database, progress));
  } catch (error) {
    if (error instanceof LockTaken) return false;
    throw error;
  }
}
