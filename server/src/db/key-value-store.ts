/** A key-value store in the database (the table facts): schema version, check value of the secret key, progress of background runs. */
import type { Database } from "./database.ts";
import { insertOrIgnore, upsert } from "./portable.ts";

export interface KeyValueStore {
  read(name: string): Promise<string | undefined>;
  /** Writes a fact that is not there yet and gives the one that is there afterwards: of two processes starting at once one wins. */
  writeOnce(name: string, value: string): Promise<string>;
  /** Writes a fact, over the one that may be there. */
  write(name: string, value: string): Promise<void>;
}

/** The facts of a migrated database. */
export function keyValueStore(database: Database): KeyValueStore {
  const read = async (name: string) => {
    const row = await database.kysely.selectFrom("facts").select("value").where("name", "=", name).executeTakeFirst();
    return row?.value;
  };
  const writeOnce = async (name: string, value: string) => {
    await insertOrIgnore(database, database.kysely, "facts", { name, value });
    return (await read(name)) ?? value;
  };
  const write = (name: string, value: string) =>
    upsert(database, database.kysely, "facts", { name, value }, ["name"], { value });
  return { read, writeOnce, write };
}
