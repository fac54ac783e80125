/** Rounds of the poller: no upstream holds up another, many tasks are polled concurrently, and a task is given up only after polls in vain. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { addOpenVideos } from "../../../tests/support/databases/tasks.ts";
import { type TestDatabase, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { TaskContext } from "./context.ts";
import { notificationQueue } from "./events.ts";
import { type AskChannel, taskPoller } from "./poller.ts";
import { boundedQueue } from "./concurrency.ts";

const DEAD = 1;
const ALIVE = 2;
const HOUR = 3_600;
let place: TestDatabase;
let nowSeconds = 0;
let context: TaskContext;

beforeEach(async () => {
  place = await openTestDatabase("sqlite");
  nowSeconds = 1_790_000_000;
  context = {
    database: place.database,
    snapshot: { channelById: (id: number) => ({ id }) },
    logger: { warn: () => undefined, error: () => undefined },
    clock: () => nowSeconds * 1000,
    notifications: notificationQueue(),
  } as unknown as TaskContext; // What these tasks need: nothing is paid for, and no owner is written to.
});
afterEach(() => place.close());

const addVideos = (channelId: number, count: number): Promise<void> =>
  addOpenVideos(place.database, { channelId, count, nowSeconds });

const idOf = (path: string): string => path.slice("/v1/videos/".length);
const queued = (path: string) => ({ status: 200, body: { id: idOf(path), status: "queued" } });
const rows = () => place.database.kysely.selectFrom("tasks").selectAll().orderBy("id").execute();

test("while a dead upstream is waited for, the others are asked, also for what becomes due meanwhile", async () => {
  await addVideos(DEAD, 600);
  await addVideos(ALIVE, 40);
  const silence = Promise.withResolvers<never>();
  const asked = { dead: 0, alive: 0 };
  let isLater = false;
  const whenAllArePostponed = async (): Promise<void> => {
    while (
      (await rows()).some(({ channel_id, next_poll_time }) => channel_id === ALIVE && next_poll_time <= nowSeconds)
    )
      await new Promise(setImmediate);
    nowSeconds += 16;
    isLater = true;
  };
  const ask: AskChannel = (channel, { path }) => {
    if (channel.id === DEAD) {
      asked.dead += 1;
      return silence.promise;
    }
    asked.alive += 1;
    if (asked.alive === 40) void whenAllArePostponed();
    // Each has been asked once more: the silence of the dead one may end.
    if (asked.alive === 80) silence.reject(new Error("no answer"));
    return Promise.resolve(queued(path));
  };
  await taskPoller(context, ask).round();
  expect(isLater).toBe(true);
  // Three questions for each page of its rows.
  expect(asked).toEqual({ alive: 80, dead: 6 });
});

test("a dead upstream is asked three times in a round, and all of its tasks wait longer", async () => {
  await addVideos(DEAD, 30);
  let asked = 0;
  await taskPoller(context, () => {
    asked += 1;
    return Promise.reject(new Error("no answer"));
  }).round();
  expect(asked).toBe(3);
  expect(
    (await rows()).every(({ silent_polls, next_poll_time }) => silent_polls === 1 && next_poll_time > nowSeconds),
  ).toBe(true);
});

test.each([
  { tasks: 100, sideBySide: 16 },
  { tasks: 2_000, sideBySide: 63 },
])(
  "$tasks tasks of one upstream are asked for in one round, $sideBySide side by side",
  async ({ tasks, sideBySide }) => {
    await addVideos(ALIVE, tasks);
    const asked = new Set<string>();
    let [open, most] = [0, 0];
    await taskPoller(context, async (_channel, { path }) => {
      asked.add(path);
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      return queued(path);
    }).round();
    expect(asked.size).toBe(tasks);
    expect(most).toBe(sideBySide);
  },
);

test("a task is given up only after its upstream was polled in vain for all of its time, not for time without polls", async () => {
  await addVideos(DEAD, 1);
  const poller = taskPoller(context, () => Promise.reject(new Error("no answer")));
  const statusAfter = async (seconds: number) => {
    nowSeconds += seconds;
    await poller.round();
    return (await rows())[0]?.status;
  };
  // Two days without a process, then one failed question.
  expect(await statusAfter(48 * HOUR)).toBe("QUEUED");
  for (let asked = 0; asked < 10; asked += 1) expect(await statusAfter(600)).toBe("QUEUED");
  let last: string | undefined;
  for (let asked = 0; asked < 5 && last !== "FAILURE"; asked += 1) last = await statusAfter(600);
  expect(last).toBe("FAILURE");
});

test("an upstream that says how a task is was not asked in vain, however long it says the same; a day of that is the end", async () => {
  await addVideos(ALIVE, 1);
  let isSilent = false;
  const poller = taskPoller(context, (_channel, { path }) =>
    isSilent ? Promise.reject(new Error("no answer")) : Promise.resolve(queued(path)),
  );
  const statusAfter = async (seconds: number) => {
    nowSeconds += seconds;
    await poller.round();
    return (await rows())[0]?.status;
  };
  const began = nowSeconds;
  while (nowSeconds - began < 23 * HOUR) expect(await statusAfter(600)).toBe("QUEUED");
  // Neither is the silence that follows on answers counted together with them, nor the time in which no process ran.
  isSilent = true;
  for (let asked = 0; asked < 8; asked += 1) expect(await statusAfter(600)).toBe("QUEUED");
  isSilent = false;
  nowSeconds = began + 23 * HOUR;
  await place.database.kysely
    .updateTable("tasks")
    .set({ asked_seconds: 23 * HOUR, updated_at: began })
    .execute();
  expect(await statusAfter(48 * HOUR)).toBe("QUEUED");
  let last: string | undefined;
  for (let asked = 0; asked < 8 && last !== "FAILURE"; asked += 1) last = await statusAfter(600);
  expect((await rows())[0]).toMatchObject({ status: "FAILURE", fail_code: "timed_out" });
});

test("a process that stops writes nothing about the questions that it cut off", async () => {
  await addVideos(DEAD, 5);
  const stopping = new AbortController();
  await taskPoller(context, () => {
    stopping.abort();
    return Promise.reject(new Error("cut off"));
  }).job.run(stopping.signal);
  expect((await rows()).map(({ silent_polls }) => silent_polls)).toEqual([0, 0, 0, 0, 0]);
});

test("a bounded queue runs some side by side, keeps some waiting and refuses the rest", async () => {
  const queue = boundedQueue(2, 3);
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
  const done: number[] = [];
  const added = gates.map((gate, index) => queue.add(() => gate.promise.then(() => void done.push(index))));
  expect(added).toEqual([true, true, true, true, true, false]);
  for (const { resolve } of gates) resolve();
  await expect.poll(() => done.toSorted()).toEqual([0, 1, 2, 3, 4]);
  expect(queue.add(() => Promise.resolve())).toBe(true);
});
