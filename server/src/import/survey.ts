/** Reads the whole source before its first row is written: its users, duplicate keys, and the used quota of tokens. */
import { numberIn, quotaIn, textIn } from "./cells.ts";
import { NumberSet, NumberSums } from "./large-sets.ts";
import type { Source, SourceRow } from "./source.ts";
import type { KnownSource } from "./systems.ts";
import { tableThere } from "./tables.ts";

export interface Survey {
  userIds: NumberSet;
  /** Used quota of the tokens that come over, by the user's number there. */
  usedByTokens: NumberSums;
  /** Keys that several tokens have, with the number of the oldest. */
  keyOwners: ReadonlyMap<string, number>;
  /** Rows that come over, by table. */
  ids: Readonly<Record<"users" | "tokens" | "channels", NumberSet>>;
  /** The largest number of each table. */
  largestIds: ReadonlyMap<string, number>;
}

/** Why a token does not come over. */
export type TokenRefusal = "token_without_owner" | "token_key_twice" | "token_key_form";

const KEY_MAX = 128;

/** Why a row of `tokens` is refused; undefined for one that comes over. */
export function refusalOfToken(
  row: SourceRow,
  { userIds, keyOwners }: Pick<Survey, "userIds" | "keyOwners">,
): TokenRefusal | undefined {
  if (!userIds.has(numberIn(row, "user_id"))) return "token_without_owner";
  const key = textIn(row, "key").trim();
  if (key === "" || key.length > KEY_MAX || key.startsWith("sk-") || !/^[\x21-\x7e]+$/.test(key))
    return "token_key_form";
  const oldest = keyOwners.get(key);
  return oldest !== undefined && oldest !== numberIn(row, "id") ? "token_key_twice" : undefined;
}

async function idsOf(source: Source, table: string): Promise<NumberSet> {
  const ids = new NumberSet();
  // Deleted people and tokens come over deleted, channels do not.
  const isCut = table === "channels" && source.tables.get(table)?.includes("deleted_at") === true;
  for await (const rows of source.pages(table, "id", isCut ? ["id", "deleted_at"] : ["id"]))
    for (const row of rows) if ((row["deleted_at"] ?? null) === null) ids.add(numberIn(row, "id"));
  return ids;
}

/** Keys that stand twice; the blanks behind a key are none of it. */
async function doubledKeys({ engine, select }: Source): Promise<ReadonlyMap<string, number>> {
  const key = engine === "mysql" ? "BINARY TRIM(`key`)" : `TRIM("key")`;
  const rows = await select(`SELECT MIN(id) AS id, ${key} AS trimmed FROM tokens GROUP BY ${key} HAVING COUNT(*) > 1`);
  return new Map(rows.map((row) => [textIn(row, "trimmed"), numberIn(row, "id")]));
}

const COUNTED = ["users", "tokens", "channels", "redemptions", "top_ups"] as const;

async function largestIdsOf(source: KnownSource): Promise<ReadonlyMap<string, number>> {
  const largest = new Map<string, number>();
  for (const table of COUNTED) {
    const name = tableThere(source.system, table);
    if (!source.tables.has(name)) continue;
    const [row] = await source.select(`SELECT MAX(id) AS id FROM ${name}`);
    largest.set(table, row === undefined ? 0 : numberIn(row, "id"));
  }
  return largest;
}

const MONEY: Readonly<Record<string, readonly string[]>> = {
  users: ["quota", "used_quota", "request_count", "aff_quota"],
  tokens: ["remain_quota", "used_quota"],
  channels: ["used_quota"],
};

/** Throws an Error of one line where amounts come to more than can be added up exactly. */
async function refuseLargeSums({ engine, tables, select }: Source): Promise<void> {
  const type = engine === "mysql" ? "CHAR" : "TEXT";
  for (const [table, columns] of Object.entries(MONEY))
    for (const column of columns.filter((name) => tables.get(table)?.includes(name) === true)) {
      const [row] = await select(`SELECT CAST(SUM(ABS(${column})) AS ${type}) AS total FROM ${table}`);
      if (Number(row?.["total"] ?? 0) > Number.MAX_SAFE_INTEGER)
        throw new Error(`${table}.${column} comes to ${row?.["total"]}, more than can be kept exactly (2^53 - 1)`);
    }
}

/** Reads the source through once. Throws an Error of one line where an amount cannot be kept. */
export async function surveyOf(source: KnownSource, progress: (line: string) => void): Promise<Survey> {
  await refuseLargeSums(source);
  const userIds = await idsOf(source, "users");
  const keyOwners = await doubledKeys(source);
  const usedByTokens = new NumberSums(userIds);
  const tokenIds = new NumberSet();
  let [read, saidMs] = [0, performance.now()];
  const columns = ["id", "user_id", "key", "used_quota"].filter((name) => source.tables.get("tokens")?.includes(name));
  for await (const rows of source.pages("tokens", "id", columns)) {
    for (const row of rows) {
      if (refusalOfToken(row, { userIds, keyOwners }) !== undefined) continue;
      const owner = numberIn(row, "user_id");
      tokenIds.add(numberIn(row, "id"));
      usedByTokens.add(owner, quotaIn(row, "used_quota"));
    }
    read += rows.length;
    if (performance.now() - saidMs < 2_000) continue;
    saidMs = performance.now();
    progress(`looking through tokens: ${read.toLocaleString("en")}`);
  }
  const ids = { users: userIds, tokens: tokenIds, channels: await idsOf(source, "channels") };
  return { userIds, ids, usedByTokens, keyOwners, largestIds: await largestIdsOf(source) };
}
