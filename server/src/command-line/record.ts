/** The row of a command in the administrators' log and the audit trail: written by the running server where the embedded database is its, else here. */
import { z } from "zod";
import type { LogEvent } from "../../../contract/src/logs/events.ts";
import { readLogEvent } from "../../../contract/src/logs/read-event.ts";
import type { Config } from "../config.ts";
import { recordOperatorAct } from "../console/users/operator-acts.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { pendingSteps } from "../db/migrations/migrate.ts";
import type { CommandResult } from "./command.ts";
import { askServer } from "./control-socket.ts";

/** As it is sent to a running server. */
export const recordSchema = z.object({ act: z.literal("record"), event: z.unknown() });

/** Writes both rows in one transaction. @param event refused where it is none of this program. Throws an Error of one line. */
export async function recordEvent({ kysely }: Database, event: unknown): Promise<CommandResult> {
  const read = readLogEvent(event);
  if (read === undefined) throw new Error("This event is not known to the server: is it of another version?");
  const now = Math.floor(Date.now() / 1000);
  await kysely.transaction().execute((transaction) => recordOperatorAct(transaction, read, now));
  return { exitCode: 0, lines: [], data: {} };
}

/**
 * Records an act that was done. Beside a server the act stands whether its row can be written or not, so a failure is a warning.
 * @param warn takes one line
 */
export async function recordCommand(config: Config, event: LogEvent, warn: (line: string) => void): Promise<void> {
  try {
    const request = { act: "record", event };
    const answer = config.databaseUrl === undefined ? await askServer(config.dataDir, request) : undefined;
    if (answer !== undefined && answer.exitCode !== 0) throw new Error(answer.lines.join(" "));
    if (answer !== undefined) return;
    const database = await openDatabase(config);
    try {
      if ((await pendingSteps(database)).length > 0) throw new Error("the database has not this version's schema");
      await recordEvent(database, event);
    } finally {
      await database.close();
    }
  } catch (error) {
    warn(`No row in the administrators' log was written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
