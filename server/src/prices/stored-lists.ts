/** The price lists of earlier versions of the product, stored in the database so that the next one can show the difference. */
import type { Database } from "../db/database.ts";
import { insertOrIgnore } from "../db/portable.ts";
import { nowSeconds } from "../util/clock.ts";
import { headOf, readListFile } from "./shipped-list.ts";

/** Stores this program's own list where no process has done it yet. */
export async function storeShippedList(database: Database): Promise<void> {
  const { text, hash, version } = readListFile();
  const { kysely } = database;
  const known = await kysely.selectFrom("price_lists").select("id").where("hash", "=", hash).executeTakeFirst();
  if (known !== undefined) return;
  const created_time = nowSeconds();
  await insertOrIgnore(database, kysely, "price_lists", { hash, version, lines: text, created_time });
}

/** A stored list. */
export interface StoredList {
  id: number;
  version: string;
  /** When genai-prices published it: YYYY-MM-DD. */
  date: string;
  /** When this installation first ran with it; Unix seconds. */
  createdTime: number;
  text: string;
}

/** This program's list and the one that this installation ran with before; undefined where it ran with no other. */
export async function lastTwoLists({
  kysely,
}: Database): Promise<{ current: StoredList; previous: StoredList | undefined }> {
  const { hash } = readListFile();
  const columns = ["id", "version", "lines as text", "created_time as createdTime"] as const;
  const lists = kysely.selectFrom("price_lists").select(columns);
  const current = await lists.where("hash", "=", hash).executeTakeFirstOrThrow();
  const previous = await lists.where("id", "<", current.id).orderBy("id", "desc").limit(1).executeTakeFirst();
  const dated = <Row extends { text: string }>(row: Row) => ({ ...row, date: headOf(row.text).date });
  return { current: dated(current), previous: previous && dated(previous) };
}
