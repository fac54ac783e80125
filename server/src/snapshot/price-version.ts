/** The row of price_versions that the price tables in force have, and since when they are: a charge names it, so its price can be proved for ever. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { PRICE_OPTIONS } from "../../../contract/src/pricing/own-prices.ts";
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";

/** An empty table of a later version says nothing: tables that were in force before it existed keep their row and their day. */
const isYoungerAndEmpty = (name: (typeof PRICE_OPTIONS)[number], options: OptionValues): boolean =>
  name === "GroupGroupRatio" && Object.keys(options.GroupGroupRatio).length === 0;

/** The tables as one text, the same for the same values; `dataSet` names the price list beneath them. */
export function priceTablesText(options: OptionValues, dataSet: string): string {
  const sorted = (value: unknown) =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value;
  const tables = PRICE_OPTIONS.filter((name) => !isYoungerAndEmpty(name, options));
  return JSON.stringify({ dataSet, ...Object.fromEntries(tables.map((name) => [name, sorted(options[name])])) });
}

export interface PriceVersion {
  /** Row of price_versions. */
  id: number;
  /** When it came into force, the last time if there were several; Unix seconds. */
  since: number;
}

/** Options as they were read, for the price version they make. */
export interface PricedOptions {
  /** Of priceTablesText. */
  tables: string;
  /** How often options and price lists had changed before they were read. */
  version: number;
  nowSeconds: number;
}

interface StoredVersion {
  id: number;
  createdTime: number;
}

/** Finds the row of these tables or writes it. Of two processes at once one writes and both find it. */
async function findRow(database: Database, { tables, nowSeconds }: PricedOptions): Promise<StoredVersion> {
  const hash = createHash("sha256").update(tables).digest("hex");
  const find = () =>
    database.kysely
      .selectFrom("price_versions")
      .select(["id", "created_time as createdTime"])
      .where("hash", "=", hash)
      .executeTakeFirst();
  const known = await find();
  if (known !== undefined) return known;
  await insertOrIgnore(database, database.kysely, "price_versions", { hash, created_time: nowSeconds, tables });
  const written = await find();
  if (written === undefined) throw new Error("The price version was written but cannot be read");
  return written;
}

/** The fact that says which version is in force: all processes show the same time, and a restart keeps it. */
const FACT = "price_version_in_force";
const inForce = z.object({ id: z.number(), since: z.number(), options: z.number() });

/** One look at the fact, and the change of it where these options are newer; undefined where another process was faster. */
async function tryEnter(
  database: Database,
  row: StoredVersion,
  { version, nowSeconds }: PricedOptions,
): Promise<PriceVersion | undefined> {
  const facts = database.kysely;
  const stored = await facts.selectFrom("facts").select("value").where("name", "=", FACT).executeTakeFirst();
  const factOf = (since: number) => JSON.stringify({ id: row.id, since, options: version });
  if (stored === undefined) {
    // The first of this database, or one from before there was the fact: then the row's own time is the best there is.
    const fact = { name: FACT, value: factOf(row.createdTime) };
    return (await insertOrIgnore(database, facts, "facts", fact)) ? { id: row.id, since: row.createdTime } : undefined;
  }
  const current = inForce.parse(JSON.parse(stored.value));
  if (current.id === row.id) return { id: row.id, since: current.since };
  // These options were read before another process saw newer ones, which this one is about to read too.
  if (current.options > version) return { id: row.id, since: row.createdTime };
  const entered = facts
    .updateTable("facts")
    .set({ value: factOf(nowSeconds) })
    .where("name", "=", FACT)
    .where("value", "=", stored.value);
  return affectedRows(await entered.executeTakeFirstOrThrow()) === 1 ? { id: row.id, since: nowSeconds } : undefined;
}

/**
 * The version of these options, with the time it came into force: now, where another was in force until now, and as long ago as it
 * was first seen by any process otherwise. Tables that return after others have begun again.
 */
export async function enterPriceVersion(database: Database, options: PricedOptions): Promise<PriceVersion> {
  const row = await findRow(database, options);
  // Each process changes the fact at most once for one reading of the options, so this ends.
  for (;;) {
    const entered = await tryEnter(database, row, options);
    if (entered !== undefined) return entered;
  }
}
