/** Tests of export and clearing: every row of the list and no other, nothing of channels for users, back-pressure; deletion one at a time, stoppable, with the ledger untouched. */
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClearProgress } from "../../../../contract/src/features/logs.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { SESSION_COOKIE } from "../http/authenticate.ts";
import { startClear } from "./clear.ts";

const NOW = 1_800_000_000;
const ROWS = 1203;

describe.each(await engines())("export and clearing on %s", { timeout: 40_000 }, (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let user: Caller;

  const addRows = async (count: number, userId: number, createdAt: (index: number) => number, tokenName = "t") => {
    const row = (index: number) => ({
      ...BLANK_LOG,
      request_id: `r-${userId}-${createdAt(index)}-${index}`,
      created_at: createdAt(index),
      type: 2,
      user_id: userId,
      username: "somebody",
      token_name: tokenName,
      channel_id: 7,
      model_name: "gpt-a",
      group_name: "default",
      quota: 1,
      other: JSON.stringify({ model_ratio: 1, admin_info: { use_channel: [7], tried: [{ id: 7, name: "Hidden" }] } }),
    });
    for (let start = 0; start < count; start += 500) {
      const rows = Array.from({ length: Math.min(500, count - start) }, (_, index) => row(start + index));
      await site.context.database.kysely.insertInto("logs").values(rows).execute();
    }
  };

  const headersOf = (who: Caller) => ({
    Cookie: `${SESSION_COOKIE}=${who.cookie}`,
    "New-Api-User": String(who.userId),
  });
  const download = (who: Caller, path: string) => fetch(site.url + path, { headers: headersOf(who) });

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    user = await site.person(1);
    // Three rows of every second, so that chunks end inside one.
    await addRows(ROWS, user.userId, (index) => NOW - 1000 + Math.floor(index / 3), "=HYPERLINK(1)");
    await addRows(5, admin.userId, () => NOW - 10);
  });
  afterAll(() => site.close());

  it("streams every row once, newest first, under a header and a byte order mark", async () => {
    const answer = await download(admin, "/api/log/export");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="usage-log-.*\.csv"$/);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(Array.from(bytes.subarray(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
    const [head = "", ...lines] = new TextDecoder().decode(bytes).trimEnd().split("\r\n");
    expect(head.startsWith("id,time,created_at,")).toBe(true);
    expect(lines).toHaveLength(ROWS + 5);
    expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(ROWS + 5);
    const times = lines.map((line) => Number(line.split(",")[2]));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it("gives users their own rows alone, without channels, with formulas made harmless", async () => {
    const text = await (await download(user, `/api/log/self/export?start_timestamp=${NOW - 1000}`)).text();
    expect(text.trimEnd().split("\r\n")).toHaveLength(ROWS + 1);
    expect(text).toContain("'=HYPERLINK(1)");
    expect(text).not.toMatch(/[,"]=HYPERLINK/);
    expect(text).not.toMatch(/Hidden|channel|admin_info/);
  });

  it("keeps the filters, and refuses by an envelope", async () => {
    const filtered = await (await download(admin, `/api/log/export?start_timestamp=${NOW - 11}&channel=7`)).text();
    expect(filtered.trimEnd().split("\r\n")).toHaveLength(6);
    const none = await (await download(admin, "/api/log/export?username=nobody")).text();
    expect(none.trimEnd().split("\r\n")).toHaveLength(1);
    const refused = await download(user, "/api/log/export");
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ success: false })]);
  });

  /** Asks `before` ahead of each statement on the log, while `work` runs. */
  const beforeStatements = async (
    before: (statement: string) => Promise<void> | void,
    work: () => Promise<void>,
  ): Promise<void> => {
    const executor = site.context.database.kysely.getExecutor();
    const original = executor.executeQuery.bind(executor);
    executor.executeQuery = async (query) => {
      if (query.sql.includes("logs")) await before(query.sql);
      return original(query);
    };
    await work().finally(() => (executor.executeQuery = original));
  };
  /** How often the log is read while `work` runs. The snapshot looks for changes all the time; only reads of the log count. */
  const whileCounting = async (work: (reads: () => number) => Promise<void>): Promise<void> => {
    let reads = 0;
    await beforeStatements(
      () => void (reads += 1),
      () => work(() => reads),
    );
  };
  const standsStill = async (reads: () => number): Promise<void> => {
    let seen = -1;
    const hasStopped = () => {
      const stands = seen === reads();
      seen = reads();
      return stands;
    };
    // A page may take a second where other tests have the machine, and what fits into the socket is up to half of them.
    await expect.poll(hasStopped, { interval: 1500, timeout: 45_000 }).toBe(true);
  };
  const openExport = () =>
    new Promise<IncomingMessage>((resolve) => {
      request(`${site.url}/api/log/export`, { headers: headersOf(admin) }, resolve).end();
    });

  it("goes no further than the caller reads", async () => {
    await addRows(30_000, admin.userId, () => NOW - 5000, "x".repeat(100));
    await whileCounting(async (reads) => {
      const answer = await openExport();
      answer.pause();
      await expect.poll(reads).toBeGreaterThan(1);
      await standsStill(reads);
      // Two statements a page, of sixty pages.
      expect(reads()).toBeLessThan(100);
      answer.destroy();
    });
  });

  it("ends when a caller who reads as fast as it comes leaves in the middle", async () => {
    await whileCounting(async (reads) => {
      const answer = await openExport();
      await new Promise((resolve) => answer.once("data", resolve));
      answer.destroy();
      await standsStill(reads);
      // The whole log is more than 60 chunks.
      expect(reads()).toBeLessThan(50);
    });
  });

  const settled = () =>
    expect
      .poll(() => admin.data<ClearProgress>("GET", "/api/log/clear/progress"), { timeout: 30_000 })
      .toMatchObject({ running: false });

  it("clears in the background, one at a time, and counts", async () => {
    const before = NOW - 8000;
    await addRows(4000, admin.userId, () => NOW - 9000);
    expect(await admin.data("GET", `/api/log/clear/count?target_timestamp=${before}`)).toEqual({
      total: 4000,
      is_exact: true,
    });
    // Nothing is deleted before the second one was asked for.
    const isAsked = Promise.withResolvers<void>();
    const keepBack = (statement: string) => (/^delete /i.test(statement) ? isAsked.promise : undefined);
    await beforeStatements(keepBack, async () => {
      const begun = await admin.data<ClearProgress>("POST", "/api/log/clear", { target_timestamp: before });
      expect(begun).toMatchObject({ running: true, total: 4000, done: 0, started_by: admin.username });
      const second = await admin.call("POST", "/api/log/clear", { target_timestamp: before });
      expect(second.body).toMatchObject({ success: false, code: "log_clear_running" });
    }).finally(isAsked.resolve);
    await settled();
    const ended = await admin.data<ClearProgress>("GET", "/api/log/clear/progress");
    expect(ended).toMatchObject({ done: 4000, stopped: false, failed: false });
    const left = await site.context.database.kysely.selectFrom("logs").select("type").execute();
    expect(left.filter(({ type }) => type === 2)).toHaveLength(ROWS + 5 + 30_000);
    expect(left.filter(({ type }) => type === 3)).toHaveLength(1);
  });

  it("stops where it is told to, and begins anew after that", async () => {
    await addRows(3000, admin.userId, () => NOW - 9000);
    const { finished } = await startClear(site.context, NOW - 8000, "root");
    await admin.data("POST", "/api/log/clear/stop");
    await finished;
    const ended = await admin.data<ClearProgress>("GET", "/api/log/clear/progress");
    expect(ended.running).toBe(false);
    const again = await startClear(site.context, NOW - 8000, "root");
    await again.finished;
    expect(await admin.data("GET", `/api/log/clear/count?target_timestamp=${NOW - 8000}`)).toEqual({
      total: 0,
      is_exact: true,
    });
  });

  it("takes a time to come, or one in milliseconds, for now: rows still being written have no end", async () => {
    const { progress, finished } = await startClear(site.context, NOW * 1000, "root");
    await admin.data("POST", "/api/log/clear/stop");
    await finished;
    expect(progress.target_timestamp).toBe(NOW);
    const older = async (target: number) => admin.data("GET", `/api/log/clear/count?target_timestamp=${target}`);
    const known = await older(NOW);
    await addRows(3, user.userId, () => NOW + 5);
    expect(await older(NOW * 1000)).toEqual(known);
  });

  it("is for administrators, and wants a time", async () => {
    const missing = await admin.call("POST", "/api/log/clear", {});
    expect(missing.body).toMatchObject({ success: false, message: "Please choose log record time" });
    expect((await user.call("POST", "/api/log/clear", { target_timestamp: 1 })).status).toBe(403);
    expect((await user.call("POST", "/api/log/clear/stop")).status).toBe(403);
  });
});
