/** The header of a backup, read from the snapshot that it is made of. */
import { MIGRATIONS } from "../db/migrations/migrate.ts";
import { SCHEMA_FACTS, type SchemaFacts, isWhole, stateOf } from "../db/migrations/state.ts";
import type { ArchiveHead } from "./file.ts";
import type { Snapshot } from "./snapshot.ts";

/** The facts of the schema that a snapshot has. */
export async function schemaFactsOf({ fact }: Pick<Snapshot, "fact">): Promise<SchemaFacts> {
  const facts: Record<string, string> = {};
  for (const name of SCHEMA_FACTS) {
    const value = await fact(name);
    if (value !== undefined) facts[name] = value;
  }
  return facts;
}

/**
 * The migration that a database has whole, be it one that only a newer program knows. Throws an Error of one line for one that is between
 * two versions.
 */
export async function migrationOf(snapshot: Snapshot): Promise<number> {
  const facts = await schemaFactsOf(snapshot);
  if (!isWhole(facts, MIGRATIONS))
    throw new Error("The database has not the schema of one version: run `turnpike migrate` of its own version first");
  return stateOf(facts, MIGRATIONS).progress.migration;
}

/**
 * The head of a backup that is made now.
 * @param program version of the program that writes it
 * @throws an Error of one line for a database that is between two versions
 */
export async function headOf(snapshot: Snapshot, program: string): Promise<Omit<ArchiveHead, "salt">> {
  const { engine } = snapshot;
  const migration = await migrationOf(snapshot);
  const key_check = (await snapshot.fact("secret_key_check")) ?? "";
  return {
    turnpike: "backup",
    format: 1,
    program,
    migration,
    engine,
    created: new Date().toISOString(),
    key_check,
  };
}
