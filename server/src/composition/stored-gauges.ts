/** Gauges of /metrics read from the database: pending messages and tasks, audit, backups, balances of channels. */
import { sql } from "kysely";
import { readBackupState, stateFact } from "../archive/backup-state.ts";
import { LAST_AUDIT_FACT, readLastAudit } from "../billing/audit.ts";
import type { Database } from "../db/database.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import type { WatchedGauge } from "../observe/metrics.ts";
import { endsWithin } from "../util/deadline.ts";
import type { Parts } from "./parts.ts";

/** Scrapes within this time read the same figures: the database is asked no more often, however many scrape. */
const FRESH_MS = 15_000;
/** Longer than this no scrape waits for the database; it shows what was read last. */
const WAIT_MS = 1_000;
/** More than these are not counted. */
const MOST_ROWS = 100_000;
const MICROS = 1e6;

interface StoredFigures {
  outboxWaiting: number;
  /** For a database of the log's own. */
  logRowsWaiting: number;
  openTasks: number;
  auditTime: number;
  auditFaults: number;
  backupTime: number;
  hasBackupFailed: boolean;
  balances: readonly { id: number; type: number; balance: number; currency: string }[];
}

const NOTHING: StoredFigures = {
  outboxWaiting: 0,
  logRowsWaiting: 0,
  openTasks: 0,
  auditTime: 0,
  auditFaults: 0,
  backupTime: 0,
  hasBackupFailed: false,
  balances: [],
};

const BACKUP_PLACES = ["folder", "bucket"] as const;

const countRows = sql<number>`COUNT(*)`.as("count");

/** By statements with a limit of time, which hold up no call. Both counts read an index, of no more than `MOST_ROWS`. */
async function readFigures({ questions: database }: Database, maxChannels: number): Promise<StoredFigures> {
  const { kysely } = database;
  const facts = keyValueStore(database);
  const waiting = kysely.selectFrom("outbox").select("id").where("status", "=", "waiting").limit(MOST_ROWS);
  const logRows = kysely
    .selectFrom("logs")
    .select("id")
    .limit(database.hasLogDatabase ? MOST_ROWS : 0);
  const tasks = kysely.selectFrom("tasks").select("id").where("next_poll_time", ">", 0).limit(MOST_ROWS);
  const balances = kysely
    .selectFrom("channels")
    .select(["id", "type", "balance_micros", "balance_currency"])
    .where("balance_updated_time", ">", 0)
    .orderBy("id")
    .limit(maxChannels);
  const [outbox, logs, open, audited, backed, rows] = await Promise.all([
    kysely.selectFrom(waiting.as("rows")).select(countRows).executeTakeFirst(),
    kysely.selectFrom(logRows.as("rows")).select(countRows).executeTakeFirst(),
    kysely.selectFrom(tasks.as("rows")).select(countRows).executeTakeFirst(),
    facts.read(LAST_AUDIT_FACT),
    Promise.all(BACKUP_PLACES.map((place) => facts.read(stateFact(place)))),
    balances.execute(),
  ]);
  const audit = readLastAudit(audited);
  const backups = backed.map(readBackupState);
  return {
    outboxWaiting: outbox?.count ?? 0,
    logRowsWaiting: logs?.count ?? 0,
    openTasks: open?.count ?? 0,
    auditTime: audit?.time ?? 0,
    auditFaults: audit?.faults ?? 0,
    backupTime: Math.max(...backups.map(({ finished_time: time }) => time)),
    hasBackupFailed: backups.some(({ failure }) => failure !== ""),
    balances: rows.map(({ id, type, balance_micros, balance_currency: currency }) => ({
      id,
      type,
      currency,
      balance: balance_micros / MICROS,
    })),
  };
}

/** What a reading goes by. */
interface Reading<Figures> {
  read(): Promise<Figures>;
  /** Known before the first reading has succeeded. */
  nothing: Figures;
  /** Called once when readings begin to fail, with why. */
  onFailure(error: unknown): void;
  freshMs: number;
  waitMs: number;
}

/**
 * Figures that are read when they are asked for: once for all who ask, at most every `freshMs`, and waited for no longer than `waitMs`. Where a
 * reading takes longer or fails the last ones are given.
 */
export function sharedFigures<Figures>(reading: Reading<Figures>): () => Promise<Figures> {
  let known = reading.nothing;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let current: Promise<void> | undefined;
  let isFailing = false;
  const read = async (): Promise<void> => {
    try {
      known = await reading.read();
      isFailing = false;
    } catch (error) {
      if (!isFailing) reading.onFailure(error);
      isFailing = true;
    }
    freshUntilMs = performance.now() + reading.freshMs;
    current = undefined;
  };
  return async () => {
    if (performance.now() >= freshUntilMs) current ??= read();
    if (current !== undefined) await endsWithin(current, reading.waitMs);
    return known;
  };
}

/** @param maxChannels channels whose balances are shown, those with the lowest ids */
export function storedGauges(parts: Parts, maxChannels: number): WatchedGauge[] {
  const { providers, logger, foundation } = parts;
  const figures = sharedFigures({
    read: () => readFigures(foundation.database, maxChannels),
    nothing: NOTHING,
    onFailure: (error) => logger.warn({ err: error }, "the figures of the database cannot be read for the metrics"),
    freshMs: FRESH_MS,
    waitMs: WAIT_MS,
  });
  const gauge = (name: string, help: string, figure: (known: StoredFigures) => number): WatchedGauge => ({
    name,
    help,
    // Every process reads the same rows.
    aggregator: "max",
    read: async () => [[{}, figure(await figures())]],
  });
  return [
    gauge("turnpike_outbox_waiting", "Notifications that wait to be sent", ({ outboxWaiting }) => outboxWaiting),
    gauge(
      "turnpike_log_rows_waiting",
      "Rows of the log that wait to be delivered to its own database",
      ({ logRowsWaiting }) => logRowsWaiting,
    ),
    gauge("turnpike_open_tasks", "Tasks that upstreams have not finished", ({ openTasks }) => openTasks),
    gauge("turnpike_audit_timestamp_seconds", "When the books were checked last", ({ auditTime }) => auditTime),
    gauge("turnpike_audit_faults", "Amounts that were wrong then", ({ auditFaults }) => auditFaults),
    gauge("turnpike_backup_timestamp_seconds", "When the newest backup was finished", ({ backupTime }) => backupTime),
    gauge("turnpike_backup_failed", "1 where the last backup failed", ({ hasBackupFailed }) => Number(hasBackupFailed)),
    {
      name: "turnpike_channel_balance",
      help: "The last known balance of the channel's account, in its currency",
      labelNames: ["channel", "provider", "currency"],
      aggregator: "max",
      read: async () =>
        (await figures()).balances.map(({ id, type, balance, currency }) => [
          { channel: String(id), provider: providers.byType(type)?.manifest.slug ?? "", currency },
          balance,
        ]),
    },
  ];
}
