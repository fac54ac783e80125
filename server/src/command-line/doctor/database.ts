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
import { type Check, type Checker, type Finding, fail, lateReason, ok, reasonOf, warn } from "./check.ts";

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
  const number = state.progress.migration;
  const { newer } = newerThan(state, MIGRATIONS);
  if (newer !== undefined)
    return warn(
      `schema ${number} is of a newer version, and this one may run on it`,
      "Finish the upgrade, or go on with this version for a while: docs/upgrading.md says what each allows.",
    );
  if (pending.length === 0) return ok(`schema ${number}, nothing pending`);
  return warn(
    `schema ${number}, ${pending.length} steps are pending`,
    "Run `turnpike migrate`, or start the server, which does it too.",
  );
}

export function judgeSkew(skewSeconds: number): Finding {
  const finding = `the database's clock differs by ${Math.abs(skewSeconds).toFixed(1)} s`;
  const repair =
    "Let both machines follow a time server (NTP): codes of second factors, sessions and leases depend on it.";
  if (Math.abs(skewSeconds) >= MOST_SKEW_SECONDS) return fail(finding, repair);
  return Math.abs(skewSeconds) >= MUCH_SKEW_SECONDS ? warn(finding, repair) : ok(finding);
}

async function checkClock(snapshot: Snapshot): Promise<Finding> {
  if (snapshot.engine === "sqlite") return ok("the embedded database has this machine's clock");
  const beforeMs = Date.now();
  const there = Number(await scalar(snapshot, CLOCK[snapshot.engine]));
  return judgeSkew(there - (beforeMs + Date.now()) / 2000);
}

async function checkKey(config: Config, snapshot: Snapshot): Promise<Finding> {
  const check = await snapshot.fact("secret_key_check");
  if (check === undefined) return ok("no server has started on this database yet");
  const secretKey = await secretKeyOf(config);
  if (secretKey === undefined)
    return fail(
      "SECRET_KEY is missing",
      "Set SECRET_KEY, or put the file secret.key of this system back into DATA_DIR.",
    );
  if (config.previousSecretKeys.some((key) => opensCheck(key, check)))
    return warn(
      "what is sealed here needs a key of SECRET_KEY_PREVIOUS",
      "Run `turnpike key rotate`, which encrypts it with SECRET_KEY.",
    );
  if (opensCheck(secretKey, check)) return ok("SECRET_KEY opens what is sealed here");
  return fail(
    "SECRET_KEY is not the key this database was encrypted with",
    "Set the key of this system; one from a backup of its environment will do.",
  );
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
  if (live === 0) return ok("no server runs on this database now");
  if (live < config.workers)
    return warn(
      `${live} of ${config.workers} processes run`,
      "Look at the server's output for why a worker ended; it is started again after a second.",
    );
  if (snapshot.engine === "sqlite") return ok("1 process runs");
  const most = Number(await scalar(snapshot, CONNECTIONS[snapshot.engine]));
  const wanted = live * config.databasePoolSize;
  if (wanted > most)
    return warn(
      `${live} processes may open ${wanted} connections, the database allows ${most}`,
      "Lower DATABASE_POOL_SIZE, or raise max_connections of the database.",
    );
  return ok(`${live} processes run, with up to ${wanted} of ${most} connections`);
}

async function checkLeader(config: Config, snapshot: Snapshot): Promise<Finding> {
  const live = await liveProcesses(config, snapshot);
  const now = Math.floor(Date.now() / 1000);
  const [row] = await snapshot.select("SELECT COUNT(*), COUNT(DISTINCT holder) FROM leases WHERE expires_time > ?", [
    now,
  ]);
  const [leases, holders] = [Number(row?.[0]), Number(row?.[1])];
  if (live === 0) return ok("no server runs, so no job has a leader");
  if (leases > 0) return ok(`${leases} jobs have a leader, in ${holders} processes`);
  return warn(
    "no scheduled job has a leader",
    'Wait a minute after a start; then look for errors with "job" in the server\'s output.',
  );
}

async function checksOf(config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> {
  const { engine } = snapshot;
  const look = async () => ok(`${engine} ${String(await scalar(snapshot, VERSION[engine]))}`);
  const reached = checked("database", "Look at the database's own log: it was reached, and then did not answer.", look);
  if (!snapshot.tables.some(({ name }) => name === "facts"))
    return [
      await reached,
      { name: "schema", ...warn("the database is empty", "Start the server, or run `turnpike migrate`.") },
    ];
  const repair = "Bring the schema up to date first: `turnpike migrate`.";
  return Promise.all([
    reached,
    checked("schema", "Start the version of the program that its message names.", () => checkSchema(snapshot)),
    checked("clock", repair, () => checkClock(snapshot)),
    checked("secret_key", repair, () => checkKey(config, snapshot)),
    checked("processes", repair, () => checkProcesses(config, snapshot)),
    checked("leader", repair, () => checkLeader(config, snapshot)),
  ]);
}

const away = (reason: string): Check => ({
  name: "database",
  ...fail(reason, "Start the database, and look at host, name and password in DATABASE_URL."),
});

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
    return [
      {
        name: "database",
        ...warn(
          `there is none at ${sqliteFile(config.dataDir)}`,
          "The first start makes it; name the right folder in DATA_DIR if there was one.",
        ),
      },
    ];
  const opening = openSnapshot(config);
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await withTimeout<Snapshot | undefined>(opening, limitMs, () => undefined);
  } catch (error) {
    return [away(reasonOf(error))];
  }
  if (snapshot === undefined) {
    opening.then((late) => late.close()).catch(() => undefined); // its finding is there already
    return [away(lateReason(limitMs))];
  }
  const opened = snapshot;
  const groups = [checksOf(config, opened, checked), more(opened)];
  return (await Promise.all(groups).finally(() => opened.close())).flat();
}
