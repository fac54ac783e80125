/** Rows of accepted lines of price lists. */
import type { Transaction } from "kysely";
import type { Database } from "../../../db/database.ts";
import { affectedRows, insertReturningId, type Queries } from "../../../db/portable.ts";
import type { Schema } from "../../../db/schema.ts";
import type { AcceptedRow } from "../../../prices/lookup.ts";

/** One acceptance with who made it. */
export interface Acceptance extends AcceptedRow {
  source: string;
  createdTime: number;
  /** Username; null where the account is gone. */
  createdBy: string | null;
  /** 0 while it is in force. */
  undoneTime: number;
  /** Username; null where the account is gone or nobody noted it. */
  undoneBy: string | null;
}

/** So many acceptances are shown. */
const SHOWN = 100;

/** The newest first. */
export const readAcceptances = (queries: Queries): Promise<Acceptance[]> =>
  queries
    .selectFrom("price_list_changes")
    .leftJoin("users", "users.id", "price_list_changes.created_by")
    .leftJoin("users as undoers", "undoers.id", "price_list_changes.undone_by")
    .select([
      "price_list_changes.id",
      "source",
      "lines",
      "price_list_changes.created_time as createdTime",
      "users.username as createdBy",
      "undone_time as undoneTime",
      "undoers.username as undoneBy",
    ])
    .orderBy("price_list_changes.id", "desc")
    .limit(SHOWN)
    .execute();

/** What is in force, in the order in which it was accepted. */
export const readInForce = (queries: Queries): Promise<AcceptedRow[]> =>
  queries.selectFrom("price_list_changes").select(["id", "lines"]).where("undone_time", "=", 0).orderBy("id").execute();

/** What is stored of an acceptance. */
export interface NewAcceptance {
  source: string;
  lines: string;
  /** Unix seconds. */
  created_time: number;
  /** Id of the administrator. */
  created_by: number;
}

/** Gives its id. */
export const writeAcceptance = (
  database: Database,
  transaction: Transaction<Schema>,
  row: NewAcceptance,
): Promise<number> => insertReturningId(database, transaction, "price_list_changes", row);

/** Takes one out of force; false where none of this id is in force. `by` is the administrator's id. */
export async function markUndone(
  transaction: Transaction<Schema>,
  id: number,
  { nowSeconds, by }: { nowSeconds: number; by: number },
): Promise<boolean> {
  const update = transaction
    .updateTable("price_list_changes")
    .set({ undone_time: nowSeconds, undone_by: by })
    .where("id", "=", id)
    .where("undone_time", "=", 0);
  return affectedRows(await update.executeTakeFirstOrThrow()) === 1;
}
