/** Promises of channel tests: timed before the answer, never charged or counted, one run at a time, and the switches are honoured. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChannelRow, TestProgress } from "../../../../contract/src/features/channels.ts";
import { engines } from "../../../../tests/support/databases.ts";
import { openTestConsole } from "../../../../tests/support/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/console.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { reasonToDisable, startTestOfAll } from "./test-run.ts";

const passed: ChannelTestResult = {
  isSuccess: true,
  message: "",
  durationMs: 120,
  model: "gpt-a",
  promptTokens: 3,
  completionTokens: 4,
};
const refusedKey = { kind: "auth", status: 401, message: "bad key", type: "", code: "invalid_api_key" };
const failed: ChannelTestResult = { ...passed, isSuccess: false, message: "status code: 401", failure: refusedKey };

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

  it("answers a failure with its message and time, and stores that time too", async () => {
    const id = await make("a");
    answer = () => Promise.resolve({ ...failed, durationMs: 640 });
    const { status, body } = await admin.call("POST", `/api/channel/test/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, message: "status code: 401", time: 0.64 });
    expect(await read(id)).toMatchObject({ response_time: 640, status: 1 });
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
    expect(await admin.data("GET", "/api/log/stat")).toEqual({ quota: 0, rpm: 0, tpm: 0 });
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

describe("a slow test", () => {
  const channel = { status: 1, type: 1, autoBan: true };
  const options = { AutomaticDisableChannelEnabled: true, AutomaticDisableKeywords: [], ChannelDisableThreshold: "5" };
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
