/** Tests of dry runs over real HTTP on every engine: under the prices in force they equal the ledger, under others the sums of the same usage. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DryRunLine, DryRunResult } from "../../../../../contract/src/pricing/dry-run.ts";
import { chargeQuota } from "../../../../../contract/src/pricing/pricing.ts";
import { surchargeRatio } from "../../../../../contract/src/pricing/surcharge-ratios.ts";
import { toolPrice } from "../../../../../contract/src/pricing/tool-prices.ts";
import { NO_USAGE, type Usage } from "../../../../../contract/src/pricing/usage.ts";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { runs } from "../../../../../tests/support/soak/short-or-long.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../../tests/support/systems/console.ts";
import { chargeDetail } from "../../../billing/charge-detail.ts";
import { settlementOf } from "../../../billing/testing.ts";
import { SESSION_COOKIE } from "../../http/authenticate.ts";

const NOW_S = 1_790_000_000;
const DAY_S = 86_400;
const MODELS = ["gpt-4o", "claude-opus-4-6", "own-tokens", "own-fixed", "gemini-2.5-pro"] as const;
const GROUP_RATIOS = { default: "1", vip: "0.5", odd: "0.333" } as const;
const GROUPS = ["default", "vip", "odd"] as const;

const count = fc.oneof(fc.nat(3_000), fc.nat(400_000), fc.constant(0));
const counts = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  cacheWriteLongTokens: count,
  imageInputTokens: count,
  audioInputTokens: count,
  audioOutputTokens: count,
  imageOutputTokens: count,
  callFactor: fc.constantFrom("1", "1", "2", "0.45"),
});
const calls = fc.record({
  counts,
  model: fc.constantFrom(...MODELS),
  group: fc.constantFrom(...GROUPS),
  user: fc.nat(2),
  searches: fc.constantFrom(0, 0, 0, 1, 3),
  isFast: fc.boolean(),
  age: fc.integer({ min: 0, max: 9 * DAY_S }),
});
type Call = typeof calls extends fc.Arbitrary<infer Value> ? Value : never;

interface Answer {
  status: number;
  lines: DryRunLine[];
  text: string;
}

describe.each(await engines())("dry runs on %s", { timeout: 120_000 }, (engine) => {
  let site: TestConsole;
  let root: Caller;
  let users: Caller[];
  let made: readonly Call[];

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW_S * 1000);
    root = await site.person(100);
    users = [await site.person(), await site.person(), await site.person()];
    const options = {
      GroupRatio: JSON.stringify({ default: 1, vip: 0.5, odd: 0.333 }),
      ModelRatio: '{"own-tokens": 0.0715}',
      ModelPrice: '{"own-fixed": 0.0123}',
      ContextTiers:
        '{"own-tokens": [{"above": 1000, "ratio": 2.5, "completion": 3, "cache": 0.1, "cache_creation": 1.3}]}',
    };
    for (const [key, value] of Object.entries(options)) await root.data("PUT", "/api/option", { key, value });
    made = fc.sample(calls, runs(300));
    for (const call of made) await settle(call);
  });
  afterAll(() => site.close());

  const usageOf = ({ counts: own, searches, isFast, model }: Call): Usage => {
    const { options } = site.foundation.snapshot;
    return {
      ...NO_USAGE,
      ...own,
      toolCalls:
        searches === 0
          ? []
          : [
              {
                tool: "web_search",
                calls: searches,
                usdPerThousand: toolPrice(options, "web_search", model, { size: "high" }),
                alike: [{ calls: searches, model, size: "high" }],
              },
            ],
      surcharges: isFast ? [{ surcharge: "speed_fast", ratio: surchargeRatio(options, "speed_fast", model) }] : [],
    };
  };

  const post = async (
    about: { model: string; group: string; user: number; age: number },
    charge: number,
    detail: string,
  ) => {
    const userId = users[about.user]?.userId ?? 0;
    const requestId = randomUUID();
    const hold = await site.context.billing.hold({ requestId, userId, tokenId: 0, isTokenLimited: false, amount: 0 });
    const settlement = settlementOf({ userId, tokenId: 0, channelId: 0 }, requestId, charge, NOW_S - about.age);
    const { log: _log, ...row } = settlement;
    const own = { model: about.model, groupName: about.group, isTokenLimited: false, detail };
    await site.context.billing.settle(hold, { ...row, ...own });
  };

  const settle = async (call: Call): Promise<void> => {
    const price = site.foundation.snapshot.priceOf(call.model);
    if (price === undefined) throw new Error(`no price of ${call.model}`);
    const [usage, groupRatio] = [usageOf(call), GROUP_RATIOS[call.group]];
    const terms = { usage, price, groupRatio, quotaPerUnit: "500000", priceVersion: 1 };
    const detail = chargeDetail({ ...terms, model: call.model, namedModel: call.model });
    await post(call, chargeQuota(usage, price, groupRatio, "500000"), detail);
  };

  const ask = async (body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${site.url}/api/prices/dry_run`, {
      method: "POST",
      headers: {
        Cookie: `${SESSION_COOKIE}=${root.cookie}`,
        "New-Api-User": String(root.userId),
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });

  const run = async (body: object): Promise<Answer> => {
    const response = await ask(body);
    const text = await response.text();
    const lines = text.trim().split("\n");
    return { status: response.status, text, lines: lines.map((line) => JSON.parse(line) as DryRunLine) };
  };

  const resultOf = async (body: object): Promise<DryRunResult> => {
    const { lines, text } = await run(body);
    const last = lines.at(-1);
    if (last?.kind !== "result") throw new Error(text);
    return last;
  };

  /** What the ledger has of the last `days`, by one of its columns. */
  const ledgerBy = async (column: "model" | "group_name" | "user_id", days: number) => {
    const from = NOW_S - days * DAY_S;
    const rows = await site.foundation.database.kysely
      .selectFrom("ledger")
      .select(({ fn }) => [column, fn.countAll<number>().as("calls"), fn.sum<number>("used_delta").as("used")])
      .where("kind", "=", "charge")
      .where("created_at", ">=", from - (from % 3600))
      .groupBy(column)
      .execute();
    return new Map(rows.map((row) => [String(row[column]), [Number(row.calls), Number(row.used), Number(row.used)]]));
  };

  const asMap = (list: readonly { name: string; calls: number; old: number; new: number }[]) =>
    new Map(list.map((each) => [each.name, [each.calls, each.old, each.new]]));

  it.each([7, 1, 90])("under the prices in force the last %s days equal the ledger to the unit", async (days) => {
    const result = await resultOf({ days });
    expect(asMap(result.models)).toEqual(await ledgerBy("model", days));
    expect(asMap(result.groups)).toEqual(await ledgerBy("group_name", days));
    const byUser = new Map(result.users.map(({ id, ...each }) => [String(id), [each.calls, each.old, each.new]]));
    expect(byUser).toEqual(await ledgerBy("user_id", days));
    const own = await ledgerBy("model", days);
    const total = (index: number) => [...own.values()].reduce((sum, each) => sum + (each[index] ?? 0), 0);
    expect(result.totals).toEqual({ calls: total(0), old: total(1), new: total(2) });
    expect(result.charged).toBe(total(1));
    expect(result.totals.calls).toBeGreaterThan(days);
    expect(result.notes).toEqual([]);
    expect(result.others).toEqual({});
    expect(result.users.map(({ name }) => name).toSorted()).toEqual(users.map(({ username }) => username).toSorted());
  });

  it("begins where its days begin by the viewer's clock, and never more than an hour before so many days", async () => {
    const of = async (start: number) => resultOf({ days: 2, start_timestamp: start });
    const whole = (second: number) => second - (second % 3600);
    const start = NOW_S - DAY_S - 7 * 3600;
    const [result, usual] = [await of(start), await resultOf({ days: 2 })];
    expect([result.from, usual.from]).toEqual([whole(start), whole(NOW_S - 2 * DAY_S)]);
    const since = made.filter(({ age }) => NOW_S - age >= whole(start));
    expect(result.totals.calls).toBe(since.length);
    expect(usual.totals.calls).toBeGreaterThan(since.length);
    expect((await of(0)).from).toBe(whole(NOW_S - 2 * DAY_S - 3600));
    expect((await of(NOW_S + DAY_S)).from).toBe(whole(NOW_S));
  });

  it("shows the draft's own change alone: what was changed earlier is in both sums", async () => {
    const before = await resultOf({ days: 90 });
    await root.data("PUT", "/api/option", { key: "ModelPrice", value: '{"own-fixed": 0.9}' });
    const to = { ratios: { ModelRatio: "7" }, tools: {} };
    const result = await resultOf({ days: 90, changes: [{ model: "own-tokens", to }] });
    await root.data("PUT", "/api/option", { key: "ModelPrice", value: '{"own-fixed": 0.0123}' });
    const differing = result.models.filter(({ old, new: renewed }) => old !== renewed);
    expect(differing.map(({ name }) => name)).toEqual(["own-tokens"]);
    const fixed = (list: typeof result.models) => list.find(({ name }) => name === "own-fixed");
    expect(fixed(result.models)?.old).toBeGreaterThan(fixed(before.models)?.old ?? 0);
    expect(result.charged).toBe(before.charged);
  });

  it("under other groups and QuotaPerUnit each call costs what its usage costs there", async () => {
    const { snapshot } = site.foundation;
    const ratios = { default: "1.9", vip: "0", odd: "0.071" };
    const GroupRatio = JSON.stringify({ default: 1.9, vip: 0, odd: 0.071 });
    const result = await resultOf({ days: 90, options: { GroupRatio, QuotaPerUnit: "77000" } });
    const charges = made.map((call) => {
      const price = snapshot.priceOf(call.model);
      if (price === undefined) throw new Error(`no price of ${call.model}`);
      return { group: call.group, quota: chargeQuota(usageOf(call), price, ratios[call.group], "77000") };
    });
    for (const group of GROUPS) {
      const own = charges.filter((each) => each.group === group);
      expect(result.groups.find(({ name }) => name === group)).toMatchObject({
        calls: own.length,
        new: own.reduce((sum, { quota }) => sum + quota, 0),
      });
    }
    expect(result.free_calls).toBe(charges.filter(({ quota }) => quota === 0).length);
    const sizes = result.groups.map(({ old, new: renewed }) => Math.abs(renewed - old));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it("a change of a model's own entries stands over the options of the same draft, and other models keep their price", async () => {
    const to = { ratios: { ModelPrice: "0.5" }, tools: {} };
    const draft = {
      options: { ModelPrice: '{"own-fixed": 9, "own-tokens": 7}' },
      changes: [{ model: "own-fixed", to }],
    };
    const [today, result] = [await resultOf({ days: 90 }), await resultOf({ days: 90, ...draft })];
    const one = made.filter(({ model }) => model === "own-fixed");
    const { options } = site.foundation.snapshot;
    const quota = one.map((call) =>
      chargeQuota(
        usageOf(call),
        { kind: "per_call", price: "0.5" },
        GROUP_RATIOS[call.group],
        String(options.QuotaPerUnit),
      ),
    );
    const find = ({ models }: DryRunResult, model: string) => models.find(({ name }) => name === model);
    expect(find(result, "own-fixed")?.new).toBe(quota.reduce((sum, each) => sum + each, 0));
    expect(find(result, "own-tokens")?.new).not.toBe(find(today, "own-tokens")?.new);
    expect(find(result, "gpt-4o")?.new).toBe(find(today, "gpt-4o")?.new);
    expect((await resultOf({ days: 90 })).totals).toEqual(today.totals);
  });

  it("inexact charges are counted, and so are models and groups that the draft does not price", async () => {
    const vip = { model: "own-tokens", group: "vip", user: 0, age: 20 * DAY_S };
    const terms = '"g":"0.5","q":"500000","v":1';
    const ratios = '"r":["1","1","1","1.25","20","1","2"]';
    await post(vip, 5000, `{"u":[0,0,0,0,0,0,0],${ratios},"t":[["web_search",2,"10"]],${terms}}`);
    await post({ ...vip, model: "own-fixed", group: "gone" }, 7, `{"n":[14],${ratios},"g":"0.5","q":"500000","v":1}`);
    await post({ ...vip, model: "never-priced" }, 11, `{"u":[22,0,0,0,0,0,0],"f":"1",${terms}}`);
    await post({ ...vip, age: 21 * DAY_S }, 13, "{}");
    const draft = { changes: [{ model: "own-tokens", to: { ratios: { ModelPrice: "0.01" }, tools: {} } }] };
    const result = await resultOf({ days: 30, ...draft });
    const latest = NOW_S - vip.age;
    expect(result.notes).toEqual([
      { code: "tools_kept", calls: 1, latest },
      { code: "factor_unknown", calls: 1, latest },
      { code: "parts_unknown", calls: 1, latest },
      { code: "unpriced", calls: 1, latest },
      { code: "group_gone", calls: 1, latest },
      { code: "unreadable", calls: 1, latest: latest - DAY_S },
    ]);
    expect(result.models.find(({ name }) => name === "never-priced")).toMatchObject({
      is_unpriced: true,
      // By today's prices too it has none.
      old: Math.round(22 * 37.5 * 0.5),
      new: Math.round(22 * 37.5 * 0.5),
    });
    // 0.01 USD and two searches at 10 USD for 1,000; the factor of a call kept by its group's own ratio.
    const fixed = 0.0123 * 500_000 * 0.5;
    expect(result.groups.find(({ name }) => name === "gone")).toMatchObject({ old: fixed, new: fixed });
  });

  it.each([
    [{ options: { ModelRatio: '{"a": -1}' } }, "option_invalid", "ModelRatio"],
    [{ options: { GroupRatio: "not json" } }, "option_invalid", "GroupRatio"],
    [{ options: { SystemName: "x" } }, "invalid_field", undefined],
    [{ days: 91 }, "invalid_field", "days"],
    [{ changes: [{ model: "a", to: { ratios: { ModelRatio: "1e308" }, tools: {} } }] }, "invalid_field", undefined],
  ])("%j is refused before anything is read", async (draft, code, field) => {
    const answer = (await (await ask({ days: 1, ...draft })).json()) as Record<string, unknown>;
    expect(answer).toMatchObject({ success: false, code, ...(field !== undefined && { field }) });
  });

  it("one that runs is waited for, and one whose reader went away makes room", async () => {
    const controller = new AbortController();
    const left = await ask({ days: 90 }, controller.signal);
    controller.abort();
    await expect(left.text()).rejects.toThrow("aborted");
    const both = await Promise.all([resultOf({ days: 90 }), resultOf({ days: 90 })]);
    expect(both[0]).toEqual(both[1]);
  });

  it("says how far it is and ends with one result", async () => {
    const { lines, status } = await run({ days: 90 });
    expect(status).toBe(200);
    expect(lines.slice(0, -1).every(({ kind }) => kind === "progress")).toBe(true);
    expect(lines.filter(({ kind }) => kind === "result")).toHaveLength(1);
    const done = lines.flatMap((line) => (line.kind === "progress" ? [line.done] : []));
    expect(done.at(-1)).toBe((lines.at(-1) as DryRunResult).totals.calls);
  });
});
