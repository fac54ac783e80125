/** The row of price_versions that the price tables in force have: a charge names it, so its price can be proved for ever. */
import { createHash } from "node:crypto";
import type { OptionValues } from "../../../contract/src/options.ts";
import type { Database } from "../db/database.ts";
import { insertOrIgnore } from "../db/portable.ts";

/** Options that decide what a call costs. */
const PRICE_OPTIONS = [
  "ModelPrice",
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CacheCreationRatio",
  "GroupRatio",
  "QuotaPerUnit",
] as const;

/** The tables as one text, the same for the same values; `dataSet` names the default prices beneath them. */
export function priceTablesText(options: OptionValues, dataSet: string): string {
  const sorted = (value: unknown) =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value;
  return JSON.stringify({ dataSet, ...Object.fromEntries(PRICE_OPTIONS.map((name) => [name, sorted(options[name])])) });
}

/** Finds the row of these tables or writes it; gives its id. Of two processes at once one writes and both find it. */
export async function findPriceVersion(database: Database, tables: string, nowSeconds: number): Promise<number> {
  const hash = createHash("sha256").update(tables).digest("hex");
  const find = () =>
    database.kysely.selectFrom("price_versions").select("id").where("hash", "=", hash).executeTakeFirst();
  const known = await find();
  if (known !== undefined) return known.id;
  await insertOrIgnore(database, database.kysely, "price_versions", { hash, created_time: nowSeconds, tables });
  const written = await find();
  if (written === undefined) throw new Error("The price version was written but cannot be read");
  return written.id;
}
