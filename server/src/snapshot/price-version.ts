/** The row of price_versions for the price tables in force, and their start time: a charge names it, so that its price can always be proved. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { PRICE_OPTIONS } from "../../../contract/src/pricing/own-prices.ts";
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";

/** An empty table of a later version adds nothing: tables in force before it existed keep their row and their day. */
const isYoungerAndEmpty = (name: (typeof PRICE_OPTIONS)[number], options: OptionValues): boolean =>
  name === "GroupGroupRatio" && Object.keys(options.GroupGroupRatio).length === 0;

/** The tables as one text, equal for equal values; `dataSet` is the price list behind them. */
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

/** The options that were read, for their price version. */
export interface PricedOptions {
  /** Of priceTablesText. */
  tables: string;
  /** The version of options and price lists before they were read. */
  version: number;
  nowSeconds: number;
}

interface StoredVersion {
  id: number;
  createdTime: number;
}

/** Finds or inserts the row of these tables. Of two concurrent processes one inserts and both find it. */
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

/** The stored value that names the version in force: all processes show the same time, and a restart keeps it. */
const FACT = "price_version_in_force";
const inForce = z.object({ id: z.number(), since: z.number(), options: z.number() });

/** Reads the value, and changes it if these options are newer; undefined if another process was faster. */
async function tryEnter(
  database: Database,
  row: StoredVersion,
  { version, nowSeconds }: PricedOptions,
): Promise<PriceVersion | undefined> {
  const facts = database.kysely;
  const stored = await facts.selectFrom("facts").select("value").where("name", "=", FACT).executeTakeFirst();
  const factOf = (since: number) => JSON.stringify({ id: row.id, since, options: version });
  if (stored === undefined) {
    // The first one of this database, or a database from before this value existed: then the row's own time is the best available.
    const fact = { name: FACT, value: factOf(row.createdTime) };
    return (await insertOrIgnore(database, facts, "facts", fact)) ? { id: row.id, since: row.createdTime } : undefined;
  }
  const current = inForce.parse(JSON.parse(stored.value));
  if (current.id === row.id) return { id: row.id, since: current.since };
  // Another process has already read newer options, which this one will read next.
  if (current.options > version) return { id: row.id, since: row.createdTime };
  const entered = facts
    .updateTable("facts")
    .set({ value: factOf(nowSeconds) })
    .where("name", "=", FACT)
    .where("value", "=", stored.value);
  return affectedRows(await entered.executeTakeFirstOrThrow()) === 1 ? { id: row.id, since: nowSeconds } : undefined;
}

/**
 * The version of these options, with the time it came into force: now, if another one was in force until now, otherwise the time at which
 * a process first saw it. Tables that return after others start anew.
 */
export async function enterPriceVersion(database: Database, options: PricedOptions): Promise<PriceVersion> {
  const row = await findRow(database, options);
  // Each process changes the value at most once for each read of the options, so this ends.
  for (;;) {
    const entered = await tryEnter(database, row, options);
    if (entered !== undefined) return entered;
  }
}
