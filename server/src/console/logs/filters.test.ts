/** Tests of the log's filters: ids, parts of names, cost, time and errors; the values they offer; and the times and errors in the head. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { percentileOf, timeCountsOf } from "../../../../contract/src/call-figures.ts";
import type { AdminLog, LogStat } from "../../../../contract/src/features/logs.ts";
import type { LogFacets } from "../../../../contract/src/logs/sums.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../../tests/support/databases/databases.ts";
import { receiptShorthand } from "../../billing/shorthand.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { ALL, type LogFilter } from "./filter.ts";
import { boundedFilter } from "./scan-window.ts";
import { countLogs } from "./store.ts";
import { quantilesOf } from "./service.ts";

const HOUR = 3600;
const NOW = 1_800_000_000 - (1_800_000_000 % HOUR) + 1800;

interface Page {
  items: AdminLog[];
  total: number;
  searched_since: number;
}

const tried = (...ids: number[]) =>
  JSON.stringify({
    frt: 1,
    admin_info: {
      use_channel: ids,
      tried: ids.map((id) => ({ id, name: "x", upstream_request_id: `up-${id}` })),
      skipped: [],
    },
  });
const failed = (code: string) =>
  JSON.stringify({
    error_type: "upstream",
    error_code: code,
    status_code: 502,
    admin_info: { use_channel: [7], tried: [] },
  });

/** As versions before stored receipts, and as calls are recorded. */
const FORMS = {
  JSON: (receipt: string) => receipt,
  "short form": (receipt: string) => receiptShorthand.write(receipt),
} as const;
const PLACES = (await engines()).flatMap((engine) =>
  (["JSON", "short form"] as const).map((form) => [engine, form] as const),
);

