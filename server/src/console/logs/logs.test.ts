/** Tests of the usage log: whole pages, exact totals, own rows only, no channel facts for users, names that follow a renaming. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminLog, LogStat, UserLog } from "../../../../contract/src/features/logs.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import type { LogEntry } from "../../billing/billing.ts";
import { splitRange } from "./totals.ts";
import { receiptForUser } from "./views.ts";

const HOUR = 3600;
/** In the middle of an hour, so that a range has edges on both sides. */
const NOW = 1_800_000_000 - (1_800_000_000 % HOUR) + 1800;

interface Page<Row> {
  items: Row[];
  total: number;
  total_is_capped: boolean;
  page: number;
  page_size: number;
}

const RECEIPT = {
  model_ratio: 1.25,
  group_ratio: 1,
  usage: { inputTokens: 10 },
  raw_usage: { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4 }, cost: 0.0123, provider: "SecretVendor" },
  admin_info: { use_channel: [7], tried: [{ id: 7, name: "SecretChannel" }] },
  some_new_channel_fact: "SecretChannel",
};

describe.each(await engines())("the usage log on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let user: Caller;
  let other: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    user = await site.person(1, { quota: 1_000_000 });
    other = await site.person(1, { quota: 1_000_000 });
  });
  afterAll(() => site.close());

  let counter = 0;
  const entryOf = (who: Caller, createdAt: number, more: Partial<LogEntry> = {}): LogEntry => ({
    type: 2,
    requestId: `request-${(counter += 1)}`,
    createdAt,
    userId: who.userId,
    username: who.username,
    tokenId: 0,
    tokenName: "playground-default",
    channelId: 7,
    modelName: "gpt-a",
    groupName: "default",
    quota: 0,
    promptTokens: 10,
    completionTokens: 5,
    useTimeMs: 1500,
    firstTokenMs: 300,
    isStream: true,
    ip: "10.0.0.9",
    content: "",
    other: JSON.stringify(RECEIPT),
    ...more,
  });

  /** A real settlement: ledger, roll-up and log row together. */
  const spend = async (who: Caller, createdAt: number, charge: number, more: Partial<LogEntry> = {}) => {
    const log = entryOf(who, createdAt, { quota: charge, ...more });
    const { billing } = site.foundation;
    const hold = await billing.hold({
      requestId: log.requestId,
      userId: who.userId,
      tokenId: log.tokenId,
      amount: charge,
      isTokenLimited: false,
    });
    await billing.settle(hold, {
      requestId: log.requestId,
      userId: who.userId,
      tokenId: log.tokenId,
      channelId: log.channelId,
      model: log.modelName,
      groupName: log.groupName,
      charge,
      isTokenLimited: false,
      promptTokens: log.promptTokens,
      completionTokens: log.completionTokens,
      createdAt,
      detail: "{}",
      log,
    });
    return log;
  };

  it("sums exactly what was charged, whatever the bounds: hours and edges agree with the rows", async () => {
    const times = Array.from({ length: 40 }, (_, index) => NOW - index * 977);
    for (const [index, time] of times.entries())
      await spend(user, time, index + 1, { modelName: index % 2 === 0 ? "gpt-a" : "gpt_b" });
    await spend(other, NOW - 100, 5000);
    const own = async (query: string) =>
      (await user.data<{ quota: number }>("GET", `/api/log/self/stat?${query}`)).quota;
    const expected = (start: number, end: number) =>
      times.reduce((sum, time, index) => (time >= start && time <= end ? sum + index + 1 : sum), 0);
    for (const [start, end] of [
      [NOW - 40_000, NOW + HOUR],
      [NOW - 20_000, NOW - 7_000],
      [NOW - 1_000, NOW - 500],
      [NOW - 1800, NOW - 1],
      [NOW - 1800 - HOUR, NOW - 1801],
      [NOW - 977, NOW - 977],
    ] as const) {
      const quota = await own(`start_timestamp=${start}&end_timestamp=${end}`);
      expect([start - NOW, end - NOW, quota]).toEqual([start - NOW, end - NOW, expected(start, end)]);
    }
    expect(await own("")).toBe((40 * 41) / 2);
    expect(await own("start_timestamp=NaN&end_timestamp=0&token_name=playground-default")).toBe((40 * 41) / 2);
    expect(await own("model_name=gpt_b")).toBe(420);
    const site_wide = await admin.data<{ quota: number; rpm: number; tpm: number }>("GET", "/api/log/stat");
    expect(site_wide).toMatchObject({ quota: 820 + 5000, rpm: 1, tpm: 15, errors: 0 });
    expect(await admin.data("GET", `/api/log/stat?username=${other.username}`)).toMatchObject({ quota: 5000 });
    expect(await admin.data("GET", "/api/log/stat?username=nobody")).toMatchObject({ quota: 0, rpm: 0, tpm: 0 });
  });

  it("says in a sentence how a call was priced, by ratios or at a fixed price", async () => {
    const fixed = { model_price: 0.04, model_ratio: 0, group_ratio: 0.5 };
    const who = await site.person(1, { quota: 1000 });
    await spend(who, NOW - 10, 1, { channelId: 9 });
    await spend(who, NOW - 5, 1, { channelId: 9, other: JSON.stringify(fixed) });
    const { items } = await who.data<Page<UserLog>>("GET", "/api/log/self/?p=1&page_size=10");
    expect(items.map(({ content }) => content)).toEqual([
      "Model price $0.04, group ratio 0.5",
      "Model ratio 1.25, group ratio 1",
    ]);
  });

  it("pages from 1, newest first, each row once, with an exact total", async () => {
    const seen: UserLog[] = [];
    for (const p of [1, 2, 3]) {
      const page = await user.data<Page<UserLog>>("GET", `/api/log/self/?p=${p}&page_size=17`);
      expect(page).toMatchObject({ total: 40, total_is_capped: false, page: p, page_size: 17 });
      seen.push(...page.items);
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(40);
    expect((await user.data<Page<UserLog>>("GET", "/api/log/self?p=0")).items).toHaveLength(10);
    const far = await user.data<Page<UserLog>>("GET", "/api/log/self?p=1001&page_size=10");
    expect(far).toMatchObject({ items: [], total: 40, page: 1001 });
  });

  it("filters by time, model, group, type, token and person", async () => {
    const total = async (caller: Caller, path: string) => (await caller.data<Page<UserLog>>("GET", path)).total;
    expect(await total(user, `/api/log/self?start_timestamp=${NOW - 977 * 3}&end_timestamp=${NOW - 977}`)).toBe(3);
    expect(await total(user, "/api/log/self?model_name=gpt_b")).toBe(20);
    expect(await total(user, `/api/log/self?model_name=${encodeURIComponent("gpt%")}`)).toBe(40);
    expect(await total(user, "/api/log/self?model_name=gpt")).toBe(0);
    expect(await total(user, "/api/log/self?group=vip")).toBe(0);
    expect(await total(user, "/api/log/self?type=5")).toBe(0);
    expect(await total(user, "/api/log/self?type=0&group=null")).toBe(40);
    expect(await total(admin, `/api/log/?username=${other.username}`)).toBe(1);
    expect(await total(admin, "/api/log/?channel=7")).toBe(41);
    expect(await total(admin, "/api/log/?channel=8")).toBe(0);
  });

  it("finds the calls of a token by its present name", async () => {
    const token = await other.data<{ id: number }>("POST", "/api/token/", { name: "before", unlimited_quota: true });
    await spend(other, NOW - 50, 11, { tokenId: token.id, tokenName: "before" });
    await other.data("PUT", "/api/token/", { id: token.id, name: "after" });
    const page = await other.data<Page<UserLog>>("GET", "/api/log/self?token_name=after");
    expect(page.items.map(({ quota }) => quota)).toEqual([11]);
    expect(await other.data("GET", "/api/log/self/stat?token_name=after")).toMatchObject({ quota: 11 });
    expect(await user.data("GET", "/api/log/self?token_name=after")).toMatchObject({ total: 0 });
  });

  it("shows a user nothing of channels, and nobody else's rows", async () => {
    const { text, body } = await user.call("GET", "/api/log/self?page_size=100");
    const page = body.data as Page<UserLog>;
    expect(page.items.every(({ user_id }) => user_id === user.userId)).toBe(true);
    expect(text).not.toMatch(/Secret|admin_info|"channel|some_new/);
    expect(text).not.toContain("0.0123");
    expect(JSON.parse(page.items[0]?.other ?? "")).toMatchObject({
      model_ratio: 1.25,
      raw_usage: { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4 } },
    });
    expect(page.items[0]).toMatchObject({ use_time: 2, use_time_ms: 1500, is_stream: true });
    expect((await user.call("GET", "/api/log/")).status).toBe(403);
    const own = await user.data<Page<UserLog>>("GET", `/api/log/self?username=${other.username}&channel=8`);
    expect(own.total).toBe(40);
    const whole = await admin.data<Page<AdminLog>>("GET", `/api/log/?username=${user.username}`);
    expect(whole.items[0]).toMatchObject({ channel: 7 });
    expect(whole.items[0]?.other).toContain("SecretChannel");
  });

  it("gives one receipt by request id to its payer alone", async () => {
    const log = await spend(user, NOW - 10, 3);
    const path = `/api/log/self/request/${log.requestId}`;
    expect(await user.data("GET", path)).toMatchObject({ request_id: log.requestId, quota: 3 });
    expect((await other.call("GET", path)).body).toMatchObject({ success: false, code: "not_found" });
  });

  it("tells administrators who is behind a name, of people below them, and never a secret", async () => {
    const path = `/api/log/user/${user.userId}`;
    const { body, text } = await admin.call("GET", path);
    expect(body.data).toMatchObject({ id: user.userId, username: user.username, role: 1, group: "default" });
    expect(Object.keys(body.data as object)).toHaveLength(9);
    expect(text).not.toMatch(/password|token|setting|email/);
    expect(await admin.data("GET", `/api/log/user/${admin.userId}`)).toMatchObject({ id: admin.userId });
    const peer = await site.person(10);
    expect((await admin.call("GET", `/api/log/user/${peer.userId}`)).status).toBe(403);
    expect((await user.call("GET", path)).status).toBe(403);
    const gone = await admin.call("GET", "/api/log/user/999999");
    expect(gone.body).toMatchObject({ success: false, code: "not_found" });
  });

  it("gives an administrator the types of the channels tried, and leaves receipts of other shapes alone", async () => {
    const tried = [{ id: 424242, name: "gone", start_ms: 0, ms: 5, status: 500, reason: "network: x" }];
    const person = await site.person(1, { quota: 1000 });
    await spend(person, NOW - 5, 1, { other: JSON.stringify({ admin_info: { tried, skipped: [] } }) });
    await spend(person, NOW - 4, 1, { other: JSON.stringify({ admin_info: { tried: "odd" } }) });
    const page = await admin.data<Page<AdminLog>>("GET", `/api/log/?username=${person.username}`);
    const receipts = page.items.map(({ other }) => JSON.parse(other) as unknown);
    expect(receipts).toEqual([{ admin_info: { tried: "odd" } }, { admin_info: { tried, skipped: [] } }]);
  });

  it("stops counting at 10,000 and says so", async () => {
    const { kysely } = site.foundation.database;
    const { userId } = await site.person();
    const row = { ...storedRow(userId), created_at: NOW };
    for (let chunk = 0; chunk < 21; chunk++)
      await kysely
        .insertInto("logs")
        .values(Array.from({ length: 500 }, () => row))
        .execute();
    const filler = await site.session({ userId, username: "filler" });
    const page = await filler.data<Page<UserLog>>("GET", "/api/log/self?p=1000&page_size=10");
    expect(page).toMatchObject({ total: 10_000, total_is_capped: true });
    expect(page.items).toHaveLength(10);
    await kysely.deleteFrom("logs").where("user_id", "=", userId).execute();
  });

  it("clears old rows of every type in chunks and keeps ledger and totals", async () => {
    const { kysely } = site.foundation.database;
    const old = Array.from({ length: 500 }, () => ({ ...storedRow(user.userId), created_at: 1000 }));
    for (let chunk = 0; chunk < 5; chunk++) await kysely.insertInto("logs").values(old).execute();
    const missing = await admin.call("DELETE", "/api/log/?target_timestamp=0");
    expect(missing.body).toMatchObject({ success: false, code: "log_timestamp_missing" });
    const totals = async () => {
      const { quota, rpm, tpm } = await user.data<LogStat>("GET", "/api/log/self/stat");
      return { quota, rpm, tpm };
    };
    const before = await totals();
    expect(await admin.data("DELETE", "/api/log/?target_timestamp=1001")).toBe(2500);
    expect(await admin.data("DELETE", "/api/log/?target_timestamp=1001")).toBe(0);
    expect(await totals()).toEqual(before);
    expect((await user.call("DELETE", "/api/log/?target_timestamp=99")).status).toBe(403);
  });

  const storedRow = (userId: number) =>
    ({ ...BLANK_LOG, created_at: 0, type: 2, user_id: userId, model_name: "" }) as const;
});

