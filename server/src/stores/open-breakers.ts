/** Publishes this process's open circuit breakers in the database, for the console of every process; no call waits for it. */
import type { Database } from "../db/database.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";

export interface OpenBreaker {
  channelId: number;
  /** 0 for the whole channel's breaker. */
  keyId: number;
  reason: "resting" | "resting_as_asked";
  /** Unix milliseconds. */
  untilMs: number;
}

interface PublishOptions {
  database: Database;
  logger: { warn(fields: object, text: string): void };
  /** Unix milliseconds. */
  clock: Clock;
  /** Name of this process. */
  process: string;
  open(): readonly OpenBreaker[];
  everyMs?: number;
}

const EVERY_MS = 2_000;
/** Rows of one statement. */
const ROWS_AT_ONCE = 100;
/** Maximum for a channel with very many keys: the console shows that some are in cooldown, not each. */
const MOST_ROWS = 1_000;

/** Replaces the stored rows of a process. */
async function replaceRows({ database, clock, process }: PublishOptions, open: readonly OpenBreaker[]): Promise<void> {
  const updated_time = nowSeconds(clock);
  const rows = open.map(({ channelId, keyId, reason, untilMs }) => ({
    process,
    channel_id: channelId,
    key_id: keyId,
    reason,
    open_until_ms: untilMs,
    updated_time,
  }));
  await database.kysely.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("open_breakers").where("process", "=", process).execute();
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      await transaction
        .insertInto("open_breakers")
        .values(rows.slice(from, from + ROWS_AT_ONCE))
        .execute();
  });
}

/** Publishes changes from now on; a failed write is retried with the next change or check. */
export function publishOpenBreakers(options: PublishOptions): { stop(): Promise<void> } {
  let published = "[]";
  let publishing: Promise<void> | undefined;
  const publish = async (open: readonly OpenBreaker[]): Promise<void> => {
    const wanted = JSON.stringify(open);
    if (wanted === published) return;
    try {
      await replaceRows(options, open);
      published = wanted;
    } catch (error) {
      options.logger.warn({ err: error }, "open circuit breakers could not be told to other processes");
    }
  };
  // A database that does not respond gets one pending query, not a new one every few seconds.
  const look = (): void =>
    void (publishing ??= publish(options.open().slice(0, MOST_ROWS)).finally(() => (publishing = undefined)));
  const timer = setInterval(look, options.everyMs ?? EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await publishing;
      await publish([]);
    },
  };
}

/** Deletes rows of dead processes, whose breakers expired long ago. */
export const expiredBreakersJob = (database: Database, clock: Clock) => ({
  name: "gone_breakers",
  everySeconds: 3_600,
  run: async () => {
    await database.kysely
      .deleteFrom("open_breakers")
      .where("open_until_ms", "<", clock() - 3_600_000)
      .execute();
  },
});
