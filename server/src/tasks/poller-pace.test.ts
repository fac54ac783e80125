/** Tests of the poller's pace: how long many open tasks wait for a poll, with a fake clock and slow upstreams. */
import type { Kysely, KyselyPlugin } from "kysely";
import { expect, test } from "vitest";
import { addOpenVideos } from "../../../tests/support/databases/tasks.ts";
import { withDatabase } from "../../../tests/support/databases/databases.ts";
import { IS_LONG } from "../../../tests/support/soak/short-or-long.ts";
import type { Schema } from "../db/schema.ts";
import type { TaskContext } from "./context.ts";
import { notificationQueue } from "./events.ts";
import { type AskChannel, taskPoller } from "./poller.ts";

/** The promise: so many open tasks of one channel, each with a question of its own, are asked for in so much time. */
const PROMISED = { tasks: 100_000, seconds: 900 };
const LATENCY_MS = 200;
const COUNT = IS_LONG ? PROMISED.tasks : 2_000;
const START_MS = 1_790_000_000_000;
/** Rounds of the loop without a poll before the clock advances. */
const QUIET_TURNS = 5;

/** The same database, and how much it is doing. */
function watched(kysely: Kysely<Schema>): { kysely: Kysely<Schema>; busy: () => number } {
  let busy = 0;
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => ((busy += 1), node),
    transformResult: ({ result }) => ((busy -= 1), Promise.resolve(result)),
  };
  const counted = kysely.withPlugin(count);
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<Kysely<Schema>["transaction"]>["execute"]>[0]) => {
      busy += 1;
      return kysely
        .transaction()
        .execute(work)
        .finally(() => (busy -= 1));
    },
  });
  const proxy = new Proxy(counted, {
    get: (target, name) => {
      if (name === "transaction") return transaction;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return { kysely: proxy, busy: () => busy };
}

test(
  `${COUNT} videos in one channel, whose upstream takes ${LATENCY_MS} ms to answer, are each asked for within their share of 15 minutes`,
  { timeout: IS_LONG ? 900_000 : 60_000 },
  () =>
    withDatabase("sqlite", async (database) => {
      await addOpenVideos(database, { channelId: 1, count: COUNT, nowSeconds: START_MS / 1000 });
      const { kysely, busy } = watched(database.kysely);
      let nowMs = START_MS;
      const context = {
        database: { ...database, kysely },
        snapshot: { channelById: (id: number) => ({ id }) },
        logger: { warn: () => undefined, error: () => undefined },
        clock: () => nowMs,
        notifications: notificationQueue(),
      } as unknown as TaskContext; // What these tasks need: nothing is paid for, and no owner is written to.

      const open: { endMs: number; answer: () => void }[] = [];
      const asked = new Set<string>();
      let [questions, lastMs] = [0, 0];
      const ask: AskChannel = (_channel, { path }) => {
        const id = path.slice("/v1/videos/".length);
        questions += 1;
        if (!asked.has(id)) lastMs = nowMs;
        asked.add(id);
        const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<AskChannel>>>();
        const answer = () => resolve({ status: 200, body: { id, status: "queued" } });
        open.push({ endMs: nowMs + LATENCY_MS, answer });
        return promise;
      };
      /** Everything waits for the upstream. */
      const quiet = async (): Promise<void> => {
        for (let turns = 0, before = questions; turns < QUIET_TURNS; before = questions) {
          await new Promise(setImmediate);
          turns = busy() === 0 && questions === before ? turns + 1 : 0;
        }
      };

      const stopping = new AbortController();
      const round = taskPoller(context, ask).round(stopping.signal);
      while (asked.size < COUNT) {
        await quiet();
        nowMs = open[0]?.endMs ?? nowMs;
        while (open[0]?.endMs === nowMs) open.shift()?.answer();
      }
      stopping.abort();
      for (const { answer } of open) answer();
      await round;
      const seconds = (lastMs - START_MS) / 1000;
      expect(seconds).toBeLessThanOrEqual((PROMISED.seconds * COUNT) / PROMISED.tasks);
    }),
);
