/** A command that changes data where no server runs on the embedded database, or beside servers on a database of its own. */
import { openFoundation } from "../composition/foundation.ts";
import { clock } from "../composition/parts.ts";
import type { Config } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { pendingSteps } from "../db/migrations/migrate.ts";
import { createLogger } from "../observe/logger.ts";
import { Metrics } from "../observe/metrics.ts";
import type { CommandResult } from "./command.ts";
import { readUserAct, runUserAct } from "../console/users/operator-acts.ts";

/** Beside servers of an older version nothing is migrated by the way. Throws an Error of one line. */
async function refuseOldSchema(config: Config): Promise<void> {
  const database = await openDatabase(config);
  const pending = await pendingSteps(database).finally(() => database.close());
  if (pending.length > 0)
    throw new Error(`The database lacks ${pending.length} steps to this version: run \`turnpike migrate\` first`);
}

/**
 * Opens the database with its ledger, does one act to a user, and closes them.
 * @throws an Error of one line where the database cannot be opened or the act is refused.
 */
export async function actAlone(config: Config, request: unknown): Promise<CommandResult> {
  await refuseOldSchema(config);
  const foundation = await openFoundation({
    config,
    logger: createLogger({ level: "silent" }),
    metrics: new Metrics({}),
    onPhase: () => undefined,
    onDeath: (error) => {
      throw error;
    },
  });
  try {
    return { exitCode: 0, ...(await runUserAct({ ...foundation, clock }, readUserAct(request))) };
  } finally {
    await foundation.close();
  }
}
