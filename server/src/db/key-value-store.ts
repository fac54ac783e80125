/** A key-value store in the database (the table facts): schema version, check value of the secret key, progress of background runs. */
import type { LogDatabase } from "./database.ts";
import { insertOrIgnore, upsert } from "./portable.ts";

export interface KeyValueStore {
  read(name: string): Promise<string | undefined>;
  /** Inserts a value unless the name exists, and returns the stored one: of two processes that start at once one wins. */
  writeOnce(name: string, value: string): Promise<string>;
  /** Writes a value, replacing an existing one. */
  write(name: string, value: string): Promise<void>;
}

/** The store of a migrated database. */
export function keyValueStore(database: Pick<LogDatabase, "kysely" | "engine">): KeyValueStore {
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
