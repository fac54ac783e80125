/** Property test of invariant I3: the price code and a second implementation of it agree on every charge. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice, chargeQuota } from "../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, SURCHARGES, type Usage } from "../../../contract/src/pricing/usage.ts";
import { chargeDetail, ChargeDetailReader, readChargeDetail } from "./charge-detail.ts";
import { reprice } from "./audit.ts";
import { runs } from "../../../tests/support/soak/short-or-long.ts";

const NAMES = { model: "m", namedModel: "m" };

/** One for all runs, so that it remembers what it should not. */
const reader = new ChargeDetailReader();
const readByReader = (text: string) => {
  const read = reader.read(text);
  const u = [...(read?.counts ?? []), 0, 0, 0, 0, 0, 0, 0].slice(0, 7);
  return read && { ...read.detail, u };
};

const count = fc.oneof(
  fc.nat(200_000),
  fc.nat(2_000_000_000),
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true, min: 0, max: 1e6 }),
);
const ratio = fc.oneof(
  fc.constantFrom(
    "0",
    "1",
    "0.5",
    "1.25",
    "0.0715",
    "37.5",
    "66.667",
    "2e-7",
    "1E3",
    "0.333333333333",
    "123456789.123456789",
  ),
  fc.tuple(fc.nat(9_999), fc.nat(999_999)).map(([whole, decimals]) => `${whole}.${decimals}`),
);

const usages: fc.Arbitrary<Usage> = fc
  .record({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWriteLongTokens: count,
    imageInputTokens: count,
    audioInputTokens: count,
    audioOutputTokens: count,
    imageOutputTokens: count,
    callFactor: fc.constantFrom("1", "1", "2", "0.45", "0", "x", "1e20"),
    toolCalls: fc.oneof(
      fc.constant([]),
      fc.array(
        fc.record({
          tool: fc.constantFrom("web_search" as const, "file_search" as const),
          calls: fc.oneof(fc.nat(20), fc.integer({ min: -5, max: 1_000_000 })),
          usdPerThousand: ratio,
        }),
        { maxLength: 2 },
      ),
    ),
    surcharges: fc.array(fc.record({ surcharge: fc.constantFrom(...SURCHARGES), ratio }), { maxLength: 2 }),
  })
  .map((counts) => ({ ...NO_USAGE, ...counts }));

const prices: fc.Arbitrary<ModelPrice> = fc.oneof(
  fc.record({ kind: fc.constant("per_call" as const), price: ratio }),
  fc.record({
    kind: fc.constant("per_token" as const),
    ratio,
    completionRatio: ratio,
    cacheRatio: ratio,
    cacheCreationRatio: ratio,
    imageRatio: ratio,
    audioRatio: ratio,
    audioCompletionRatio: ratio,
  }),
  fc.record({
    kind: fc.constant("per_token" as const),
    ratio,
    completionRatio: ratio,
    cacheRatio: ratio,
    cacheCreationRatio: ratio,
    imageRatio: ratio,
    audioRatio: ratio,
    audioCompletionRatio: ratio,
    imageOutputRatio: ratio,
    tiers: fc.uniqueArray(
      fc.record({
        aboveInputTokens: fc.nat(300_000),
        ratio,
        completionRatio: ratio,
        cacheRatio: ratio,
        cacheCreationRatio: ratio,
      }),
      { maxLength: 3, selector: ({ aboveInputTokens }) => aboveInputTokens },
    ),
  }),
);

test("both give the same quota for any usage, price, group and QuotaPerUnit, by way of the ledger's detail", () => {
  fc.assert(
    fc.property(
      usages,
      prices,
      ratio,
      fc.constantFrom("500000", "1", "1000.5"),
      (usage, price, groupRatio, quotaPerUnit) => {
        const priced = { usage, price, groupRatio, quotaPerUnit, priceVersion: 7 };
        const detail = readChargeDetail(chargeDetail({ ...priced, ...NAMES }));
        if (detail === undefined) throw new Error("unreadable detail");
        expect(readByReader(chargeDetail({ ...priced, ...NAMES }))).toEqual(detail);
        expect(reprice(detail)).toBe(chargeQuota(usage, price, groupRatio, quotaPerUnit));
      },
    ),
    { numRuns: runs(500) },
  );
});

