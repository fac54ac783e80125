/** Rows of options, secrets encrypted. */
import type { Transaction } from "kysely";
import type { OptionName } from "../../../../contract/src/options/options.ts";
import type { Database } from "../../db/database.ts";
import { type Queries, upsert } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";

/** One option as it is stored. */
export interface StoredOption {
  /** A cipher text where the option is secret. */
  value: string;
  /** Unix seconds. */
  updated_time: number;
  /** Username of the person who changed it last; null for the wizard and for accounts that are gone. */
  updated_by: string | null;
  revision: number;
}

/** Stored options by name; those at their default may be missing. */
export async function readRows(queries: Queries): Promise<ReadonlyMap<string, StoredOption>> {
  const rows = await queries
    .selectFrom("options")
    .leftJoin("users", "users.id", "options.updated_by")
    .select(["name", "value", "updated_time", "users.username as updated_by", "revision"])
    .execute();
  return new Map(rows.map(({ name, ...row }) => [name, row]));
}

/** Columns written with every changed option. */
export interface Stamp {
  /** Unix seconds. */
  updated_time: number;
  /** Id of the administrator. */
  updated_by: number;
  revision: number;
}

/** Writes one option, encrypted already where it is secret. */
export async function writeRow(
  database: Database,
  transaction: Transaction<Schema>,
  name: OptionName,
  value: string,
  stamp: Stamp,
): Promise<void> {
  const change = { value, ...stamp };
  await upsert(database, transaction, "options", { name, ...change }, ["name"], change);
}
