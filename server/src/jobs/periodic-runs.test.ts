/** Tests of periodic runs: at their time, on one process, however often processes restart; and never while they are off. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { createLogger } from "../observe/logger.ts";
import { type PeriodicRun, type PeriodicRuns, periodicRuns } from "./periodic-runs.ts";
import { type Scheduler, startScheduler } from "./scheduler.ts";

const MINUTE_MS = 60_000;
const logger = createLogger({ level: "silent" });

let opened: TestDatabase;
let nowMs: number;
let minutes: number;
let started: string[];
let processes: { scheduler: Scheduler; periodic: PeriodicRuns }[];

beforeAll(async () => {
  opened = await openTestDatabase("sqlite");
});
afterAll(() => opened.close());
beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  minutes = 10;
  started = [];
  processes = [];
  for (const table of ["facts", "leases"] as const) await opened.database.kysely.deleteFrom(table).execute();
});
afterEach(() => Promise.all(processes.map((each) => end(each))));

/** A process with this one periodic run. */
function open(holder: string, start?: PeriodicRun["start"]) {
  const { database } = opened;
  const clock = () => nowMs;
  const run: PeriodicRun = {
    name: "runs",
    minutes: () => minutes,
    start:
      start ??
      (() => {
        started.push(holder);
        return Promise.resolve({ finished: Promise.resolve() });
      }),
  };
  const periodic = periodicRuns({ database, clock, logger }, [run]);
  const scheduler = startScheduler({ database, logger, holder, clock, jobs: periodic.jobs });
  const process = { scheduler, periodic, look: () => scheduler.runNow("runs") };
  processes.push(process);
  return process;
}

const end = ({ scheduler, periodic }: { scheduler: Scheduler; periodic: PeriodicRuns }) =>
  Promise.all([scheduler.stop(), periodic.stop()]);

test("one begins once it is switched on, the next after its minutes, and none while it is off", async () => {
  minutes = 0;
  const only = open("only");
  await only.look();
  expect(started).toEqual([]);
  minutes = 10;
  await only.look();
  await only.look();
  nowMs += 9 * MINUTE_MS;
  await only.look();
  expect(started).toEqual(["only"]);
  nowMs += MINUTE_MS;
  await only.look();
  expect(started).toEqual(["only", "only"]);
});

test("of two processes that look at once one begins, and the other goes on once the first has died", async () => {
  const [first, second] = [open("first"), open("second")];
  await Promise.all([first.look(), second.look()]);
  expect(started).toHaveLength(1);
  const [leader] = started;
  const other = leader === "first" ? second : first;
  nowMs += 10 * MINUTE_MS;
  await other.look();
  expect(started).toEqual([leader, leader === "first" ? "second" : "first"]);
});

test("a process that starts anew waits for the time that was set before it", async () => {
  await open("before").look();
  await end(processes[0] ?? open("none"));
  nowMs += 5 * MINUTE_MS;
  const after = open("after");
  await after.look();
  expect(started).toEqual(["before"]);
  nowMs += 5 * MINUTE_MS;
  await after.look();
  expect(started).toEqual(["before", "after"]);
});

test("while a run that somebody started is under way it waits, and begins with the first look after that", async () => {
  let isTaken = true;
  const only = open("only", () => {
    if (isTaken) return Promise.resolve(undefined);
    started.push("only");
    return Promise.resolve({ finished: Promise.resolve() });
  });
  await only.look();
  expect(started).toEqual([]);
  isTaken = false;
  await only.look();
  expect(started).toEqual(["only"]);
});

test("one that could not be started is tried again at the next look", async () => {
  let tries = 0;
  const only = open("only", () => {
    tries += 1;
    if (tries === 1) return Promise.reject(new Error("the database was away"));
    return Promise.resolve({ finished: Promise.resolve() });
  });
  await only.look();
  await only.look();
  await only.look();
  expect(tries).toBe(2);
});

test("a process that stops ends the run it has under way, and begins no other", async () => {
  const told: string[] = [];
  const ending = open("ending", (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => {
      told.push("ended");
      resolve();
    });
    return Promise.resolve({ finished: promise });
  });
  await ending.look();
  await end(ending);
  expect(told).toEqual(["ended"]);
  nowMs += 20 * MINUTE_MS;
  await ending.look();
  expect(told).toEqual(["ended"]);
});
