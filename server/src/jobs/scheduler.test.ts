/** Scheduled jobs: one leader at a time, failures do not stop the next run, leases are given back. */
import { createLogger } from "../observe/logger.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TestServer } from "../../../tests/support/systems/server.ts";
import { startTestServer } from "../../../tests/support/systems/server.ts";
import { housekeepingJobs } from "./housekeeping.ts";
import { readLease, takeLease } from "../db/leases.ts";
import { toSeconds } from "../util/clock.ts";
import type { Job, Scheduler } from "./scheduler.ts";
import { startScheduler } from "./scheduler.ts";

let server: TestServer;
let nowMs = 1_000_000_000_000;
const schedulers: Scheduler[] = [];

beforeEach(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.stop()));
  await server.stop();
});

function start(holder: string, jobs: readonly Job[]): Scheduler {
  const { database } = server.app.foundation;
  const logger = createLogger({ level: "silent" });
  const scheduler = startScheduler({ database, logger, holder, jobs, clock: () => nowMs });
  schedulers.push(scheduler);
  return scheduler;
}

describe("a job", () => {
  test("runs on one of two processes, and on the other once the lease has run out", async () => {
    const ran: string[] = [];
    const job = (who: string): Job => ({ name: "count", everySeconds: 60, run: async () => void ran.push(who) });
    const first = start("first", [job("first")]);
    const second = start("second", [job("second")]);
    await first.runNow("count");
    await second.runNow("count");
    await first.runNow("count");
    expect(ran).toEqual(["first", "first"]);
    nowMs += 121_000;
    await second.runNow("count");
    expect(ran).toEqual(["first", "first", "second"]);
  });

  test("that runs for longer than its lease keeps it", async () => {
    const end = Promise.withResolvers<void>();
    const long: Job = { name: "long", everySeconds: 0.05, run: () => end.promise };
    const first = start("first", [long]);
    const running = first.runNow("long");
    const { database } = server.app.foundation;
    await vi.waitFor(async () => expect((await readLease(database, "long")).holder).toBe("first"));
    nowMs += 60_000;
    const now = toSeconds(nowMs);
    await vi.waitFor(async () => expect((await readLease(database, "long")).expiresTime).toBeGreaterThanOrEqual(now));
    end.resolve();
    expect(await running).toBe(true);
  });

  test("that a stopping process led is taken over at once", async () => {
    const job: Job = { name: "hand-over", everySeconds: 60, run: () => Promise.resolve() };
    const first = start("first", [job]);
    const second = start("second", [job]);
    expect(await first.runNow("hand-over")).toBe(true);
    expect(await second.runNow("hand-over")).toBe(false);
    await first.stop();
    expect(await second.runNow("hand-over")).toBe(true);
  });

  test("that fails is tried again at its next time", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 1) throw new Error("the first time");
    };
    const scheduler = start("only", [{ name: "flaky", everySeconds: 60, run }]);
    expect(await scheduler.runNow("flaky")).toBe(false);
    expect(await scheduler.runNow("flaky")).toBe(true);
  });

  test("of ten processes asking at once one gets the lease", async () => {
    const { database } = server.app.foundation;
    const holders = Array.from({ length: 10 }, (_, index) => `process ${index}`);
    const ask = (holder: string) => takeLease(database, { name: "rush", holder, seconds: 10, now: 100 });
    const got = await Promise.all(holders.map(ask));
    expect(got.filter(Boolean)).toHaveLength(1);
  });
});

test("expired sessions are taken away and living ones stay", async () => {
  const { kysely } = server.app.foundation.database;
  const session = {
    user_id: 1,
    created_time: 0,
    seen_time: 0,
    confirmed_time: 0,
    ip: "",
    way: "password",
    user_agent: "",
  };
  const now = toSeconds(nowMs);
  await kysely
    .insertInto("sessions")
    .values([
      { ...session, id: "old", seen_time: now, expires_time: now - 1 },
      { ...session, id: "idle", seen_time: now - 7 * 86_400, expires_time: now + 100 },
      { ...session, id: "new", seen_time: now - 7 * 86_400 + 1, expires_time: now + 100 },
    ])
    .execute();
  const scheduler = start(
    "only",
    housekeepingJobs(
      server.app.foundation.database,
      () => nowMs,
      () => 7,
    ),
  );
  await scheduler.runNow("expired_sessions");
  expect(await kysely.selectFrom("sessions").select("id").execute()).toEqual([{ id: "new" }]);
});
