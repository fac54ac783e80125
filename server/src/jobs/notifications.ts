/** Notification jobs: they send the outbox, warn of low balances, and audit the ledger once a day. */
import { LAST_AUDIT_FACT, type LastAudit, auditDatabase } from "../billing/audit.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import type { Database } from "../db/database.ts";
import type { Secrets } from "../db/secrets.ts";
import { notifyRoot } from "../notify/notify-user.ts";
import { hasDueStatements, sendStatements } from "../notify/statements.ts";
import { announceRetirements, hasDueRetirements } from "../notify/model-retirements.ts";
import { warnOfLowBalances } from "../notify/quota-warning.ts";
import { hasDueMessages, sendDueMessages } from "../notify/sender.ts";
import type { SenderContext } from "../notify/sender.ts";
import { nowSeconds } from "../util/clock.ts";
import type { Job } from "./scheduler.ts";

type JobContext = SenderContext & { database: Database; secrets: Secrets };

const AUDIT_FACT = "books_audited_time";
const DAY_SECONDS = 86_400;

/** Audits the ledger where that was a day ago or more, and notifies the super administrator of wrong amounts. */
async function auditDaily(context: JobContext): Promise<void> {
  const { database, logger, clock } = context;
  const facts = keyValueStore(database);
  const now = nowSeconds(clock);
  if (now < Number((await facts.read(AUDIT_FACT)) ?? 0) + DAY_SECONDS) return;
  await facts.write(AUDIT_FACT, String(now));
  const { faults, ledgerRows } = await auditDatabase(database);
  const last: LastAudit = { time: nowSeconds(clock), rows: ledgerRows, faults: faults.length };
  await facts.write(LAST_AUDIT_FACT, JSON.stringify(last));
  if (faults.length === 0) return;
  logger.error({ faults }, "the books do not balance");
  const notification = { code: "books_out_of_balance", values: { count: faults.length } } as const;
  await notifyRoot(context, database.kysely, { notification });
}

/** `clock` of the context gives Unix milliseconds. */
export function notificationJobs(context: JobContext): readonly Job[] {
  const facts = keyValueStore(context.database);
  return [
    {
      name: "outbox",
      everySeconds: 2,
      hasWork: () => hasDueMessages(context),
      run: () => sendDueMessages(context),
    },
    { name: "low_balances", everySeconds: 20, run: () => warnOfLowBalances({ ...context, facts }) },
    {
      name: "monthly_statements",
      everySeconds: 300,
      hasWork: () => hasDueStatements({ ...context, facts }),
      run: (signal) => sendStatements({ ...context, facts }, signal),
    },
    {
      name: "model_retirements",
      everySeconds: 600,
      hasWork: () => hasDueRetirements({ ...context, facts }),
      run: (signal) => announceRetirements({ ...context, facts }, signal),
    },
    { name: "books_audit", everySeconds: 3600, run: () => auditDaily(context) },
  ];
}
