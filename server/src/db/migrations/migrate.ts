/** Migrates a database to this program's schema, step by step under a lock, resuming where a killed process stopped. */
import { type RawBuilder, sql } from "kysely";
import type { Database, Engine } from "../database.ts";
import { quoteText } from "../session.ts";
import type { LockedSession } from "../session.ts";
import { foundation } from "./0001-foundation.ts";
import { logIndexes } from "./0002-log-indexes.ts";
import { logKeys } from "./0003-log-keys.ts";
import { usageOrder } from "./0004-usage-order.ts";
import { idempotencyKeys } from "./0005-idempotency-keys.ts";
import { scatteredIndexes } from "./0006-scattered-indexes.ts";
import { channelUsage } from "./0007-channel-usage.ts";
import { callHours } from "./0008-call-hours.ts";
import { channelTests } from "./0009-channel-tests.ts";
import { people } from "./0010-people.ts";
import { settingsAndPrices } from "./0011-settings-and-prices.ts";
import { channels } from "./0012-channels.ts";
import { payments } from "./0013-payments.ts";
import { tasks } from "./0014-tasks.ts";
import { orderEvents } from "./0015-order-events.ts";
import { retriedAttempts } from "./0016-retried-attempts.ts";
import { securityEvents } from "./0017-security-events.ts";
import { passkeyOrigins } from "./0018-passkey-origins.ts";
import { taskVainSeconds } from "./0019-task-vain-seconds.ts";
import { accessTokens } from "./0020-access-tokens.ts";
import { keptAnswers } from "./0021-kept-answers.ts";
import { temporaryPasswords } from "./0022-temporary-passwords.ts";
import { taskAskedSeconds } from "./0023-task-asked-seconds.ts";
import { identityRows } from "./0024-identity-rows.ts";
import { channelHeaders } from "./0025-channel-headers.ts";
import { redemptionExpiry } from "./0026-redemption-expiry.ts";
import { checkins } from "./0027-checkins.ts";
import { tokenGroups } from "./0028-token-groups.ts";
import { termsAcceptances } from "./0029-terms-acceptances.ts";
import { permissions } from "./0030-permissions.ts";
import { modelWatches } from "./0031-model-watches.ts";
import { priceChanges } from "./0032-price-changes.ts";
import { auditEntries } from "./0033-audit-entries.ts";
import { channelBalances } from "./0034-channel-balances.ts";
import { logViews } from "./0035-log-views.ts";
import { callsByModel } from "./0036-calls-by-model.ts";
import { sessionViews } from "./0037-session-views.ts";
import { autoTopUps } from "./0038-auto-top-ups.ts";
import { invitations } from "./0040-invitations.ts";
import { processVitals } from "./0041-process-vitals.ts";
import { chatShares } from "./0041-chat-shares.ts";
import { sitePictures } from "./0042-site-pictures.ts";
import { priceNotices } from "./0039-price-notices.ts";
import { prefillGroups } from "./0041-prefill-groups.ts";
import { managedThings } from "./0041-managed-things.ts";
import { long, tableDdl, text } from "./columns.ts";
import type { TableDefinition } from "./columns.ts";
import type { Migration, Step } from "./steps.ts";

/** Every migration in order; a new one is appended, and none is ever changed. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  logIndexes,
  logKeys,
  usageOrder,
  idempotencyKeys,
  scatteredIndexes,
  channelUsage,
  callHours,
  channelTests,
  people,
  settingsAndPrices,
  channels,
  payments,
  tasks,
  orderEvents,
  retriedAttempts,
  securityEvents,
  passkeyOrigins,
  taskVainSeconds,
  accessTokens,
  keptAnswers,
  temporaryPasswords,
  taskAskedSeconds,
  identityRows,
  channelHeaders,
  redemptionExpiry,
  checkins,
  tokenGroups,
  termsAcceptances,
  permissions,
  modelWatches,
  priceChanges,
  auditEntries,
  channelBalances,
  logViews,
  callsByModel,
  sessionViews,
  autoTopUps,
  priceNotices,
  invitations,
  prefillGroups,
  managedThings,
  processVitals,
  chatShares,
  sitePictures,
];

/** The progress of a database: `migration` is the last one begun and `steps` how many of its steps are done. */
interface Progress {
  migration: number;
  steps: number;
}

/** The one table that exists before any migration: the progress is one of its values. */
const FACTS: TableDefinition = { name: "facts", columns: { name: text(128), value: long() }, primaryKey: ["name"] };
const PROGRESS_FACT = "schema";

/** Stands before the progress while a restore fills the database: no server starts on it. */
export const RESTORING = "restoring";

function parseProgress(value: unknown): Progress {
  if (String(value).startsWith(RESTORING))
    throw new Error("A restore of this database has not finished: run the same restore again");
  const match = /^(\d+)\.(\d+)$/.exec(String(value));
  if (match === null) throw new Error(`The schema version of this database is not readable: ${JSON.stringify(value)}`);
  return { migration: Number(match[1]), steps: Number(match[2]) };
}

