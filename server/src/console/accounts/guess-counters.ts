/** Where wrong guesses are counted: in Redis while it is shared, else in the table `guesses`, so that all processes know of them. */
import type { Cache } from "../../cache/cache.ts";
import { affectedRows, insertOrIgnore } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";

export interface GuessBucket {
  /** At most 128 characters. */
  key: string;
  /** Failures that wait for nothing. */
  free: number;
}

interface Count {
  failures: number;
  /** Milliseconds until the next guess may come; 0 now. */
  waitMs: number;
}

interface GuessCounters {
  /** How each of these buckets stands, in their order. */
  read(buckets: readonly GuessBucket[]): Promise<Count[]>;
  fail(bucket: GuessBucket): Promise<void>;
  clear(bucket: GuessBucket): Promise<void>;
}

export type CountingContext = Pick<ConsoleContext, "database" | "cache" | "clock">;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const FORGET_AFTER_SECONDS = 15 * 60;

/** The wait after so many failures. */
const waitAfter = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - free), LONGEST_WAIT_MS);

export const guessCounters = (context: CountingContext): GuessCounters =>
  context.cache.isShared ? cacheCounters(context.cache) : tableCounters(context);

/** Forgotten a quarter of an hour after the first failure. The wait is a counter of its own that ends when it does. */
function cacheCounters(cache: Cache): GuessCounters {
  const failuresOf = (key: string, amount: number) =>
    cache.increment(`guesses:${key}`, FORGET_AFTER_SECONDS, Number.MAX_SAFE_INTEGER, amount);
  const waitOf = (key: string, seconds: number, amount: number) =>
    cache.increment(`guess_wait:${key}`, seconds, 1, amount);
  const readOne = async ({ key }: GuessBucket): Promise<Count> => {
    const [{ count: failures }, wait] = await Promise.all([failuresOf(key, 0), waitOf(key, 1, 0)]);
    return { failures, waitMs: wait.count > 0 ? Math.max(0, wait.resetMs) : 0 };
  };
  return {
    read: (buckets) => Promise.all(buckets.map(readOne)),
    async fail({ key, free }) {
      const { count } = await failuresOf(key, 1);
      const waitMs = waitAfter(count, free);
      if (waitMs > 0) await waitOf(key, Math.ceil(waitMs / 1000), 1);
    },
    async clear({ key }) {
      const { count } = await failuresOf(key, 0);
      if (count > 0) await failuresOf(key, -count);
    },
  };
}

/** Forgotten a quarter of an hour after the last failure. */
function tableCounters({ database, clock }: CountingContext): GuessCounters {
  const { kysely } = database;
  const forgotten = () => clock() - FORGET_AFTER_SECONDS * 1000;
  /** False where the bucket has no row yet. */
  const raise = async (bucket: string): Promise<boolean> => {
    const changed = await kysely
      .updateTable("guesses")
      .set((row) => ({
        failures: row
          .case()
          .when("last_time_ms", "<", forgotten())
          .then(1)
          .else(row("failures", "+", 1))
          .end(),
        last_time_ms: clock(),
      }))
      .where("bucket", "=", bucket)
      .executeTakeFirstOrThrow();
    return affectedRows(changed) === 1;
  };
  return {
    async read(buckets) {
      const keys = buckets.map(({ key }) => key);
      const rows = await kysely
        .selectFrom("guesses")
        .selectAll()
        .where("bucket", "in", keys)
        .where("last_time_ms", ">=", forgotten())
        .execute();
      const known = new Map(rows.map((row) => [row.bucket, row]));
      return buckets.map(({ key, free }) => {
        const { failures, last_time_ms } = known.get(key) ?? { failures: 0, last_time_ms: 0 };
        return { failures, waitMs: Math.max(0, last_time_ms + waitAfter(failures, free) - clock()) };
      });
    },
    async fail({ key }) {
      if (await raise(key)) return;
      const row = { bucket: key, failures: 1, last_time_ms: clock() };
      if (!(await insertOrIgnore(database, kysely, "guesses", row))) await raise(key);
    },
    async clear({ key }) {
      await kysely.deleteFrom("guesses").where("bucket", "=", key).execute();
    },
  };
}
