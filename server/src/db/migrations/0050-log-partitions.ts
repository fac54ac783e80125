/** Migration 50: on PostgreSQL the log becomes a table partitioned by time; earlier rows stay where they are until a job moves them. */
import { onEmptyLog, partitionLog, PREPARE_LOG } from "../log-partition-ddl.ts";
import type { Migration, Step } from "./steps.ts";
import type { LockedSession } from "../session.ts";

/** Another transaction may use the table for this long, in all, before the migration is given up. */
const ATTEMPTS = 60;
/** PostgreSQL appendix A: lock_not_available. */
const LOCK_NOT_AVAILABLE = "55P03";

/** Runs a statement that needs the table for itself, which waits two seconds each time, so that calls never wait longer behind it. */
async function runWhenFree(session: LockedSession, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await session.run(statement);
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE;
      if (!isBusy || attempt === ATTEMPTS) throw error;
    }
  }
}

const KIND = "SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass('logs')";

/** A step of a table that is not partitioned yet: it is done once it is. */
const onWholeTable = (name: string, statement: string, isReading = false): Step => ({
  name,
  table: "logs",
  ...(isReading ? { work: { kind: "read", table: "logs", engines: ["postgres"] } } : {}),
  async run(session, engine) {
    if (engine !== "postgres") return;
    const [table] = await session.all(KIND);
    if (table?.["kind"] === "r") await runWhenFree(session, statement);
  },
});

export const logPartitions: Migration = {
  id: 50,
  name: "log-partitions",
  steps: [
    onWholeTable("mark the rows of the log", PREPARE_LOG.mark),
    onWholeTable("check the mark", PREPARE_LOG.check),
    onWholeTable("confirm the mark", PREPARE_LOG.confirm, true),
    onWholeTable("partition the log", partitionLog),
    {
      name: "begin the partitions of an empty log",
      table: "logs",
      async run(session, engine) {
        if (engine === "postgres") await runWhenFree(session, onEmptyLog);
      },
    },
  ],
};
