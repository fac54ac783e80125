/** Migrates a database to this program's schema, step by step under a lock, resuming where a killed process stopped. */
import { type RawBuilder, sql } from "kysely";
import type { Database, Engine } from "../database.ts";
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
import { processVitals } from "./0043-process-vitals.ts";
import { chatShares } from "./0044-chat-shares.ts";
import { sitePictures } from "./0045-site-pictures.ts";
import { storedResponses } from "./0046-stored-responses.ts";
import { hashedKeys } from "./0047-hashed-keys.ts";
import { importNumbers } from "./0048-import-numbers.ts";
import { setupLinks } from "./0049-setup-links.ts";
import { logPartitions } from "./0050-log-partitions.ts";
import { backgroundResponses } from "./0051-background-responses.ts";
import { priceNotices } from "./0039-price-notices.ts";
import { prefillGroups } from "./0041-prefill-groups.ts";
import { managedThings } from "./0042-managed-things.ts";
import { long, tableDdl, text } from "./columns.ts";
import type { TableDefinition } from "./columns.ts";
import {
  SCHEMA_FACTS,
  type NewerSchema,
  type SchemaFacts,
  type SchemaState,
  factsOf,
  insertMissing,
  isComplete,
  lockedFacts,
  newerThan,
  usableState,
  writeState,
} from "./state.ts";
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
  storedResponses,
  hashedKeys,
  importNumbers,
  setupLinks,
  logPartitions,
  backgroundResponses,
];

/** The one table that exists before any migration: the state of the schema is in it. */
const FACTS: TableDefinition = { name: "facts", columns: { name: text(128), value: long() }, primaryKey: ["name"] };

/** One row where that table is there. */
const FIND_FACTS: Readonly<Record<Engine, RawBuilder<unknown>>> = {
  sqlite: sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'facts'`,
  postgres: sql`SELECT 1 WHERE to_regclass('facts') IS NOT NULL`,
  mysql: sql`SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'facts'`,
};

/** The facts of the schema as they are stored; none in an empty database. */
export async function storedFacts({ kysely, engine }: Pick<Database, "kysely" | "engine">): Promise<SchemaFacts> {
  const { rows } = await FIND_FACTS[engine].execute(kysely);
  if (rows.length === 0) return {};
  const facts = await kysely.selectFrom("facts").selectAll().where("name", "in", SCHEMA_FACTS).execute();
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
}

/** A step that is not done yet, with the migration that it belongs to. */
export interface PendingStep {
  migration: Migration;
  step: Step;
}

/** As "0031 model watches: create table ...". */
export const titleOf = ({ migration: { id, name }, step }: PendingStep): string =>
  `${String(id).padStart(4, "0")} ${name}: ${step.name}`;

/**
 * The steps that `migrate` would run, in order; it changes nothing. None where a newer version wrote a schema that this program may use.
 * Throws an Error of one line if this program may not use it.
 */
export async function pendingSteps(
  database: Pick<Database, "kysely" | "engine">,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<PendingStep[]> {
  return stepsAfter(await storedFacts(database), migrations);
}

/** The same for a database whose facts of the schema were read already; they are empty where it has none. */
export function stepsAfter(facts: SchemaFacts, migrations: readonly Migration[] = MIGRATIONS): PendingStep[] {
  const { progress } = usableState(facts, migrations);
  return migrations
    .filter(({ id }) => id >= progress.migration)
    .flatMap((migration) => {
      const left = migration.id === progress.migration ? migration.steps.slice(progress.steps) : migration.steps;
      return left.map((step) => ({ migration, step }));
    });
}

/** The schema is not there yet, and another program is to make it. */
export class SchemaPending extends Error {}

/** For MIGRATE=off: throws SchemaPending while steps are left, and an Error of one line if this program may not use the database. */
export async function refusePending(database: Database, migrations?: readonly Migration[]): Promise<MigrateResult> {
  const pending = await pendingSteps(database, migrations);
  if (pending.length > 0)
    throw new SchemaPending(
      `it lacks ${pending.length} steps to this version, and MIGRATE is off: run \`turnpike migrate\``,
    );
  return {
    steps: 0,
    ...newerThan(usableState(await storedFacts(database), migrations ?? MIGRATIONS), migrations ?? MIGRATIONS),
  };
}

export interface MigrateOptions {
  /** All migrations of this program; tests pass others. */
  migrations?: readonly Migration[] | undefined;
  /** Called around every step: after "done" its work is in the database but not recorded yet. Tests kill the process here. */
  onStep?: (step: Step, moment: "begin" | "done") => void | Promise<void>;
}

export interface MigrateResult {
  /** Steps that were run by this call. */
  steps: number;
  /** Present where a newer version of the program wrote the schema: its number, and the least that a program has to know for it. */
  newer?: NewerSchema;
}

/** Creates the table of facts, and the facts of the schema that are missing in it. */
async function openState(
  session: LockedSession,
  engine: Engine,
  migrations: readonly Migration[],
): Promise<SchemaState> {
  await session.run(tableDdl(engine, FACTS));
  const facts = await lockedFacts(session);
  const state = usableState(facts, migrations);
  await insertMissing(session, facts, state);
  return state;
}

/** The next step with the state that the database has while it runs, and the one after it. */
function nextStep(state: SchemaState, migrations: readonly Migration[]) {
  const [next] = stepsAfter(factsOf(state), migrations);
  if (next === undefined) return undefined;
  const { migration, step } = next;
  const minimum = Math.max(state.minimum, migration.minimumSchema ?? 0);
  const isBegun = migration.id === state.progress.migration;
  const progress = { migration: migration.id, steps: isBegun ? state.progress.steps + 1 : 1 };
  const whole = { migration: migration.id, steps: migration.steps.length };
  return { step, during: { ...state, minimum }, after: { progress, whole, minimum } };
}

async function runSteps(
  session: LockedSession,
  engine: Engine,
  { migrations = MIGRATIONS, onStep = () => undefined }: MigrateOptions,
): Promise<MigrateResult> {
  let state = await openState(session, engine, migrations);
  let steps = 0;
  for (let next = nextStep(state, migrations); next !== undefined; next = nextStep(state, migrations)) {
    // Before anything is taken away: an older program that starts now, or after a kill, is refused already.
    if (next.during.minimum > state.minimum) await writeState(session, next.during);
    await onStep(next.step, "begin");
    await next.step.run(session, engine);
    await onStep(next.step, "done");
    state = next.after;
    await writeState(session, state);
    steps += 1;
  }
  return { steps, ...newerThan(state, migrations) };
}

/**
 * Runs every step that is not recorded yet. Of several processes one migrates and the others wait for it. Where nothing is to be done the
 * lock is not asked for, so that a process can start while a newer version adds to the schema.
 * Throws an Error of one line if a newer version took away what this program needs; after any other error the finished steps are recorded.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrateResult> {
  const { migrations = MIGRATIONS } = options;
  const facts = await storedFacts(database);
  if (isComplete(facts) && stepsAfter(facts, migrations).length === 0)
    return { steps: 0, ...newerThan(usableState(facts, migrations), migrations) };
  return database.withMigrationLock((session) => runSteps(session, database.engine, options));
}
