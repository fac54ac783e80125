/** What `migrate` would do to a database: each step with the rows it goes through, an estimate of its time, and who may run beside it. */
import { sql } from "kysely";
import type { Database, Engine } from "../database.ts";
import { MIGRATIONS, pendingSteps, storedFacts, titleOf } from "./migrate.ts";
import type { NewerSchema } from "./state.ts";
import { newerThan, usableState } from "./state.ts";
import type { Migration, Step, StepWork } from "./steps.ts";

export interface PlannedStep {
  title: string;
  /** Where its time depends on the rows of a table. `rows` is the server's own estimate, and a count on SQLite. */
  work?: { kind: StepWork["kind"]; table: string; rows: number };
  seconds: number;
}

export interface MigrationPlan {
  /** The schema of the database; 0 for an empty one. */
  schema: number;
  /** The schema after it. */
  target: number;
  steps: readonly PlannedStep[];
  seconds: number;
  /** True where processes of the version that wrote this schema may go on serving meanwhile and after. */
  mayRunBeside: boolean;
  newer?: NewerSchema;
}

/** What a step takes that touches no row. */
const STEP_SECONDS = 0.05;
/**
 * Rows in a second, measured on 300,000 rows of the log with an index of five columns, on a machine of two cores; fast disks do several
 * times as many.
 */
const ROWS_PER_SECOND: Readonly<Record<Engine, Readonly<Record<StepWork["kind"], number>>>> = {
  sqlite: { index: 400_000, rewrite: 800_000, read: 800_000 },
  postgres: { index: 80_000, rewrite: 6_500, read: 80_000 },
  mysql: { index: 130_000, rewrite: 140_000, read: 140_000 },
};

/** Tables with their rows, as the server knows them without reading them. */
const ESTIMATES: Readonly<Record<Exclude<Engine, "sqlite">, string>> = {
  // A partitioned table has the rows of its partitions.
  postgres: `SELECT coalesce(pg_partition_root(oid)::regclass::text, relname) AS name, CASE WHEN count(*) = 1 THEN min(reltuples)
    ELSE sum(greatest(reltuples, 0)) END AS counted FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY 1`,
  mysql:
    "SELECT table_name AS name, table_rows AS counted FROM information_schema.tables WHERE table_schema = DATABASE()",
};

type Queries = Pick<Database, "kysely" | "engine">;

async function countedRows({ kysely }: Queries, table: string): Promise<number> {
  const { rows } = await sql<{ counted: number }>`SELECT COUNT(*) AS counted FROM ${sql.table(table)}`.execute(kysely);
  return Number(rows[0]?.counted ?? 0);
}

/** How many rows these tables have. One that is yet to be made has none; one that the server has not looked at is counted. */
async function rowsOf(database: Queries, tables: ReadonlySet<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  if (database.engine === "sqlite") {
    const names = await sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(
      database.kysely,
    );
    for (const { name } of names.rows) found.set(name, -1);
  } else {
    const estimates = await sql
      .raw<{ name: string; counted: number | null }>(ESTIMATES[database.engine])
      .execute(database.kysely);
    for (const { name, counted } of estimates.rows) found.set(name, Number(counted ?? -1));
  }
  const rows = new Map<string, number>();
  for (const table of tables) {
    const known = found.get(table) ?? 0;
    rows.set(table, known < 0 ? await countedRows(database, table) : known);
  }
  return rows;
}

const workOn = ({ work }: Step, engine: Engine): StepWork | undefined =>
  work?.engines === undefined || work.engines.includes(engine) ? work : undefined;

/**
 * Looks without changing anything.
 * Throws an Error of one line if a newer version took away what this program needs.
 */
export async function planMigrations(
  database: Queries,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrationPlan> {
  const { engine } = database;
  const facts = await storedFacts(database);
  const state = usableState(facts, migrations);
  const schema = facts["schema"] === undefined ? 0 : state.progress.migration;
  const pending = await pendingSteps(database, migrations);
  const rows = await rowsOf(database, new Set(pending.flatMap(({ step }) => workOn(step, engine)?.table ?? [])));
  const steps = pending.map((each): PlannedStep => {
    const work = workOn(each.step, engine);
    if (work === undefined) return { title: titleOf(each), seconds: STEP_SECONDS };
    const { kind, table } = work;
    const count = rows.get(table) ?? 0;
    const seconds = STEP_SECONDS + count / ROWS_PER_SECOND[engine][kind];
    return { title: titleOf(each), work: { kind, table, rows: count }, seconds };
  });
  return {
    schema,
    target: pending.at(-1)?.migration.id ?? schema,
    steps,
    seconds: steps.reduce((sum, step) => sum + step.seconds, 0),
    mayRunBeside: pending.every(({ migration }) => (migration.minimumSchema ?? 0) <= schema),
    ...newerThan(state, migrations),
  };
}