test("rows from before there were tools, tiers, hourly caches and factors are read and priced as ever", () => {
  const byTokens = readChargeDetail(
    '{"u":[1000,500,400,100,0,0,0],"r":["1.5","5","0.1","1.25","20","1","2"],"g":"0.8","q":"500000","v":3}',
  );
  const byCall = readChargeDetail('{"u":[9,9,0,0,0,0,0],"e":1,"f":"0.04","g":"0.5","q":"500000","v":3}');
  expect([byTokens, byCall].map((detail) => detail && reprice(detail))).toEqual([3798, 10_000]);
});

test("a plain charge has no letter it does not need", () => {
  const price = { kind: "per_call", price: "0.04" } as const;
  const terms = { price, groupRatio: "1", quotaPerUnit: "1000", priceVersion: 1, ...NAMES };
  expect(chargeDetail({ usage: NO_USAGE, ...terms })).toBe('{"n":[],"g":"1","q":"1000","v":1,"f":"0.04"}');
  const usage = { ...NO_USAGE, inputTokens: 9, cacheReadTokens: 4 };
  expect(chargeDetail({ usage, ...terms })).toBe('{"n":[9,0,4],"g":"1","q":"1000","v":1,"f":"0.04"}');
});

test("what this price does not ask for and another one would is kept", () => {
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens: 1,
    cacheWriteLongTokens: 5,
    imageOutputTokens: 6,
    callFactor: "2",
    byTokens: { ...NO_USAGE, inputTokens: 40, imageOutputTokens: 7 },
    surcharges: [{ surcharge: "speed_fast", ratio: "2" }],
    toolCalls: [
      {
        tool: "image_generation",
        calls: 4,
        usdPerThousand: "40",
        alike: [
          { calls: 1, model: "own" },
          { calls: 1, model: "own", size: "low" },
          { calls: 2, model: "other", name: "1024x1024", size: "high" },
        ],
      },
    ],
  };
  const terms = { usage, groupRatio: "1", quotaPerUnit: "1000", priceVersion: 1, model: "m", namedModel: "own" };
  const kept = {
    w: [5, "1.6"],
    o: 6,
    c: "2",
    b: [40, 0, 0, 0, 0, 0, 0, 0, 7],
    t: [["image_generation", 4, "40", [[1], [1, "low"], [2, "high", "1024x1024", "other"]]]],
    m: [["speed_fast", "2"]],
    a: "own",
    isComplete: true,
  };
  const fixed = readChargeDetail(chargeDetail({ ...terms, price: { kind: "per_call", price: "0.04" } }));
  expect(fixed).toEqual({ ...kept, u: [1, 0, 0, 0, 0, 0, 0], f: "0.04", g: "1", q: "1000", v: 1 });
  const perToken = { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS } as const;
  expect(readChargeDetail(chargeDetail({ ...terms, price: perToken }))).toMatchObject({
    ...kept,
    r: ["1", "1", "1", "1.25", "20", "1", "2"],
  });
});

test("details that are not of a priced charge are not read", () => {
  const whole = { n: [1], r: ["1", "1", "1", "1", "1", "1", "1"], g: "1", q: "1", v: 1 };
  expect(readChargeDetail(JSON.stringify(whole))).toBeDefined();
  const broken: object[] = [
    { n: undefined },
    { n: [1, 2, 3, 4, 5, 6, 7, 8] },
    { n: ["1"] },
    { n: [[1]] },
    { u: [0, 0, 0, 0, 0, 0, 0] },
    { n: undefined, u: [1, 2] },
    { r: ["1"] },
    { r: [1, 1, 1, 1, 1, 1, 1] },
    { f: 1 },
    { w: [1] },
    { t: [["web_search", "1", "10"]] },
    { t: [["web_search", 1, "10", [["medium"]]]] },
    { m: [["speed_fast"]] },
    { x: [[1, "1"]] },
    { b: "1" },
    { c: 2 },
    { e: 0 },
    { g: 1 },
    { q: undefined },
    { v: "1" },
  ];
  const isRead = (change: object) => readChargeDetail(JSON.stringify({ ...whole, ...change })) !== undefined;
  expect(broken.filter(isRead)).toEqual([]);
  const isReadByReader = (change: object) => readByReader(JSON.stringify({ ...whole, ...change })) !== undefined;
  expect(broken.filter(isReadByReader)).toEqual([]);
  for (const text of ["{}", "not json", "null", "7", "[]"]) expect(readChargeDetail(text)).toBeUndefined();
});
