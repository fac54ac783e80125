/** Small regular work on the database that belongs to no call: sessions that expired are taken away. */
import type { Database } from "../db/database.ts";
import type { Job } from "./scheduler.ts";

const HOUR_SECONDS = 3_600;

/** `clock` gives Unix milliseconds. */
export function housekeepingJobs(database: Database, clock: () => number): readonly Job[] {
  const deleteExpiredSessions = async () => {
    const now = Math.floor(clock() / 1000);
    await database.kysely.deleteFrom("sessions").where("expires_time", "<=", now).execute();
  };
  return [{ name: "expired_sessions", everySeconds: HOUR_SECONDS, run: deleteExpiredSessions }];
}
