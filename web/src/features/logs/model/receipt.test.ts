/** Tests of receipts, read field by field, and of the waterfall, placed by the times. */
import { describe, expect, test } from "vitest";
import { cacheWritten, type LogRow, slowness, tokensPerSecond, triedBefore } from "./log-row.ts";
import { attemptsOf, receiptOf } from "./receipt.ts";
import { tickStep, waterfallOf } from "./waterfall.ts";

const call = (other: string, more: Partial<LogRow> = {}): LogRow => ({
  id: 1,
  request_id: "r",
  user_id: 1,
  created_at: 0,
  type: 2,
  content: "",
  username: "u",
  token_id: 1,
  token_name: "t",
  model_name: "m",
  group: "default",
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 100,
  use_time: 6,
  use_time_ms: 6000,
  first_token_ms: 2000,
  is_stream: true,
  ip: "",
  other,
  ...more,
});

describe("a receipt", () => {
  test("keeps what is sound beside what is not", () => {
    const receipt = receiptOf(
      call(
        JSON.stringify({
          model_ratio: 1.5,
          cache_tokens: "many",
          warnings: ["logit_bias", 3],
          estimated: 1,
          usage: { inputTokens: 4, outputTokens: null },
        }),
      ),
    );
    expect(receipt).toEqual({
      event: undefined,
      tests: [],
      model_ratio: 1.5,
      warnings: ["logit_bias"],
      usage: { inputTokens: 4 },
      tried: [],
      skipped: [],
      overrides: [],
      detail: undefined,
    });
  });

  test("that is no JSON is empty", () => {
    for (const other of ["", "no", "[]", "null", "3"])
      expect(receiptOf(call(other))).toEqual({
        event: undefined,
        tests: [],
        tried: [],
        skipped: [],
        overrides: [],
        detail: undefined,
      });
  });

  test("names the rule of affinity, and none where it is no text", () => {
    const affinity = (of: unknown) => receiptOf(call(JSON.stringify({ admin_info: { affinity: of } }))).affinity;
    expect(affinity({ rule: "Codex", hit: true })).toEqual({ rule: "Codex", isHit: true });
    expect([affinity({ rule: 5 }), affinity("Codex"), affinity(null)]).toEqual([undefined, undefined, undefined]);
  });

  test("names the rules of the channel's override, and nothing that is no text", () => {
    const other = JSON.stringify({ admin_info: { overrides: ["set temperature", 5, null] } });
    expect(receiptOf(call(other)).overrides).toEqual(["set temperature"]);
  });

  test("shows what an administrator's act changed, and of a call only its channels", () => {
    const other = JSON.stringify({ admin_info: { before: 1, after: 2 } });
    expect(receiptOf(call(other, { type: 3 })).detail).toEqual({ before: 1, after: 2 });
    expect(receiptOf(call(other)).detail).toBeUndefined();
  });

  test("without a list of attempts still knows the channel that answered, for those who may", () => {
    const known = call("{}", { channel: 7, channel_name: "main" });
    expect(attemptsOf(known, receiptOf(known))).toMatchObject([
      { id: 7, name: "main", start_ms: 0, ms: 6000, reason: "" },
    ]);
    const own = call("{}");
    expect(attemptsOf(own, receiptOf(own))).toEqual([]);
  });
});

describe("the waterfall", () => {
  const tried = [
    { id: 1, name: "a", start_ms: 0, ms: 600, status: 429, reason: "rate: slow down" },
    { id: 2, name: "b", start_ms: 600, ms: 5400, status: 200, reason: "" },
  ];
  const row = call(JSON.stringify({ admin_info: { tried } }));

  test("puts each bar where its channel was asked, and splits the answer at the first token", () => {
    const { bars, ticks, totalMs } = waterfallOf(row, attemptsOf(row, receiptOf(row)));
    expect(totalMs).toBe(6000);
    expect(bars.map(({ left, width, isFailed }) => [left, width, isFailed])).toEqual([
      [0, 10, true],
      [10, 90, false],
    ]);
    expect(bars[1]?.waiting).toBeCloseTo(1400 / 5400);
    expect(ticks.map(({ ms }) => ms)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000]);
  });

  test("puts the words of a failure where they fit", () => {
    const words = (start_ms: number, ms: number) =>
      waterfallOf(row, [{ id: 1, name: "", start_ms, ms, status: 0, reason: "network: x", type: undefined }]).bars[0]
        ?.wordsAt;
    expect([words(0, 600), words(4000, 600), words(0, 6000), words(3000, 300)]).toEqual([
      "right",
      "left",
      "below",
      "below",
    ]);
  });

  test("of a call that took no time divides by nothing", () => {
    const instant = call("{}", { use_time_ms: 0, first_token_ms: 0 });
    expect(
      waterfallOf(instant, [{ id: 1, name: "", start_ms: 0, ms: 0, status: 0, reason: "", type: undefined }]).bars,
    ).toMatchObject([{ left: 0, width: 0, waiting: 0 }]);
  });

  test("has even steps and at most 8 lines, fewer where their words are wide, however long the call", () => {
    for (const totalMs of [1, 90, 999, 6200, 61_000, 3_600_000, 90_000_000])
      expect(totalMs / tickStep(totalMs)).toBeLessThanOrEqual(7);
    expect(tickStep(6200)).toBe(1000);
    expect(tickStep(3_723_400)).toBe(1_200_000);
    expect(90_000_000 / tickStep(90_000_000)).toBeLessThanOrEqual(4);
  });
});

test("times are plain until they are slow: 101 and 300 s in all, 3 and 10 s to the first token", () => {
  expect([100_999, 101_000, 299_999, 300_000].map((ms) => slowness(ms, [101, 300]))).toEqual([
    undefined,
    "amber",
    "amber",
    "red",
  ]);
  expect([2999, 3000, 10_000].map((ms) => slowness(ms, [3, 10]))).toEqual([undefined, "amber", "red"]);
});

test("the channels that failed before the last are named once each, in order", () => {
  const tried = [3, 3, 5, 3, 4].map((id) => ({ id, name: `c${id}` }));
  expect(triedBefore(tried).map(({ id }) => id)).toEqual([3, 5]);
  expect(triedBefore([{ id: 4, name: "c4" }])).toEqual([]);
  expect(triedBefore([])).toEqual([]);
});

test("speed counts the streaming alone, and says nothing of what did not stream", () => {
  expect(tokensPerSecond(call("{}"))).toBe(25);
  expect(tokensPerSecond(call("{}", { is_stream: false }))).toBeUndefined();
  expect(tokensPerSecond(call("{}", { use_time_ms: 2010 }))).toBeUndefined();
});

test("an option that is JSON is shown as what it says, and a text that only looks so as it is", () => {
  const info = { option: "GroupRatio", from: '{"vip":1}', to: '{"vip": 0.8}', note: "{not json" };
  const row = { type: 3, use_time_ms: 0, other: JSON.stringify({ admin_info: info }) };
  expect(receiptOf(row).detail).toEqual({
    option: "GroupRatio",
    from: { vip: 1 },
    to: { vip: 0.8 },
    note: "{not json",
  });
});

test("what was written to caches is all of it, for minutes and for an hour", () => {
  const written = (other: object) => cacheWritten(receiptOf({ type: 2, use_time_ms: 0, other: JSON.stringify(other) }));
  expect(written({ cache_creation_tokens: 6200, cache_creation_long_tokens: 8000 })).toBe(14_200);
  expect(written({ cache_creation_long_tokens: 8000 })).toBe(8000);
  expect(written({})).toBe(0);
});
