/** Tests of channel tests: timed before the answer, never charged or counted, one run at a time, and the switches are honoured. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestProgress } from "../../../../contract/src/channels/channel-tests.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import type { AdminLog } from "../../../../contract/src/features/logs.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { targetOf, watchedDatabase } from "../../../../tests/support/databases/statements.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { reasonToDisable, startPeriodicTest, startTestOfAll } from "./test-run.ts";

const passed: ChannelTestResult = {
  isSuccess: true,
  message: "",
  durationMs: 120,
  model: "gpt-a",
  promptTokens: 3,
  completionTokens: 4,
};
const refusedKey = { kind: "auth", status: 401, message: "bad key", type: "", code: "invalid_api_key" };
const failed: ChannelTestResult = {
  ...passed,
  isSuccess: false,
  message: "status code: 401",
  reason: { code: "upstream_status", values: { status: 401, message: "bad key" } },
  failure: refusedKey,
};

describe.each(await engines())("channel tests on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let answer: (channel: SnapshotChannel, model: string) => Promise<ChannelTestResult>;

  beforeAll(async () => {
    site = await openTestConsole(engine, { testChannel: (channel, model) => answer(channel, model) });
    admin = await site.person(100);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    const { kysely } = site.foundation.database;
    for (const table of ["abilities", "channels", "logs"] as const) await kysely.deleteFrom(table).execute();
    answer = () => Promise.resolve(passed);
  });

  const make = async (name: string) => {
    const [id = 0] = await admin.data<number[]>("POST", "/api/channel/", {
      type: 1,
      name,
      key: `sk-${name}-aaaaaaaaaaaaaaa`,
      models: "gpt-a",
    });
    return id;
  };
  const read = (id: number) => admin.data<ChannelRow>("GET", `/api/channel/${id}`);
  const listed = async (query: string) =>
    (await admin.data<{ items: ChannelRow[] }>("GET", `/api/channel/?${query}`)).items;
  const progress = () => admin.data<TestProgress>("GET", "/api/channel/test/progress");
  const set = (key: string, value: string) => admin.data("PUT", "/api/option/", { key, value });
  const runAll = async () => {
    const { finished } = await startTestOfAll(site.context, { userId: 0, username: "" });
    await finished;
    return progress();
  };

  it("answers success and seconds, and has stored the time by then", async () => {
    const id = await make("a");
    const models: string[] = [];
    answer = async (_channel, model) => {
      models.push(model);
      return passed;
    };
    const { body } = await admin.call("GET", `/api/channel/test/${id}?model=gpt-b`);
    expect(body).toEqual({ success: true, message: "", time: 0.12 });
    expect(await read(id)).toMatchObject({ response_time: 120 });
    expect((await read(id)).test_time).toBeGreaterThan(0);
    await admin.call("POST", `/api/channel/test/${id}`);
    expect(models).toEqual(["gpt-b", ""]);
  });

  it("answers a failure with message, reason and time; the channel keeps the reason, and its last good time", async () => {
    const id = await make("a");
    expect(await read(id)).toMatchObject({ test_result: 0, test_failure: null, test_time: 0 });
    await admin.call("POST", `/api/channel/test/${id}`);
    expect(await read(id)).toMatchObject({ response_time: 120, test_result: 1, test_failure: null });
    answer = () => Promise.resolve({ ...failed, durationMs: 640 });
    const { status, body } = await admin.call("POST", `/api/channel/test/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, message: "status code: 401", time: 0.64, failure: failed.reason });
    const after = await read(id);
    expect(after).toMatchObject({ response_time: 120, status: 1, test_result: 2, test_failure: failed.reason });
    expect(after.test_time).toBeGreaterThan(0);
    answer = () => Promise.resolve(passed);
    await admin.call("POST", `/api/channel/test/${id}`);
    expect(await read(id)).toMatchObject({ test_result: 1, test_failure: null });
  });

  it("logs a single test under the id of its request, and nothing where no test was made", async () => {
    const id = await make("a");
    answer = () => Promise.resolve(failed);
    const { headers } = await admin.call("POST", `/api/channel/test/${id}`);
    const requestId = headers.get("x-oneapi-request-id") ?? "";
    expect(requestId).not.toBe("");
    const entries = async (asked: string) =>
      (await admin.data<{ items: AdminLog[] }>("GET", `/api/log/?request_id=${asked}`)).items;
    expect(await entries(requestId)).toMatchObject([{ type: 4, channel: id, request_id: requestId }]);
    const refused = await admin.call("POST", `/api/channel/test/${id + 1000}`);
    expect(await entries(refused.headers.get("x-oneapi-request-id") ?? "")).toEqual([]);
  });

  it("keeps a reason of any length and any characters", async () => {
    const id = await make("a");
    const message = '\u0001\u{1F9EA}é"'.repeat(1_000);
    answer = () =>
      Promise.resolve({ ...failed, reason: { code: "upstream_status", values: { status: 500, message } } });
    await admin.call("POST", `/api/channel/test/${id}`);
    const values = (await read(id)).test_failure?.values;
    expect(values?.["status"]).toBe(500);
    expect(message.startsWith(String(values?.["message"]))).toBe(true);
    expect(String(values?.["message"]).length).toBeGreaterThan(100);
  });

  it("finds and orders channels by what their last test said", async () => {
    const speeds: Readonly<Record<string, number>> = { a: 900, b: 50, c: 400 };
    for (const name of ["a", "b", "c"]) await make(name);
    answer = ({ name }) => Promise.resolve({ ...(name === "c" ? failed : passed), durationMs: speeds[name] ?? 1 });
    await runAll();
    await make("d");
    const names = async (query: string) => (await listed(`page_size=100&${query}`)).map(({ name }) => name);
    expect(await names("test_result=2")).toEqual(["c"]);
    expect(await names("test_result=1&sort=name")).toEqual(["a", "b"]);
    expect(await names("test_result=0")).toEqual(["d"]);
    expect(await names("sort=-response_time")).toEqual(["c", "a", "b", "d"]);
    expect(await names("sort=response_time")).toEqual(["b", "a", "c", "d"]);
    expect(await names("sort=id")).toEqual(["a", "b", "c", "d"]);
    expect(await names("sort=key_cipher&id_sort=true")).toEqual(["d", "c", "b", "a"]);
    expect(await names("keyword=b")).toEqual(["b"]);
  });

  it("names the first channels that failed", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) await make(name);
    answer = ({ name }) => Promise.resolve(name === "b" ? passed : failed);
    const { failures, ...counts } = await runAll();
    expect(counts).toMatchObject({ done: 7, failed: 6, stopped: false });
    expect(failures).toHaveLength(5);
    expect(failures.map(({ name }) => name)).not.toContain("b");
  });

  it("stops within a second, also one that another process runs, gives up what is under way and says who stopped it", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await make(name);
    const given: string[] = [];
    const endless = (channel: SnapshotChannel, _model: string, signal?: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => {
          given.push(channel.name);
          reject(new Error("aborted"));
        });
      });
    // Its own relay and nothing in common with the console that stops it but the database.
    const elsewhere = { ...site.context, relay: { ...site.context.relay, testChannel: endless } };
    const { finished } = await startTestOfAll(elsewhere, { userId: 0, username: "" });
    expect(await progress()).toMatchObject({ running: true, done: 0, total: 5, stopped: false });
    const startedMs = performance.now();
    expect(await admin.data("POST", "/api/channel/test/stop")).toMatchObject({
      running: false,
      stopped: true,
      done: 0,
    });
    await finished;
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    expect(given).toHaveLength(3);
    expect(await progress()).toMatchObject({ running: false, stopped: true, done: 0, failed: 0, total: 5 });
    expect((await listed("")).every(({ test_time }) => test_time === 0)).toBe(true);
    const { kysely } = site.foundation.database;
    const rows = await kysely.selectFrom("logs").select("other").where("type", "=", 3).execute();
    expect(rows.map(({ other }) => (JSON.parse(other) as { event: object }).event)).toContainEqual({
      code: "channel_tests_stopped",
      values: { done: 0, total: 5 },
    });
    // The next run is not held up, nor called stopped.
    expect(await runAll()).toMatchObject({ done: 5, stopped: false, running: false });
  });

  it("has nothing to stop while no run is under way, and says so without a line in the log", async () => {
    await make("a");
    await runAll();
    const { kysely } = site.foundation.database;
    await kysely.deleteFrom("logs").execute();
    expect(await admin.data("POST", "/api/channel/test/stop")).toMatchObject({
      running: false,
      stopped: false,
      done: 1,
    });
    expect(await kysely.selectFrom("logs").selectAll().execute()).toEqual([]);
  });

  it("charges nobody and shows in no total", async () => {
    const id = await make("a");
    await admin.call("POST", `/api/channel/test/${id}`);
    const { kysely } = site.foundation.database;
    expect(await kysely.selectFrom("ledger").selectAll().execute()).toEqual([]);
    expect(await kysely.selectFrom("usage_hours").selectAll().execute()).toEqual([]);
    const [row] = await kysely.selectFrom("logs").selectAll().where("channel_id", "=", id).execute();
    expect(row).toMatchObject({ type: 4, quota: 0, model_name: "gpt-a", use_time_ms: 120 });
    expect(JSON.parse(row?.other ?? "")).toMatchObject({ is_test: true });
    expect(await admin.data("GET", "/api/log/stat")).toMatchObject({ quota: 0, rpm: 0, tpm: 0, errors: 0 });
  });

  it("keeps a fault of our own out of the answer", async () => {
    const id = await make("a");
    answer = () => Promise.reject(new Error("connect to db-7.internal failed"));
    const { text, body } = await admin.call("POST", `/api/channel/test/${id}`);
    expect(body.success).toBe(false);
    expect(text).not.toContain("db-7");
  });

  it("tests all in the background, once at a time, with progress", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await make(name);
    const gate = Promise.withResolvers<void>();
    answer = async (channel) => {
      await gate.promise;
      return channel.name === "c" ? failed : passed;
    };
    await admin.data("POST", "/api/channel/test");
    expect(await progress()).toMatchObject({ running: true, done: 0, total: 5 });
    const second = await admin.call("GET", "/api/channel/test");
    expect(second.body).toMatchObject({ success: false, code: "channel_test_running" });
    gate.resolve();
    for (let tries = 0; (await progress()).running && tries < 200; tries++) await sleep(20);
    expect(await progress()).toMatchObject({ running: false, done: 5, total: 5, failed: 1 });
    await runAll(); // The flag is not stuck.
  });

  it("is one entry of the log for each run, and one for each channel that failed", async () => {
    const ids = new Map<string, number>();
    for (const name of ["a", "b", "c"]) ids.set(name, await make(name));
    answer = (channel) => Promise.resolve(channel.name === "b" ? failed : passed);
    await runAll();
    const { items } = await admin.data<{ items: AdminLog[] }>("GET", "/api/log/?type=4");
    expect(items.map(({ content }) => content).toSorted()).toEqual([
      `Test of channel "b" (#${ids.get("b")}) failed: status code: 401`,
      "Tested 3 channels: 2 passed, 1 failed",
    ]);
    const run = items.find(({ content }) => content.startsWith("Tested"));
    const { event, admin_info } = JSON.parse(run?.other ?? "") as { event: unknown; admin_info: { tests: object[] } };
    expect(event).toEqual({ code: "channels_tested", values: { count: 3, passed: 2, failed: 1 } });
    expect(admin_info.tests[0]).toMatchObject({ id: ids.get("b"), name: "b", failure: "status code: 401" });
    expect(admin_info.tests).toHaveLength(3);
  });

  it.each(["facts", "channels"])("goes on and stores its end when one write to %s fails", async (table) => {
    for (const name of ["a", "b", "c", "d", "e"]) await make(name);
    let writes = 0;
    const isWatched = (node: Parameters<typeof targetOf>[0]) =>
      (node.kind === "UpdateQueryNode" || node.kind === "InsertQueryNode") && targetOf(node) === table;
    const before = () => {
      writes += 1;
      if (writes === 2) throw new Error("the connection was lost");
    };
    const database = watchedDatabase(site.foundation.database, { isWatched, before });
    const { finished } = await startTestOfAll({ ...site.context, database }, { userId: 0, username: "" });
    await finished;
    expect(writes).toBeGreaterThan(4);
    const failed = table === "channels" ? 1 : 0;
    expect(await progress()).toMatchObject({ running: false, done: 5, total: 5, failed });
    expect((await progress()).finished_time).toBeGreaterThan(0);
  });

  it("stores its end also when that write fails at first", async () => {
    await make("a");
    const isWatched = (node: Parameters<typeof targetOf>[0]) =>
      node.kind === "InsertQueryNode" && targetOf(node) === "facts";
    let writes = 0;
    const before = () => {
      writes += 1;
      if (writes === 3) throw new Error("the connection was lost");
    };
    const database = watchedDatabase(site.foundation.database, { isWatched, before });
    const { finished } = await startTestOfAll({ ...site.context, database }, { userId: 0, username: "" });
    await finished;
    expect(writes).toBe(4);
    expect(await progress()).toMatchObject({ running: false, done: 1, total: 1 });
    expect((await progress()).finished_time).toBeGreaterThan(0);
    await runAll(); // The lease was given back.
  });

  it("disables by the rules only while the switch and the channel allow it", async () => {
    const a = await make("a");
    const b = await make("b");
    await admin.data("PUT", "/api/channel/", { id: b, auto_ban: 0 });
    answer = () => Promise.resolve(failed);
    expect(await runAll()).toMatchObject({ failed: 2, disabled: 0 });
    await set("AutomaticDisableChannelEnabled", "true");
    expect(await runAll()).toMatchObject({ failed: 2, disabled: 1 });
    const row = await read(a);
    expect(row.status).toBe(3);
    expect(JSON.parse(row.other_info)).toMatchObject({ status_reason: expect.stringContaining("bad key") as string });
    expect(
      site.foundation.snapshot.tiersFor("default", "gpt-a").flatMap(({ channels }) => channels.map(({ id }) => id)),
    ).toEqual([b]);
    await set("AutomaticDisableChannelEnabled", "false");
  });

  it("enables what it disabled once it passes and the switch allows it, never what somebody switched off", async () => {
    const a = await make("a");
    const b = await make("b");
    await admin.data("PUT", "/api/channel/", { id: b, status: 2 });
    await site.foundation.database.kysely.updateTable("channels").set({ status: 3 }).where("id", "=", a).execute();
    await admin.data("POST", "/api/channel/fix");
    await admin.data("PUT", "/api/channel/", { id: a, weight: 1 });
    expect(await runAll()).toMatchObject({ enabled: 0 });
    await set("AutomaticEnableChannelEnabled", "true");
    expect(await runAll()).toMatchObject({ enabled: 1, total: 2 });
    expect([(await read(a)).status, (await read(b)).status]).toEqual([1, 2]);
    await set("AutomaticEnableChannelEnabled", "false");
  });
});

describe("a periodic test", () => {
  let site: TestConsole;
  let admin: Caller;
  const asked: string[] = [];
  let durationMs = 100;

  beforeAll(async () => {
    const testChannel = ({ name }: SnapshotChannel) => {
      asked.push(name);
      return Promise.resolve({ ...passed, durationMs });
    };
    site = await openTestConsole("sqlite", { testChannel });
    admin = await site.person(100);
    for (const [name, status] of [
      ["on", 1],
      ["by hand", 2],
      ["by itself", 3],
    ] as const) {
      const form = { type: 1, name, key: `sk-${name}-aaaaaaaaaaaaaaa`, models: "gpt-a" };
      const [id = 0] = await admin.data<number[]>("POST", "/api/channel/", form);
      await site.foundation.database.kysely.updateTable("channels").set({ status }).where("id", "=", id).execute();
      await admin.data("PUT", "/api/channel/", { id, weight: 1 });
    }
    await admin.data("PUT", "/api/option/", { key: "AutomaticEnableChannelEnabled", value: "true" });
    await admin.data("PUT", "/api/option/", { key: "AutomaticDisableChannelEnabled", value: "true" });
  });
  afterAll(() => site.close());

  const run = async (scope: "all" | "auto_disabled") => {
    asked.length = 0;
    const started = await startPeriodicTest(site.context, scope, new AbortController().signal);
    await started?.finished;
    return { asked: asked.toSorted(), total: started?.total };
  };
  const statuses = async () => {
    const rows = (await admin.data<{ items: ChannelRow[] }>("GET", "/api/channel/?sort=id")).items;
    return rows.map(({ status }) => status);
  };

  it("of the auto-disabled channels asks no other, and enables none that is as slow as before", async () => {
    durationMs = 6_000;
    expect(await run("auto_disabled")).toEqual({ asked: ["by itself"], total: 1 });
    expect(await statuses()).toEqual([1, 2, 3]);
    durationMs = 100;
    await run("auto_disabled");
    expect(await statuses()).toEqual([1, 2, 1]);
    expect(await run("auto_disabled")).toEqual({ asked: [], total: 0 });
  });

  it("of all channels asks those disabled by hand too, and leaves them as they are", async () => {
    expect(await run("all")).toEqual({ asked: ["by hand", "by itself", "on"], total: 3 });
    expect(await statuses()).toEqual([1, 2, 1]);
  });
});

describe("a slow test", () => {
  const channel = { status: 1, type: 1, autoBan: true };
  const options = {
    AutomaticDisableChannelEnabled: true,
    AutomaticDisableKeywords: [],
    AutomaticDisableStatusCodes: [],
    ChannelDisableThreshold: "5",
  };
  const slow = { ...passed, durationMs: 5_001 };
  it.each([
    ["disables", channel, slow, options, true],
    ["not at the threshold", channel, { ...slow, durationMs: 5_000 }, options, false],
    ["not with the switch off", channel, slow, { ...options, AutomaticDisableChannelEnabled: false }, false],
    ["not without auto-ban", { ...channel, autoBan: false }, slow, options, false],
    ["not a channel that is off already", { ...channel, status: 2 }, slow, options, false],
    ["never at threshold 0", channel, slow, { ...options, ChannelDisableThreshold: "0" }, false],
  ])("%s", (_, tested, result, given, isDisabled) => {
    expect(reasonToDisable(tested, result, given) !== undefined).toBe(isDisabled);
  });
});
