/** What a backup says of itself, read from the snapshot that it is made of. */
import { MIGRATIONS } from "../db/migrations/migrate.ts";
import type { ArchiveHead } from "./file.ts";
import type { Snapshot } from "./snapshot.ts";

/** The migration that a database has whole. Throws an Error of one line for one that is between two versions. */
export async function migrationOf({ fact }: Snapshot): Promise<number> {
  const [migration = 0, steps = 0] = ((await fact("schema")) ?? "").split(".").map(Number);
  const known = MIGRATIONS.find(({ id }) => id === migration);
  if (known?.steps.length !== steps)
    throw new Error("The database has not the schema of one version: run `turnpike migrate` of its own version first");
  return migration;
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
