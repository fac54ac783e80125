/** A command that changes data where no server runs on the embedded database, or beside servers on a database of its own. */
import { type Foundation, openFoundation } from "../composition/foundation.ts";
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
 * Opens the database with its ledger for `work`, and closes them.
 * @throws an Error of one line where the database cannot be opened, and what `work` throws.
 */
export async function withFoundation<Result>(
  config: Config,
  work: (foundation: Foundation, metrics: Metrics) => Promise<Result>,
): Promise<Result> {
  await refuseOldSchema(config);
  const metrics = new Metrics({});
  const foundation = await openFoundation({
    config,
    logger: createLogger({ level: "silent" }),
    metrics,
    onPhase: () => undefined,
    onDeath: (error) => {
      throw error;
    },
  });
  try {
    return await work(foundation, metrics);
  } finally {
    await foundation.close();
  }
}

/**
 * Does one act to a user.
 * @throws an Error of one line where the database cannot be opened or the act is refused.
 */
export const actAlone = (config: Config, request: unknown): Promise<CommandResult> =>
  withFoundation(config, async (foundation) => ({
    exitCode: 0,
    ...(await runUserAct({ ...foundation, clock }, readUserAct(request))),
  }));
