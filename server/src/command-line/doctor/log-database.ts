/** The check of a database of the log's own: whether it answers, and how many rows wait in the main one to be delivered there. */
import type { Snapshot } from "../../archive/snapshot.ts";
import type { Config } from "../../config.ts";
import { connectLog } from "../../db/log-database.ts";
import { type Check, type Checker, fail, ok, warn } from "./check.ts";

/** They are delivered every second: so many are of a delivery that fails, or of a log that has just been given a database. */
const MANY_ROWS = 10_000;
/** More are not counted. */
const MOST_ROWS = 1_000_000;

const COUNT = `SELECT COUNT(*) FROM (SELECT id FROM logs LIMIT ${MOST_ROWS}) AS waiting`;

/** None where the log is in the main database. */
export async function checkLogDatabase(config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> {
  const { logDatabaseUrl: url } = config;
  if (url === undefined || !snapshot.tables.some(({ name }) => name === "logs")) return [];
  const look = async () => {
    const number = Number((await snapshot.select(COUNT, []))[0]?.[0]);
    // Said first, whether it answers or not: then it is the disk of the ledger that is in danger.
    if (number >= MOST_ROWS) return fail("log_database.fills_disk", "log_database.fills_disk", { number });
    const database = await connectLog(config, url);
    const { engine, version } = database;
    await database.close();
    const values = { engine, version, number };
    return number > MANY_ROWS
      ? warn("log_database.behind", "log_database.behind", values)
      : ok("log_database.answers", values);
  };
  return [await checked("log_database", "log_database.any", look)];
}
