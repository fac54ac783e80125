/** Makes dead processes look as if they had been gone for the half minute after which the others sweep up behind them. */
import mysql from "mysql2/promise";
import pg from "pg";
import { IS_LONG } from "./short-or-long.ts";
import type { Site } from "../systems/site.ts";

/** Lets the last sign of life of all processes but one lie long ago; the full form waits for that instead. */
export async function letDeadProcessesAge({ place }: Site, livingPid: number): Promise<void> {
  const url = place.config.databaseUrl;
  if (url === undefined || IS_LONG) return;
  const statement = `UPDATE processes SET seen_time = 0 WHERE id NOT LIKE '%-${livingPid}-%'`;
  if (url.startsWith("mysql")) {
    const connection = await mysql.createConnection(url);
    await connection.query(statement).finally(() => connection.end());
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
