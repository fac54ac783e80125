/** Invariant I3: the price code and a second implementation of it agree on every charge. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ModelPrice, chargeQuota } from "../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, SURCHARGES, type Usage } from "../../../contract/src/pricing/usage.ts";
import { chargeDetail, readChargeDetail } from "./charge-detail.ts";
import { reprice } from "./reprice.ts";
import { runs } from "../../../tests/support/soak/short-or-long.ts";

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
        const detail = readChargeDetail(chargeDetail({ usage, price, groupRatio, quotaPerUnit, priceVersion: 7 }));
        if (detail === undefined) throw new Error("unreadable detail");
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
  const detail = chargeDetail({ usage: NO_USAGE, price, groupRatio: "1", quotaPerUnit: "1000", priceVersion: 1 });
  expect(detail).toBe('{"u":[0,0,0,0,0,0,0],"f":"0.04","g":"1","q":"1000","v":1}');
});

test("details that are not of a priced charge are not read", () => {
  expect(readChargeDetail("{}")).toBeUndefined();
  expect(readChargeDetail("not json")).toBeUndefined();
  expect(readChargeDetail('{"u":[1,2],"g":"1","q":"1","v":1}')).toBeUndefined();
});
