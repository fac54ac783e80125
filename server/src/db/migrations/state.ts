/** How far a schema is, and which programs may run on it: three rows of the table facts, written together. */
import type { LockedSession } from "../session.ts";
import { quoteText } from "../session.ts";
import type { Migration } from "./steps.ts";

/** The last migration that was begun, and how many of its steps are done. */
export interface Progress {
  migration: number;
  steps: number;
}

export interface SchemaState {
  progress: Progress;
  /** The progress at which that migration is whole. A program that does not know the migration cannot count its steps. */
  whole: Progress;
  /** The least schema that a program has to know to run on this one. */
  minimum: number;
}

/** The rows as they are stored, by their names: `schema` is the progress as `31.2`, `schema_minimum` a number, `schema_whole` as `31.3`. */
export type SchemaFacts = Readonly<Record<string, string>>;

const PROGRESS = "schema";
const MINIMUM = "schema_minimum";
const WHOLE = "schema_whole";
export const SCHEMA_FACTS: readonly string[] = [PROGRESS, MINIMUM, WHOLE];

/** Stands before the progress while a restore fills the database: no server starts on it. */
export const RESTORING = "restoring";

function parseProgress(value: string): Progress {
  if (value.startsWith(RESTORING))
    throw new Error("A restore of this database has not finished: run the same restore again");
  const match = /^(\d+)\.(\d+)$/.exec(value);
  if (match === null) throw new Error(`The schema version of this database is not readable: ${JSON.stringify(value)}`);
  return { migration: Number(match[1]), steps: Number(match[2]) };
}

const printed = ({ migration, steps }: Progress): string => `${migration}.${steps}`;

/** The rows that a state is stored as. */
export const factsOf = ({ progress, whole, minimum }: SchemaState): SchemaFacts => ({
  [PROGRESS]: printed(progress),
  [MINIMUM]: String(minimum),
  [WHOLE]: printed(whole),
});

/** Versions before this rule wrote the progress alone. */
export const isComplete = (facts: SchemaFacts): boolean => SCHEMA_FACTS.every((name) => facts[name] !== undefined);

/** True where every step of the last migration is done, be it one that this program does not know. */
export const isWhole = (facts: SchemaFacts, migrations: readonly Migration[]): boolean => {
  const { progress, whole } = stateOf(facts, migrations);
  return printed(progress) === printed(whole);
};

const latestOf = (migrations: readonly Migration[]): number => migrations.at(-1)?.id ?? 0;

/** What the migrations up to this one took away. */
const minimumOf = (migrations: readonly Migration[], last: number): number =>
  Math.max(0, ...migrations.filter(({ id }) => id <= last).map(({ minimumSchema = 0 }) => minimumSchema));

/** The state that the rows say; an empty database is before the first step. Throws an Error of one line for rows that cannot be read. */
export function stateOf(facts: SchemaFacts, migrations: readonly Migration[]): SchemaState {
  const progress = parseProgress(facts[PROGRESS] ?? "1.0");
  const known = migrations.find(({ id }) => id === progress.migration);
  const whole = { migration: progress.migration, steps: known?.steps.length ?? progress.steps };
  // A newer schema without the row is one of a program that knows no rule: nothing says that it may be used.
  const unsaid =
    progress.migration > latestOf(migrations) ? progress.migration : minimumOf(migrations, whole.migration);
  return {
    progress,
    whole: facts[WHOLE] === undefined || known !== undefined ? whole : parseProgress(facts[WHOLE]),
    minimum: facts[MINIMUM] === undefined ? unsaid : Number(facts[MINIMUM]),
  };
}

/** The state, if a program with these migrations may run on it. Throws an Error of one line that names both schemas otherwise. */
export function usableState(facts: SchemaFacts, migrations: readonly Migration[]): SchemaState {
  const state = stateOf(facts, migrations);
  const { progress, minimum } = state;
  const latest = latestOf(migrations);
  const last = migrations.find(({ id }) => id === progress.migration);
  const isTooFar = last !== undefined && progress.steps > last.steps.length;
  if (isTooFar || minimum > latest)
    throw new Error(
      `This database was written by a newer version of the program (schema ${progress.migration}, for programs that know schema ${minimum} or a later one; this one knows ${latest}): start that version, or restore a backup of before`,
    );
  return state;
}

export interface NewerSchema {
  schema: number;
  minimum: number;
}

/** `newer` where the database is ahead of these migrations. */
export const newerThan = (
  { progress, minimum }: SchemaState,
  migrations: readonly Migration[],
): { newer?: NewerSchema } =>
  progress.migration > latestOf(migrations) ? { newer: { schema: progress.migration, minimum } } : {};

const NAMES = SCHEMA_FACTS.map(quoteText).join(", ");

/** The rows as they are under the lock. */
export async function lockedFacts(session: LockedSession): Promise<SchemaFacts> {
  const rows = await session.all(`SELECT name, value FROM facts WHERE name IN (${NAMES})`);
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
}

export async function insertMissing(session: LockedSession, facts: SchemaFacts, state: SchemaState): Promise<void> {
  const missing = Object.entries(factsOf(state)).filter(([name]) => facts[name] === undefined);
  if (missing.length === 0) return;
  const values = missing.map(([name, value]) => `(${quoteText(name)}, ${quoteText(value)})`).join(", ");
  await session.run(`INSERT INTO facts (name, value) VALUES ${values}`);
}

/** Writes all three in one statement, so that none is ever seen without the others: MySQL ends a transaction at each change of a table. */
export async function writeState(session: LockedSession, state: SchemaState): Promise<void> {
  const cases = Object.entries(factsOf(state)).map(
    ([name, value]) => `WHEN ${quoteText(name)} THEN ${quoteText(value)}`,
  );
  await session.run(`UPDATE facts SET value = CASE name ${cases.join(" ")} END WHERE name IN (${NAMES})`);
}
