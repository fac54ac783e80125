/** Checks of the database, read beside running servers: reachable, its schema, its clock, its key, the servers on it and their jobs. */
import { connect } from "node:net";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { schemaFactsOf } from "../../archive/head.ts";
import { type Snapshot, openSnapshot } from "../../archive/snapshot.ts";
import type { Config } from "../../config.ts";
import { sqliteFile } from "../../db/data-dir.ts";
import type { Engine } from "../../db/database.ts";
import { MIGRATIONS, stepsAfter } from "../../db/migrations/migrate.ts";
import { newerThan, usableState } from "../../db/migrations/state.ts";
import { opensCheck, secretKeyOf } from "../../db/secrets.ts";
import { withTimeout } from "../../util/deadline.ts";
import { type Check, type Checker, type Finding, fail, failedFinding, lateFinding, ok, warn } from "./check.ts";

/** One-time codes of second factors are refused from 30 s on. */
const MOST_SKEW_SECONDS = 30;
const MUCH_SKEW_SECONDS = 5;
/** Servers write a heartbeat every 5 s. */
const ALIVE_SECONDS = 30;

const VERSION: Readonly<Record<Engine, string>> = {
  sqlite: "SELECT sqlite_version()",
  postgres: "SELECT current_setting('server_version')",
  mysql: "SELECT VERSION()",
};
/** Unix seconds with a fraction. */
const CLOCK: Readonly<Record<Exclude<Engine, "sqlite">, string>> = {
  postgres: "SELECT extract(epoch FROM clock_timestamp())::float8",
  mysql: "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) AS DOUBLE)",
};
const CONNECTIONS: Readonly<Record<Exclude<Engine, "sqlite">, string>> = {
  postgres: "SELECT current_setting('max_connections')::int",
  mysql: "SELECT @@max_connections",
};

const scalar = async ({ select }: Snapshot, text: string): Promise<unknown> => (await select(text, []))[0]?.[0];

async function checkSchema(snapshot: Snapshot): Promise<Finding> {
  const facts = await schemaFactsOf(snapshot);
  const pending = stepsAfter(facts);
  const state = usableState(facts, MIGRATIONS);
  const schema = String(state.progress.migration);
  const { newer } = newerThan(state, MIGRATIONS);
  if (newer !== undefined) return warn("schema.newer", "schema.newer", { schema });
  if (pending.length === 0) return ok("schema.current", { schema });
  return warn("schema.pending", "schema.pending", { schema, number: pending.length });
}

export function judgeSkew(skewSeconds: number): Finding {
  const values = { skew: Math.abs(skewSeconds).toFixed(1) };
  if (Math.abs(skewSeconds) >= MOST_SKEW_SECONDS) return fail("clock.differs", "clock.any", values);
  return Math.abs(skewSeconds) >= MUCH_SKEW_SECONDS
    ? warn("clock.differs", "clock.any", values)
    : ok("clock.differs", values);
}

async function checkClock(snapshot: Snapshot): Promise<Finding> {
  if (snapshot.engine === "sqlite") return ok("clock.embedded");
  const beforeMs = Date.now();
  const there = Number(await scalar(snapshot, CLOCK[snapshot.engine]));
  return judgeSkew(there - (beforeMs + Date.now()) / 2000);
}

async function checkKey(config: Config, snapshot: Snapshot): Promise<Finding> {
  const check = await snapshot.fact("secret_key_check");
  if (check === undefined) return ok("secret_key.unused");
  const secretKey = await secretKeyOf(config);
  if (secretKey === undefined) return fail("secret_key.missing", "secret_key.missing");
  if (config.previousSecretKeys.some((key) => opensCheck(key, check)))
    return warn("secret_key.previous", "secret_key.previous");
  return opensCheck(secretKey, check) ? ok("secret_key.opens") : fail("secret_key.other", "secret_key.other");
}