async function readProgress(session: LockedSession): Promise<Progress | undefined> {
  const [row] = await session.all(`SELECT value FROM facts WHERE name = ${quoteText(PROGRESS_FACT)}`);
  return row === undefined ? undefined : parseProgress(row["value"]);
}

async function writeProgress(session: LockedSession, progress: Progress): Promise<void> {
  const value = quoteText(`${progress.migration}.${progress.steps}`);
  await session.run(`UPDATE facts SET value = ${value} WHERE name = ${quoteText(PROGRESS_FACT)}`);
}

async function openProgress(session: LockedSession, engine: Engine): Promise<Progress> {
  await session.run(tableDdl(engine, FACTS));
  const known = await readProgress(session);
  if (known !== undefined) return known;
  await session.run(`INSERT INTO facts (name, value) VALUES (${quoteText(PROGRESS_FACT)}, '1.0')`);
  return { migration: 1, steps: 0 };
}

/** One row where the table of the progress is there. */
const FIND_FACTS: Readonly<Record<Engine, RawBuilder<unknown>>> = {
  sqlite: sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'facts'`,
  postgres: sql`SELECT 1 WHERE to_regclass('facts') IS NOT NULL`,
  mysql: sql`SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'facts'`,
};

/**
 * The steps that `migrate` would run, as "0031 model watches: create table ..."; it changes nothing.
 * Throws an Error of one line if the database is newer than this program.
 */
export async function pendingSteps(
  { kysely, engine }: Pick<Database, "kysely" | "engine">,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  const { rows } = await FIND_FACTS[engine].execute(kysely);
  const row =
    rows.length > 0
      ? await kysely.selectFrom("facts").select("value").where("name", "=", PROGRESS_FACT).executeTakeFirst()
      : undefined;
  return stepsAfter(row?.value, migrations);
}

/**
 * The same for a database whose fact `schema` was read already; undefined where it has none.
 * Throws an Error of one line if the database is newer than this program.
 */
export function stepsAfter(schema: string | undefined, migrations: readonly Migration[] = MIGRATIONS): string[] {
  const progress = schema === undefined ? { migration: 1, steps: 0 } : parseProgress(schema);
  refuseNewer(progress, migrations);
  return migrations
    .filter(({ id }) => id >= progress.migration)
    .flatMap(({ id, name, steps }) => {
      const left = id === progress.migration ? steps.slice(progress.steps) : steps;
      return left.map((step) => `${String(id).padStart(4, "0")} ${name}: ${step.name}`);
    });
}

export interface MigrateOptions {
  /** All migrations of this program; tests pass others. */
  migrations?: readonly Migration[];
  /** Called around every step: after "done" its work is in the database but not recorded yet. Tests kill the process here. */
  onStep?: (step: Step, moment: "begin" | "done") => void | Promise<void>;
}

export interface MigrateResult {
  /** Steps that were run by this call. */
  steps: number;
}

function refuseNewer(progress: Progress, migrations: readonly Migration[]): void {
  const latest = migrations.at(-1)?.id ?? 0;
  const last = migrations.find((migration) => migration.id === progress.migration);
  if (progress.migration > latest || progress.steps > (last?.steps.length ?? 0))
    throw new Error(
      `This database was written by a newer version of the program (schema ${progress.migration}, known here ${latest}): start that version`,
    );
}

/** The step after `progress`, if there is one. */
function nextStep(progress: Progress, migrations: readonly Migration[]): { step: Step; after: Progress } | undefined {
  const current = migrations.find((migration) => migration.id === progress.migration);
  const step = current?.steps[progress.steps];
  if (step !== undefined) return { step, after: { migration: progress.migration, steps: progress.steps + 1 } };
  const next = migrations.find((migration) => migration.id === progress.migration + 1);
  const first = next?.steps[0];
  return next === undefined || first === undefined
    ? undefined
    : { step: first, after: { migration: next.id, steps: 1 } };
}

/**
 * Runs every step that is not recorded yet. Of several processes one migrates and the others wait for it.
 * Throws an Error of one line if the database is newer than this program; after any other error the finished steps are recorded.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrateResult> {
  const { migrations = MIGRATIONS, onStep = () => undefined } = options;
  return database.withMigrationLock(async (session) => {
    let progress = await openProgress(session, database.engine);
    refuseNewer(progress, migrations);
    let steps = 0;
    for (let next = nextStep(progress, migrations); next !== undefined; next = nextStep(progress, migrations)) {
      await onStep(next.step, "begin");
      await next.step.run(session, database.engine);
      await onStep(next.step, "done");
      progress = next.after;
      await writeProgress(session, progress);
      steps += 1;
    }
    return { steps };
  });
}
