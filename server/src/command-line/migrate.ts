/** `turnpike migrate`: brings the database to this program's schema, or says what that would take and who may run meanwhile. */
import type { Config } from "../config.ts";
import { buildLeftIndexes } from "../db/deferred-indexes.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { openLogDatabase } from "../db/log-database.ts";
import { MIGRATIONS, migrate } from "../db/migrations/migrate.ts";
import { type MigrationPlan, type PlannedStep, planMigrations } from "../db/migrations/plan.ts";
import { type Command, type CommandContext, type CommandResult, numberIn } from "./command.ts";

/** Steps are left, and processes of the older version have to be stopped before them. */
const STOP_FIRST = 3;

async function withDatabase<Result>(config: Config, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const duration = (seconds: number): string =>
  seconds < 1
    ? "under a second"
    : seconds < 120
      ? `about ${Math.ceil(seconds)} s`
      : `about ${Math.ceil(seconds / 60)} min`;

const stepLine = ({ title, work, seconds }: PlannedStep): string =>
  `  ${title}${work === undefined ? "" : ` (${work.rows} rows of ${work.table}, ${duration(seconds)})`}`;

const newerLine = ({ schema, minimum }: { schema: number; minimum: number }): string =>
  `A newer version wrote this schema (${schema}). Programs that know schema ${minimum} or a later one may run on it, so this one may.`;

function planLines({ schema, target, steps, seconds, mayRunBeside, newer }: MigrationPlan): string[] {
  if (newer !== undefined) return [newerLine(newer)];
  if (steps.length === 0) return ["The database has this program's schema."];
  return [
    `${steps.length} steps are to be done, from schema ${schema} to ${target}, ${duration(seconds)} in all:`,
    ...steps.map(stepLine),
    schema === 0
      ? "The database is empty: no process runs on it."
      : mayRunBeside
        ? "Processes of the version before may go on meanwhile and after."
        : "Stop every process of the version before first: what it needs is taken away.",
  ];
}

async function check(config: Config): Promise<CommandResult> {
  const plan = await withDatabase(config, (database) => planMigrations(database));
  const exitCode = plan.steps.length === 0 ? 0 : plan.mayRunBeside || plan.schema === 0 ? 1 : STOP_FIRST;
  return { exitCode, lines: planLines(plan), data: plan };
}

/** The log's own database, where it has one. */
async function migrateLog(config: Config, progress: CommandContext["progress"]): Promise<void> {
  if (config.logDatabaseUrl === undefined) return;
  progress("the log database");
  const logs = await openLogDatabase({ ...config, migratesAtStart: true }, config.logDatabaseUrl);
  await logs.close();
}

function run(config: Config, progress: CommandContext["progress"]): Promise<CommandResult> {
  return withDatabase(config, async (database) => {
    const { steps, newer } = await migrate(database, {
      onStep: ({ name }, moment) => {
        if (moment === "begin") progress(name);
      },
    });
    // What an import left when it was ended.
    await buildLeftIndexes(database, progress);
    await migrateLog(config, progress);
    const line =
      newer === undefined ? `${steps} steps done. The database has this program's schema.` : newerLine(newer);
    return { exitCode: 0, lines: [line], data: { steps, ...(newer === undefined ? {} : { newer }) } };
  });
}

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Brings the database to this program's schema; a start of the server does it too, but with MIGRATE=off",
  operands: [],
  options: {
    check: {
      type: "boolean",
      meaning:
        "Changes nothing; lists the steps with rows and times. Exits 1 if there are any, 3 if older processes have to be stopped first",
    },
  },
  examples: [
    ["turnpike migrate --check", "what a newer version would do to the database"],
    ["turnpike migrate", "does it; it can be stopped and run again"],
  ],
  async run({ config, progress }, { options }) {
    return options["check"] === true ? check(config()) : run(config(), progress);
  },
  // A database that has this schema already was not changed.
  row: (result) =>
    numberIn(result, "steps") === 0
      ? undefined
      : { code: "database_migrated", values: { schema: MIGRATIONS.at(-1)?.id ?? 0 } },
};