/** True where a server listens on the control socket of DATA_DIR. */
const isServing = (dataDir: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(join(dataDir, "control.sock"));
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

async function liveProcesses({ dataDir }: Config, snapshot: Snapshot): Promise<number> {
  if (snapshot.engine === "sqlite") return (await isServing(dataDir)) ? 1 : 0;
  const now = Number(await scalar(snapshot, CLOCK[snapshot.engine]));
  const [row] = await snapshot.select("SELECT COUNT(*) FROM processes WHERE seen_time > ?", [
    Math.floor(now) - ALIVE_SECONDS,
  ]);
  return Number(row?.[0]);
}

async function checkProcesses(config: Config, snapshot: Snapshot): Promise<Finding> {
  const live = await liveProcesses(config, snapshot);
  if (live === 0) return ok("processes.none");
  if (live < config.workers) return warn("processes.few", "processes.few", { live, wanted: config.workers });
  if (snapshot.engine === "sqlite") return ok("processes.one");
  const most = Number(await scalar(snapshot, CONNECTIONS[snapshot.engine]));
  const wanted = live * config.databasePoolSize;
  if (wanted > most) return warn("processes.many_connections", "processes.many_connections", { live, wanted, most });
  return ok("processes.run", { live, wanted, most });
}

async function checkLeader(config: Config, snapshot: Snapshot): Promise<Finding> {
  const live = await liveProcesses(config, snapshot);
  const now = Math.floor(Date.now() / 1000);
  const [row] = await snapshot.select("SELECT COUNT(*), COUNT(DISTINCT holder) FROM leases WHERE expires_time > ?", [
    now,
  ]);
  const [leases, holders] = [Number(row?.[0]), Number(row?.[1])];
  if (live === 0) return ok("leader.no_server");
  return leases > 0 ? ok("leader.lead", { leases, holders }) : warn("leader.none", "leader.any");
}

async function checksOf(config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> {
  const { engine } = snapshot;
  const look = async () => ok("database.version", { engine, version: String(await scalar(snapshot, VERSION[engine])) });
  const reached = checked("database", "database.any", look);
  if (!snapshot.tables.some(({ name }) => name === "facts"))
    return [await reached, { name: "schema", ...warn("schema.empty", "schema.empty") }];
  const repair = "schema.first";
  return Promise.all([
    reached,
    checked("schema", "schema.any", () => checkSchema(snapshot)),
    checked("clock", repair, () => checkClock(snapshot)),
    checked("secret_key", repair, () => checkKey(config, snapshot)),
    checked("processes", repair, () => checkProcesses(config, snapshot)),
    checked("leader", repair, () => checkLeader(config, snapshot)),
  ]);
}

const AWAY = "database.away";

interface Limited {
  checked: Checker;
  /** Time for the first connection. */
  limitMs: number;
}

/** The checks that ask the database; `more` is handed the snapshot for what else is read of it. Neither is called where it is away. */
export async function checkDatabase(
  config: Config,
  { checked, limitMs }: Limited,
  more: (snapshot: Snapshot) => Promise<Check[]>,
): Promise<Check[]> {
  if (config.databaseUrl === undefined && !existsSync(sqliteFile(config.dataDir)))
    return [{ name: "database", ...warn("database.none", "database.none", { file: sqliteFile(config.dataDir) }) }];
  const opening = openSnapshot(config);
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await withTimeout<Snapshot | undefined>(opening, limitMs, () => undefined);
  } catch (error) {
    return [{ name: "database", ...failedFinding(error, AWAY) }];
  }
  if (snapshot === undefined) {
    opening.then((late) => late.close()).catch(() => undefined); // its finding is there already
    return [{ name: "database", ...lateFinding(limitMs, AWAY) }];
  }
  const opened = snapshot;
  const groups = [checksOf(config, opened, checked), more(opened)];
  return (await Promise.all(groups).finally(() => opened.close())).flat();
}
