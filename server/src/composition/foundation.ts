/** Opens the parts that all others depend on, in order: database, secret keys, cache, prices, snapshot, ledger. */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Billing } from "../billing/billing.ts";
import { openBilling } from "../billing/open-billing.ts";
import { SQLITE_WRITER_MODULES } from "../billing/engines/sqlite.ts";
import type { Cache } from "../cache/cache.ts";
import { createMemoryCache } from "../cache/memory.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import { buildLeftIndexes, tablesWithoutIndexes } from "../db/deferred-indexes.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { migrate, refusePending } from "../db/migrations/migrate.ts";
import type { Migration } from "../db/migrations/steps.ts";
import type { Secrets } from "../db/secrets.ts";
import { openSecrets, refuseSecretKey } from "../db/secrets.ts";
import { sealStoredProxies } from "../db/proxy-login.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createPeers } from "../stores/process-count.ts";
import type { Peers } from "../stores/process-count.ts";
import { createPrices } from "../prices/lookup.ts";
import { storeShippedList } from "../prices/stored-lists.ts";
import { restrictDataDir } from "../db/data-dir.ts";
import { PROGRAM } from "./program.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { endsWithin } from "../util/deadline.ts";

export interface Foundation {
  database: Database;
  secrets: Secrets;
  cache: Cache;
  snapshot: Snapshot;
  billing: Billing;
  /** Unique among all processes that ever ran on this database. */
  processId: string;
  /** How many processes serve this database. */
  peers: Peers;
  /** Closes everything that was opened, the ledger first. */
  close(): Promise<void>;
}

/** Called with the time of each startup phase. */
export type PhaseReport = (phase: string, durationMs: number) => void;

export interface FoundationOptions {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  onPhase: PhaseReport;
  /** Called when nothing can be committed any more. */
  onDeath: (error: Error) => void;
  /** Polling interval of the snapshot in milliseconds; its own default if absent. */
  pollMs?: number;
  /** All migrations of this program if absent; tests of upgrades pass those of another version. */
  migrations?: readonly Migration[] | undefined;
}

/** A name of this process that no other has, on any machine. */
export const newProcessId = (): string => `${hostname().slice(0, 32)}-${process.pid}-${randomBytes(6).toString("hex")}`;

/** Runs one phase and reports its time. */
export async function timed<Result>(onPhase: PhaseReport, phase: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  onPhase(phase, performance.now() - started);
  return result;
}

/** The installation's key prefix in a shared Redis, from an id that the database has since its first startup. */
async function redisPrefix({ redisPrefix: configured }: Config, database: Database): Promise<string> {
  if (configured !== undefined) return configured;
  const { prefixOf } = await import("../cache/redis.ts");
  return prefixOf(await keyValueStore(database).writeOnce("installation_id", randomBytes(8).toString("hex")));
}

async function openCache(
  { config, logger }: FoundationOptions,
  { count: processCount }: Peers,
  database: Database,
): Promise<Cache> {
  if (config.redisUrl === undefined) return createMemoryCache({ processCount });
  // Loaded only if it is used: its driver takes 3 MB.
  const { createRedisCache } = await import("../cache/redis.ts");
  const onChange = (isAnswering: boolean) =>
    isAnswering ? logger.info("Redis answers") : logger.warn("Redis does not answer; this process counts for itself");
  const prefix = await redisPrefix(config, database);
  return createRedisCache({ url: config.redisUrl, prefix, onChange, processCount });
}

/** The journal of settlements is stored there too, with any database. */
async function makeDataDir({ dataDir }: Config): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await restrictDataDir(dataDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`DATA_DIR ${dataDir} must be a folder that this account can write: ${reason}`, { cause: error });
  }
}

/** What an import left when it was ended. A job builds it beside the calls (left-indexes.ts) but on the embedded database, whose calls would wait for it. */
async function buildIndexesLeft({ config, logger }: FoundationOptions, database: Database): Promise<void> {
  if (!config.migratesAtStart) {
    if ((await tablesWithoutIndexes(database)).length > 0)
      logger.warn("an import that was ended left indexes to be built, and MIGRATE is off: run `turnpike migrate`");
  } else if (database.engine === "sqlite") await buildLeftIndexes(database, (line) => logger.info(line));
}

async function openMigrated(asked: FoundationOptions): Promise<Database> {
  const { config, logger, migrations, onPhase, onDeath } = asked;
  const onConnectionLost = (error: Error) => logger.warn({ err: error }, "a database connection was lost");
  // Before anything is written into a database that this process will not serve.
  refuseSecretKey(config);
  await makeDataDir(config);
  const options = { writerModules: SQLITE_WRITER_MODULES, onConnectionLost, onDeath };
  const database = await timed(onPhase, "database", () => openDatabase(config, options));
  try {
    const { newer } = await timed(onPhase, "migrations", () =>
      config.migratesAtStart ? migrate(database, { migrations }) : refusePending(database, migrations),
    );
    if (newer !== undefined)
      logger.warn(newer, "a newer version wrote the schema of this database; this program may run on it");
    await timed(onPhase, "indexes", () => buildIndexesLeft(asked, database));
    if (config.logDatabaseUrl === undefined) return database;
    const { withLogDatabase } = await import("../db/log-database.ts");
    return await timed(onPhase, "log database", () => withLogDatabase(config, database, { onConnectionLost, logger }));
  } catch (error) {
    await database.close();
    throw error;
  }
}

const END_TIMEOUT_MS = 500;

/** Read-only work may be left to the end of the process if it waits for something frozen. */
const endingSoon = (part: { close(): Promise<void> }) => ({
  close: async () => void (await endsWithin(part.close(), END_TIMEOUT_MS)),
});

/** Opens all parts; closes the opened ones again if a later one throws (an Error of one line for the operator). */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const database = await openMigrated(options);
  const opened: { close(): Promise<void> }[] = [database];
  const close = async () => {
    while (opened.length > 0) await opened.pop()?.close();
  };
  try {
    return { database, ...(await openParts(options, database, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(options: FoundationOptions, database: Database, opened: { close(): Promise<void> }[]) {
  const { config, logger, metrics, onPhase, pollMs } = options;
  const secrets = await timed(onPhase, "keys", () => openSecrets(config, keyValueStore(database)));
  const sealed = await timed(onPhase, "proxies", () => sealStoredProxies(database, secrets));
  if (sealed > 0)
    logger.info({ channels: sealed }, "logins of channels' proxies, stored in clear before, are sealed now");
  const peers = createPeers(config.workers);
  opened.push(endingSoon(peers));
  const cache = await openCache(options, peers, database);
  opened.push(endingSoon(cache));
  await timed(onPhase, "price list", () => storeShippedList(database));
  const snapshot = await timed(onPhase, "snapshot", () =>
    openSnapshot({
      database,
      secrets,
      logger,
      cache,
      pricesOf: createPrices(PROGRAM.priceDataSet, logger),
      ...(pollMs === undefined ? {} : { pollMs }),
    }),
  );
  opened.push(endingSoon(snapshot));
  const processId = newProcessId();
  const onOvershoot = (quota: number) => metrics.overshot(quota);
  const onRefused = () => metrics.settlementRefused();
  const log = logger;
  const { dataDir, answerWaitMs } = config;
  const billing = await timed(onPhase, "ledger", () =>
    openBilling({ database, log, dataDir, answerWaitMs, processId, onOvershoot, onRefused }),
  );
  opened.push(billing);
  peers.follow(database);
  return { secrets, cache, snapshot, billing, processId, peers };
}
