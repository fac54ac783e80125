/**
 * `npm run audit`: proves from the ledger that every balance and counter is the sum of its entries; lists each row that is not and each refused
 * settlement, and exits 1 if there is one.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AuditResult, audit, auditDatabase, faultLine } from "../server/src/billing/audit.ts";
import { type Config, readConfig } from "../server/src/config.ts";
import { openDatabase } from "../server/src/db/database.ts";
import { readRefused, type RefusedEntry } from "../server/src/billing/journal.ts";

/** Reads beside a running server: the embedded database has one writer, but any number of readers. */
async function auditFile(path: string): Promise<AuditResult> {
  if (!existsSync(path)) throw new Error(`There is no database at ${path}`);
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return await audit(async (text) => database.prepare(text).all());
  } finally {
    database.close();
  }
}

async function run(config: Config): Promise<AuditResult> {
  if (config.databaseUrl === undefined) return auditFile(join(config.dataDir, "turnpike.db"));
  const database = await openDatabase(config);
  return auditDatabase(database).finally(() => database.close());
}

const refusedLine = ({ entryId, userId, quota, refusedAtMs, reason }: RefusedEntry): string =>
  `refused settlement ${entryId}: user ${userId}, quota ${quota}, ${new Date(refusedAtMs).toISOString()}: ${reason}`;

try {
  const config = readConfig(process.env);
  const { ledgerRows, repricedCharges, unpricedCharges, faults } = await run(config);
  const refused = await readRefused(config.dataDir);
  for (const entry of refused) console.log(refusedLine(entry));
  for (const fault of faults) console.log(faultLine(fault));
  console.log(
    `${ledgerRows} ledger rows, ${repricedCharges} charges priced again, ${unpricedCharges} without price detail`,
  );
  console.log(faults.length === 0 ? "The books balance." : `The books do NOT balance: ${faults.length} wrong values.`);
  if (refused.length > 0)
    console.log(`${refused.length} settlements were refused and are not in the ledger: see docs/billing.md`);
  process.exitCode = faults.length === 0 && refused.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
