/** `npm run audit`: proves from the ledger that every balance and counter is the sum of its entries; names each row that is not, and exits 1. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AuditResult, audit, auditDatabase, faultLine } from "../server/src/billing/audit.ts";
import { readConfig } from "../server/src/config.ts";
import { openDatabase } from "../server/src/db/database.ts";

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

async function run(): Promise<AuditResult> {
  const config = readConfig(process.env);
  if (config.databaseUrl === undefined) return auditFile(join(config.dataDir, "turnpike.db"));
  const database = await openDatabase(config);
  return auditDatabase(database).finally(() => database.close());
}

try {
  const { ledgerRows, repricedCharges, unpricedCharges, faults } = await run();
  for (const fault of faults) console.log(faultLine(fault));
  console.log(
    `${ledgerRows} ledger rows, ${repricedCharges} charges priced again, ${unpricedCharges} without price detail`,
  );
  console.log(faults.length === 0 ? "The books balance." : `The books do NOT balance: ${faults.length} wrong values.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
