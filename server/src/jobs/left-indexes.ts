/** Builds the indexes that an interrupted import left out, while a server on PostgreSQL or MySQL serves calls; the embedded database does it at startup. */
import { once } from "node:events";
import type { Database } from "../db/database.ts";
import { buildLeftIndexes, tablesWithoutIndexes } from "../db/deferred-indexes.ts";
import type { Job } from "./scheduler.ts";

/** It asks for one row; lists that lack an index are slow meanwhile, and right. */
const EVERY_SECONDS = 60;

/** Is given a line for each index. */
interface Logger {
  info(message: string): void;
}

/** The job. While an import runs, which builds them itself, it does nothing; what the end of this process cuts off is begun again by the next run. */
export const leftIndexesJob = (database: Database, logger: Logger): Job => ({
  name: "left_indexes",
  everySeconds: EVERY_SECONDS,
  hasWork: async () => (await tablesWithoutIndexes(database)).length > 0,
  async run(signal) {
    const building = buildLeftIndexes(database, (line) => logger.info(line));
    // One may take minutes: a process that stops does not wait for it.
    await (signal === undefined ? building : Promise.race([building, once(signal, "abort")]));
  },
});
