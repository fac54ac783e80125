/** `turnpike audit`: proves from the ledger that every balance and counter is the sum of its entries, and lists each value that is not. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AuditResult, audit, auditDatabase, auditDelivered, faultLine, withDelivered } from "../billing/audit.ts";
import { type RefusedEntry, readRefused } from "../billing/journal.ts";
import type { Config } from "../config.ts";
import { type LogDatabase, openDatabase, readingLogsFrom } from "../db/database.ts";
import { openLogDatabase } from "../db/log-database.ts";
import type { CommandResult } from "./command.ts";

/** Reads beside a running server: the embedded database has one writer, but any number of readers. */
async function auditFile(path: string, logs: LogDatabase | undefined): Promise<AuditResult> {
  if (!existsSync(path)) throw new Error(`There is no database at ${path}`);
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const select = async (text: string) => database.prepare(text).all();
  try {
    const result = await audit(select);
    return logs === undefined ? result : withDelivered(result, await auditDelivered(select, logs));
  } finally {
    database.close();
  }
}

async function auditServer(config: Config, logs: LogDatabase | undefined): Promise<AuditResult> {
  const database = await openDatabase(config);
  return auditDatabase(logs === undefined ? database : readingLogsFrom(database, () => logs)).finally(() =>
    database.close(),
  );
}

async function auditOf(config: Config): Promise<AuditResult> {
  const { logDatabaseUrl: url, databaseUrl, dataDir } = config;
  const logs = url === undefined ? undefined : await openLogDatabase(config, url);
  try {
    return await (databaseUrl === undefined
      ? auditFile(join(dataDir, "turnpike.db"), logs)
      : auditServer(config, logs));
  } finally {
    await logs?.close();
  }
}

const refusedLine = ({ entryId, userId, quota, refusedAtMs, reason }: RefusedEntry): string =>
  `refused settlement ${entryId}: user ${userId}, quota ${quota}, ${new Date(refusedAtMs).toISOString()}: ${reason}`;

/** Exit code 1 where a value is wrong or a settlement was refused. Throws an Error of one line where the database cannot be read. */
export async function runAudit(config: Config): Promise<CommandResult> {
  const result = await auditOf(config);
  const refused = await readRefused(config.dataDir);
  const { ledgerRows, repricedCharges, unpricedCharges, faults } = result;
  const lines = [
    ...refused.map(refusedLine),
    ...faults.map(faultLine),
    `${ledgerRows} ledger rows, ${repricedCharges} charges priced again, ${unpricedCharges} without price detail`,
    faults.length === 0 ? "The books balance." : `The books do NOT balance: ${faults.length} wrong values.`,
  ];
  if (refused.length > 0)
    lines.push(`${refused.length} settlements were refused and are not in the ledger: see docs/billing.md`);
  return { exitCode: faults.length === 0 && refused.length === 0 ? 0 : 1, lines, data: { ...result, refused } };
}
