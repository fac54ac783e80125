/** The check of what a key of SECRET_KEY_PREVIOUS still opens: how many values, and in which columns. */
import type { Snapshot } from "../../archive/snapshot.ts";
import type { Config } from "../../config.ts";
import { quoteName } from "../../db/migrations/columns.ts";
import { cipherPrefixOf, secretKeyOf } from "../../db/secrets.ts";
import { SEALED_COLUMNS } from "../sealed-columns.ts";
import { type Check, type Checker, type Finding, ok, warn } from "./check.ts";

/** Rows of each column that hold something encrypted and nothing that the current key encrypted. */
async function countOld({ engine, tables, select }: Snapshot, prefix: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { table, column } of SEALED_COLUMNS) {
    if (!tables.some(({ name }) => name === table)) continue;
    const [name, from] = [quoteName(engine, column), quoteName(engine, table)];
    const text = `SELECT COUNT(*) FROM ${from} WHERE ${name} LIKE ? AND ${name} NOT LIKE ?`;
    const [row] = await select(text, ["%v1.%", `%${prefix}%`]);
    if (Number(row?.[0]) > 0) found.set(`${table}.${column}`, Number(row?.[0]));
  }
  return found;
}

async function look(config: Config, snapshot: Snapshot): Promise<Finding> {
  const found = await countOld(snapshot, cipherPrefixOf((await secretKeyOf(config)) ?? ""));
  if (found.size === 0) return ok("previous_keys.none");
  const number = [...found.values()].reduce((sum, each) => sum + each, 0);
  const places = [...found].map((each) => each.join(" ")).join(", ");
  return warn("previous_keys.left", "previous_keys.left", { number, places });
}

/** Reads the columns through, so only where SECRET_KEY_PREVIOUS is set. */
export const checkPreviousKeys = async (config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> =>
  config.previousSecretKeys.length === 0
    ? []
    : [await checked("previous_keys", "previous_keys.any", () => look(config, snapshot))];
