/**
 * Database servers of one run of the tests, with their data in memory (TMPDIR): prints their addresses as the environment variables that
 * the tests read, one line of JSON, and ends them when its input ends. tools/test.mjs starts it for whole runs.
 */
import { findProgram, type OwnEngine, startMariadb, startPostgres } from "../../tests/support/databases/own-engines.ts";

/** Nothing of a run outlives its servers, so they wait for no disk and keep no log for another server. */
const POSTGRES = {
  // As Debian makes a cluster: lower() folds all letters.
  init: ["--encoding=UTF8", "--locale=C.UTF-8"],
  serve: [
    "fsync=off",
    "autovacuum=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_wal_size=256MB",
  ].flatMap((setting) => ["-c", setting]),
};
const MARIADB = [
  "--character-set-server=utf8mb4",
  "--collation-server=utf8mb4_general_ci",
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-doublewrite=0",
  "--skip-sync-frm",
];

type Variable = "TEST_POSTGRES_URL" | "TEST_MYSQL_URL";

/** What each address is asked for by, the program without which there is none, and what starts it. */
const ENGINES: readonly { variable: Variable; program: string; start: () => Promise<OwnEngine> }[] = [
  { variable: "TEST_POSTGRES_URL", program: "initdb", start: () => startPostgres(POSTGRES) },
  { variable: "TEST_MYSQL_URL", program: "mariadb-install-db", start: () => startMariadb(MARIADB) },
];

/** None where it cannot be started, which is said: the tests then look for one where it usually is. */
async function startOne({
  variable,
  start,
}: (typeof ENGINES)[number]): Promise<{ variable: Variable; engine: OwnEngine }[]> {
  try {
    return [{ variable, engine: await start() }];
  } catch (error) {
    const [reason = ""] = String(error).split("\n");
    process.stderr.write(`no server in memory for ${variable}: ${reason}\n`);
    return [];
  }
}

// An address that is named stays, and what is not installed is looked for where it usually is.
const wanted = ENGINES.filter(
  ({ variable, program }) => process.env[variable] === undefined && findProgram(program) !== undefined,
);
const started = (await Promise.all(wanted.map(startOne))).flat();
const addresses = started.map(({ variable, engine }) => [variable, engine.url]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(addresses))}\n`);
process.stdin.resume().once("end", () => {
  void Promise.all(started.map(({ engine }) => engine.remove())).then(() => process.exit(0));
});
