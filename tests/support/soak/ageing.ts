/** Ages rows that tests would have to wait for: the last heartbeat of dead processes, and the next poll of tasks. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import mysql from "mysql2/promise";
import pg from "pg";
import type { TestPlace } from "../databases/databases.ts";
import type { Site } from "../systems/site.ts";
import { IS_LONG } from "./short-or-long.ts";

/** Changes rows beside running servers. */
async function change({ config }: TestPlace, statement: string): Promise<void> {
  const url = config.databaseUrl;
  if (url === undefined) {
    const database = new DatabaseSync(join(config.dataDir, "turnpike.db"), { timeout: 5_000 });
    database.exec(statement);
    return database.close();
  }
  if (url.startsWith("mysql")) {
    const connection = await mysql.createConnection(url);
    await connection.query(statement).finally(() => connection.end());
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/**
 * Lets the last sign of life of all processes but one lie longer ago than the half minute after which the others sweep up behind them; the
 * full form waits for that instead.
 */
export async function letDeadProcessesAge({ engine, place }: Site, livingPid: number): Promise<void> {
  if (engine === "sqlite" || IS_LONG) return;
  await change(place, `UPDATE processes SET seen_time = 0 WHERE id NOT LIKE '%-${livingPid}-%'`);
}

/** Longer than a charge is waited for, and less than a task may take. */
const WAITED_SECONDS = 7_200;

/** Lets each open task be looked at now, and the hand-over of those without a charge lie two hours back. */
export const letTasksAge = ({ place }: Site): Promise<void> =>
  change(
    place,
    `UPDATE tasks SET next_poll_time = 1, created_at = created_at -
      CASE WHEN charge = 'pending' AND updated_at - created_at < ${WAITED_SECONDS} THEN ${WAITED_SECONDS} ELSE 0 END
      WHERE next_poll_time > 1`,
  );

/** Expires the lease of the polling process, so that another process begins while it still works. */
export const letTaskLeaseEnd = ({ place }: Site): Promise<void> =>
  change(place, "UPDATE leases SET expires_time = 1 WHERE name = 'tasks'");
