/** Follows the version rows: asks every half second, loads what rose, and keeps on through a database that is away. */
import type { Logger } from "pino";
import type { Cache } from "../cache/cache.ts";
import type { Database } from "../db/database.ts";
import type { VersionName } from "../db/versions.ts";

export interface FollowerOptions {
  database: Database;
  logger: Logger;
  cache?: Cache;
  pollMs?: number;
  /** What to do when a version rose; gets the version that was known before, -1 where everything has to be read. */
  load: Partial<Record<VersionName, (since: number) => Promise<void>>>;
}

export interface Follower {
  refresh(): Promise<void>;
  readonly isHealthy: boolean;
  close(): Promise<void>;
}

const POLL_MS = 500;
const UNHEALTHY_AFTER_MS = 5_000;
const NEWS = "versions";
/** Below every version: rows that were never written through a version row have 0. */
const EVERYTHING = -1;

/** Reads the versions first and the rows after them, so that a change in between is read twice rather than never. */
function versionReader({ database, load }: FollowerOptions): () => Promise<boolean> {
  const known = new Map<string, number>();
  return async () => {
    const rows = await database.kysely.selectFrom("versions").select(["name", "version"]).execute();
    const risen = rows.filter(({ name, version }) => version !== (known.get(name) ?? 0));
    for (const { name, version } of risen) {
      // A version that fell is a database restored from a copy: everything is read again.
      const before = known.get(name) ?? 0;
      await load[name as VersionName]?.(version < before || before === 0 ? EVERYTHING : before);
      known.set(name, version);
    }
    return risen.length > 0;
  };
}

/** Runs one at a time; whoever asks while one is running shares the next, which starts after they asked. */
function serialised(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const running = work().finally(() => {
      if (current === running) current = undefined;
    });
    current = running;
    return running;
  };
  return () => {
    if (current === undefined) return start();
    next ??= current.then(start, start);
    return next;
  };
}

/** Loads everything once (throws where that fails) and follows until closed. */
export async function createFollower(options: FollowerOptions): Promise<Follower> {
  const { logger, cache, pollMs = POLL_MS } = options;
  const read = versionReader(options);
  let answeredAt = Date.now();
  let isFailing = false;
  const update = serialised(async () => {
    await read();
    answeredAt = Date.now();
  });
  await update();

  const poll = async (): Promise<void> => {
    try {
      await update();
      if (isFailing) logger.info({ reason: "database" }, "the snapshot follows again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.error({ err: error }, "the snapshot cannot read the database; what it has stays in force");
      isFailing = true;
    }
  };
  let isClosed = false;
  let timer: NodeJS.Timeout;
  let polling: Promise<void> = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      polling = poll().finally(() => {
        if (!isClosed) schedule();
      });
    }, pollMs);
    timer.unref();
  };
  schedule();
  // Each process hears its own news too; its refresh has then found everything already.
  const unsubscribe = cache?.subscribe(NEWS, () => void poll());
  return {
    get isHealthy() {
      return Date.now() - answeredAt < UNHEALTHY_AFTER_MS;
    },
    refresh: async () => {
      await update();
      await cache?.publish(NEWS, "changed");
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      unsubscribe?.();
      await polling;
    },
  };
}