describe.each(PLACES)("filters of the log on %s, with receipts in %s", (engine, form) => {
  let site: TestConsole;
  let admin: Caller;
  let anna: Caller;
  let berta: Caller;

  const insert = async (who: Caller, more: object) => {
    await site.foundation.database.kysely
      .insertInto("logs")
      .values({
        ...BLANK_LOG,
        type: 2,
        user_id: who.userId,
        username: who.username,
        model_name: "gpt-5-mini",
        created_at: NOW - 100,
        channel_id: 7,
        group_name: "default",
        token_name: "Nightly Evals",
        is_stream: 1 as const,
        other: FORMS[form](tried(7)),
        ...more,
      })
      .execute();
  };

  const hour = async (who: Caller, more: object) => {
    await site.foundation.database.kysely
      .insertInto("usage_hours")
      .values({
        hour: NOW - 1800,
        user_id: who.userId,
        token_id: 0,
        channel_id: 7,
        model: "gpt-5-mini",
        group_name: "default",
        requests: 1,
        quota: 1,
        prompt_tokens: 1,
        completion_tokens: 1,
        ...more,
      })
      .execute();
  };

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    anna = await site.person(1);
    berta = await site.person(1);
    await insert(anna, { request_id: "req-slow", use_time_ms: 61_000, first_token_ms: 9000, quota: 500_000 });
    await insert(anna, { request_id: "req-quick", use_time_ms: 800, first_token_ms: 200, quota: 10 });
    await insert(anna, {
      request_id: "req-second",
      use_time_ms: 2000,
      first_token_ms: 400,
      quota: 20,
      other: FORMS[form](tried(3, 7).replace("{", '{"client":"codex",')),
    });
    await insert(anna, { request_id: "req-failed", type: 5, other: failed("upstream_broken"), use_time_ms: 30_000 });
    await insert(berta, {
      request_id: "req-busy",
      type: 5,
      other: failed("no_available_channel"),
      model_name: "Claude-Opus",
    });
    await insert(berta, { request_id: "req-claude", model_name: "Claude-Opus", token_name: "x%y" });
    await insert(berta, { request_id: "system", type: 4, model_name: "" });
    await hour(anna, { requests: 3 });
    await hour(berta, { requests: 1, model: "Claude-Opus", channel_id: 9, group_name: "vip" });
    await hour(berta, { hour: NOW - 1800 - 200 * 86_400, requests: 50, model: "long-ago" });
  });
  afterAll(() => site.close());

  const found = async (query: string, caller: Caller = admin): Promise<string[]> => {
    const path = caller === admin ? "/api/log/" : "/api/log/self";
    const page = await caller.data<Page>("GET", `${path}?${query}&page_size=100`);
    expect(page.total).toBe(page.items.length);
    return page.items.map(({ request_id }) => request_id).toSorted();
  };

  it("finds an entry by its request id, however it was pasted, and nobody else's", async () => {
    expect(await found("request_id=req-slow")).toEqual(["req-slow"]);
    expect(await found(`request_id=${encodeURIComponent(" req- slow\n")}`)).toEqual(["req-slow"]);
    expect(await found("request_id=req", admin)).toEqual([]);
    expect(await found("request_id=req-slow", anna)).toEqual(["req-slow"]);
    expect(await found("request_id=req-slow", berta)).toEqual([]);
  });

  it.each([
    ["types=2,5&model_name=Claude-Opus", ["req-busy", "req-claude"]],
    ["types=4", ["system"]],
    ["types=1,3", []],
    ["min_time_ms=2000", ["req-failed", "req-second", "req-slow"]],
    ["min_quota=20", ["req-second", "req-slow"]],
    ["error_code=upstream_broken", ["req-failed"]],
    ["error_code=upstream%25", []],
    ["has_error=true", ["req-busy", "req-failed", "req-second"]],
    ["has_error=true&type=2", ["req-second"]],
    ["client=codex", ["req-second"]],
    ["client=code", []],
    ["upstream_request_id=up-3", ["req-second"]],
    ["upstream_request_id=up-%25", []],
    ["model_name=%25OPUS%25", ["req-busy", "req-claude"]],
    ["model_name=claude-opus", []],
    ["token_name=%25night%25&type=5", ["req-busy", "req-failed"]],
    ["group=%25EFA%25&types=4", ["system"]],
  ])("finds by %s", async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it("finds people by a part of their name, without regard to capitals", async () => {
    const part = anna.username.slice(1).toUpperCase();
    expect(await found(`username=${encodeURIComponent(`%${part}`)}&type=5`)).toEqual(["req-failed"]);
    expect(await found("username=%25nobody%25")).toEqual([]);
  });

  it("does not let a user ask which calls had been tried on other channels", async () => {
    expect(await found("has_error=true", anna)).toHaveLength(4);
    expect(await found("upstream_request_id=up-3", anna)).toHaveLength(4);
  });

  it("names the request of the upstream that was tried last to administrators alone", async () => {
    const { items } = await admin.data<Page>("GET", "/api/log/?request_id=req-second");
    expect(items[0]?.upstream_request_id).toBe("up-7");
    expect(JSON.stringify(await anna.data("GET", "/api/log/self?request_id=req-second"))).not.toMatch(/up-\d/);
  });

  const facets = (field: string, query = "", caller: Caller = admin) =>
    caller.data<LogFacets>("GET", `${caller === admin ? "/api/log" : "/api/log/self"}/facets?field=${field}&${query}`);

  it("offers the values that occur in the range with their calls, failed ones among them", async () => {
    const models = await facets("model", `start_timestamp=${NOW - HOUR}`);
    expect(models.values.map(({ value, calls }) => [value, calls])).toEqual([
      ["gpt-5-mini", 4],
      ["Claude-Opus", 2],
    ]);
    expect((await facets("user")).values.map(({ value, calls }) => [value, calls])).toEqual([
      [anna.username, 4],
      [berta.username, 2],
    ]);
    expect((await facets("channel")).values).toEqual([
      { value: "7", name: "", calls: 5 },
      { value: "9", name: "", calls: 1 },
    ]);
    expect((await facets("error_code")).values.map(({ value }) => value)).toEqual([
      "no_available_channel",
      "upstream_broken",
    ]);
  });

  it("narrows the values by the other filters, and not by the field's own", async () => {
    expect((await facets("model", `username=${berta.username}`)).values.map(({ value }) => value)).toEqual([
      "Claude-Opus",
    ]);
    expect((await facets("group", "group=vip&model_name=Claude-Opus")).values.map(({ value }) => value)).toEqual([
      "default",
      "vip",
    ]);
    expect((await facets("model", "username=nobody")).values).toEqual([]);
  });

  it("counts no further back than 92 days, and says since when", async () => {
    const all = await facets("model");
    expect(all.since).toBe(Math.floor((NOW - 92 * 86_400) / HOUR) * HOUR);
    expect(all.values.map(({ value }) => value)).not.toContain("long-ago");
    const then = NOW - 1800 - 200 * 86_400;
    const old = await facets("model", `start_timestamp=${then}&end_timestamp=${then + 1}`);
    expect(old.values).toEqual([{ value: "long-ago", name: "", calls: 50 }]);
  });

  it("offers a user the own values alone, and nothing of channels or people", async () => {
    expect((await facets("model", "", anna)).values).toEqual([{ value: "gpt-5-mini", name: "", calls: 4 }]);
    for (const field of ["channel", "user"])
      expect((await anna.call("GET", `/api/log/self/facets?field=${field}`)).status).toBe(400);
    expect((await anna.call("GET", "/api/log/facets?field=channel")).status).toBe(403);
  });

  it("says how long the calls took and how many failed, of what is filtered", async () => {
    // Of one call in a bucket it is known in which one it lies.
    const at = (time: number) => percentileOf(timeCountsOf([time]), 0.5);
    const stat = (query: string) => admin.data<LogStat>("GET", `/api/log/stat?${query}`);
    expect(await stat(`username=${anna.username}`)).toMatchObject({
      errors: 1,
      errors_are_capped: false,
      total_time: { p50: at(2000), p95: at(61_000), calls: 3 },
      first_token: { p50: at(400), p95: at(9000), calls: 3 },
      is_sample: false,
      searched_since: 0,
    });
    expect(await stat("type=5")).toMatchObject({ errors: 2, total_time: { p50: at(0), p95: at(30_000), calls: 2 } });
    expect(await stat("type=2")).toMatchObject({ errors: 0 });
    expect(await stat("min_time_ms=1000&types=2,5")).toMatchObject({
      errors: 1,
      total_time: { p50: at(2000), calls: 2 },
    });
    expect(await stat("type=4")).toMatchObject({ errors: 0, total_time: { p50: 0, p95: 0, calls: 0 } });
    expect(await stat("min_quota=20")).toMatchObject({ quota: 500_020 });
  });
});

