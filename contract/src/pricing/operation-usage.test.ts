/** Usage of speech, recordings, images, rerank and embeddings, calculated by hand, and bounded for any request. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  embeddingsUsage,
  imageUsage,
  imagenUsage,
  isImageCount,
  rerankUsage,
  speechUsage,
  transcriptionUsage,
} from "./operation-usage.ts";
import { DEFAULT_RATIOS, MAX_CHARGE, chargeQuota } from "./pricing.ts";

const UNIT = "500000";
const byTokens = (ratio: string) => ({ kind: "per_token", ...DEFAULT_RATIOS, ratio }) as const;

describe("speech", () => {
  test.each([
    ["tts-1", "Hello", 5],
    ["tts-1-hd", "你好", 2],
    ["tts-1", "a👍b", 3],
    ["tts-1", "", 0],
  ])("%s reads %j: a token for each character", (model, text, inputTokens) => {
    expect(speechUsage(model, text, 99)).toMatchObject({ inputTokens, outputTokens: 0, isEstimated: false });
  });

  test("other models are paid by tokens, as estimated", () => {
    expect(speechUsage("gpt-4o-mini-tts", "Hello", 2)).toMatchObject({ inputTokens: 2, isEstimated: true });
  });

  test("a thousand characters of tts-1 are 0.015 USD", () => {
    expect(chargeQuota(speechUsage("tts-1", "x".repeat(1000), 0), byTokens("7.5"), "1", UNIT)).toBe(7500);
  });
});

test.each([
  [0, 0],
  [0.1, 17],
  [1, 17],
  [59.2, 1000],
  [60, 1000],
  [61, 1017],
  [90, 1500],
  [3600, 60_000],
  [-5, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 1_440_000],
])("a recording of %s s is %s tokens", (seconds, inputTokens) => {
  expect(transcriptionUsage(seconds)).toMatchObject({ inputTokens, outputTokens: 0 });
});

describe("pictures", () => {
  const price = { kind: "per_call", price: "0.04" } as const;

  test.each([
    ["dall-e-3", "1024x1024", "standard", 1, "1", 20_000],
    ["dall-e-3", "1024x1024", "hd", 1, "2", 40_000],
    ["dall-e-3", "1792x1024", undefined, 1, "2", 40_000],
    ["dall-e-3", "1024x1792", "hd", 1, "3", 60_000],
    ["dall-e-2", "256x256", undefined, 1, "0.8", 16_000],
    ["dall-e-2", "512x512", "hd", 3, "2.7", 54_000],
    ["dall-e-2", "1024x1024", undefined, 1, "1", 20_000],
    ["any", "256x256", undefined, 1, "0.4", 8_000],
    ["any", "512x512", "hd", 3, "1.35", 27_000],
    ["dall-e-3", "1024×1024", undefined, 2, "2", 40_000],
    ["any", undefined, undefined, 10, "10", 200_000],
  ])("%s at %s, %s, %s of them: %s × the price", (model, size, quality, n, callFactor, quota) => {
    const usage = imageUsage({ model, size, quality, n });
    expect(usage).toMatchObject({ callFactor, inputTokens: n });
    expect(chargeQuota(usage, price, "1", UNIT)).toBe(quota);
  });

  test("one to ten may be asked for", () => {
    expect([1, 10].map(isImageCount)).toEqual([true, true]);
    for (const n of [0, 11, -1, 1.5, 2 ** 40, "1", null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
      expect(isImageCount(n)).toBe(false);
  });

  test("where the price is by tokens and the upstream counts none, one is 258", () => {
    expect(imagenUsage(4)).toMatchObject({ inputTokens: 1032, callFactor: "4", isEstimated: true });
    expect(chargeQuota(imagenUsage(2), { kind: "per_call", price: "0.03" }, "1", UNIT)).toBe(30_000);
    expect(chargeQuota(imagenUsage(2), byTokens("1"), "1", UNIT)).toBe(516);
  });

  test("for any requested number, the charge is from 0 to ten pictures", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.bigInt().map(Number), fc.constant(-1e20)), fc.string(), (n, size) => {
        const quota = chargeQuota(imageUsage({ model: "dall-e-3", size, quality: "hd", n }), price, "1", UNIT);
        expect(Number.isSafeInteger(quota) && quota >= 0 && quota <= 600_000 && quota < MAX_CHARGE).toBe(true);
      }),
    );
  });
});

describe("embeddings and rerank", () => {
  test("are paid by what went in, as reported, else as estimated", () => {
    expect(embeddingsUsage({ reportedTokens: 8, estimatedTokens: 5 })).toMatchObject({
      inputTokens: 8,
      outputTokens: 0,
      isEstimated: false,
    });
    expect(embeddingsUsage({ estimatedTokens: 5 })).toMatchObject({ inputTokens: 5, isEstimated: true });
    expect(embeddingsUsage({ reportedTokens: -8, estimatedTokens: 5 })).toMatchObject({ inputTokens: 5 });
  });

  test("a rerank at a fixed price counts the upstream's search units, at least one", () => {
    const price = { kind: "per_call", price: "0.002" } as const;
    const charge = (searchUnits: number | undefined) =>
      chargeQuota(rerankUsage({ estimatedTokens: 500, searchUnits }), price, "1", UNIT);
    expect([undefined, 0, 1, 3, 1e12].map(charge)).toEqual([1000, 1000, 1000, 3000, 1_000_000]);
    expect(rerankUsage({ reportedTokens: 700, estimatedTokens: 5, searchUnits: 2 })).toMatchObject({
      inputTokens: 700,
      callFactor: "2",
    });
  });
});