describe("a range of time", () => {
  const now = 100 * HOUR;
  it.each([
    ["open on both sides", {}, { hours: { from: 0, below: undefined }, edges: [] }],
    ["whole hours", { start: HOUR, end: 3 * HOUR - 1 }, { hours: { from: HOUR, below: 3 * HOUR }, edges: [] }],
    ["inside one hour", { start: 10, end: 20 }, { hours: undefined, edges: [{ start: 10, end: 20 }] }],
    [
      "edges on both sides",
      { start: HOUR - 5, end: 3 * HOUR },
      {
        hours: { from: HOUR, below: 3 * HOUR },
        edges: [
          { start: HOUR - 5, end: HOUR - 1 },
          { start: 3 * HOUR, end: 3 * HOUR },
        ],
      },
    ],
    [
      "an end that is not over",
      { start: HOUR, end: now + HOUR },
      { hours: { from: HOUR, below: undefined }, edges: [] },
    ],
  ])("%s", (_, range, expected) => {
    expect(splitRange({ start: undefined, end: undefined, ...range }, now)).toEqual(expected);
  });
});

describe("a receipt for its payer", () => {
  it("survives texts that are no receipt", () => {
    for (const text of ["", "null", "[]", "{", '"x"']) expect(receiptForUser(text)).toBe("{}");
  });
});