describe.each(await engines())("what one question looks at on %s", (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    const rows = Array.from({ length: 300 }, (_, index) => ({
      ...BLANK_LOG,
      type: 2,
      user_id: index % 2,
      model_name: index === 5 ? "rare" : "common",
      created_at: 1000 + index,
      use_time_ms: index === 5 ? 9000 : 10,
    }));
    await opened.database.kysely.insertInto("logs").values(rows).execute();
  });
  afterAll(() => opened.close());

  const LIMITS = { rows: 100, entries: 200 };
  const bounded = (filter: Partial<LogFilter>) => boundedFilter(opened.database, { ...ALL, ...filter }, LIMITS);

  test.each([
    ["rows", { minTimeMs: 5000 }, 1200],
    ["rows of one user", { minTimeMs: 5000, userId: 1 }, 1101],
    ["entries", { modelName: "%rar%" }, 1100],
    ["entries of several people", { ownerIds: [0, 1] }, 1201],
    ["a single name", { modelName: "rare" }, 0],
    ["a request id", { requestId: "x", minTimeMs: 5000 }, 0],
    ["a range with fewer", { minTimeMs: 5000, start: 1250 }, 0],
  ] as const)("%s", async (_, filter, since) => {
    const { filter: narrowed, searchedSince } = await bounded(filter);
    expect(searchedSince).toBe(since);
    expect(narrowed.start).toBe("start" in filter ? filter.start : since === 0 ? undefined : since);
  });

  test("what lies before is not found, and what lies within is", async () => {
    expect(await countLogs(opened.database, (await bounded({ minTimeMs: 5000 })).filter)).toBe(0);
    expect(await countLogs(opened.database, (await bounded({ minTimeMs: 5000, end: 1050 })).filter)).toBe(1);
  });
});

test("times are read as on the dashboard: from the buckets that its counts have", () => {
  expect(quantilesOf([])).toEqual({ p50: 0, p95: 0, calls: 0 });
  expect(quantilesOf([450])).toEqual({ p50: 449, p95: 449, calls: 1 });
  const hundred = Array.from({ length: 100 }, (_, index) => 1000 - index * 9);
  const counts = timeCountsOf(hundred);
  const percentiles = { p50: percentileOf(counts, 0.5), p95: percentileOf(counts, 0.95) };
  expect(quantilesOf(hundred)).toEqual({ ...percentiles, calls: 100 });
});
