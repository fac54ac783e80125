/** Tests of the default prices of speech, transcription and images: a minute, a million characters or an image costs the public price in USD. */
import { describe, expect, test } from "vitest";
import { imageUsage, speechUsage, transcriptionUsage } from "../../../contract/src/pricing/operation-usage.ts";
import { chargeQuota } from "../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type Usage } from "../../../contract/src/pricing/usage.ts";
import { parsePriceTables, resolvePrice } from "./prices.ts";

const NONE = parsePriceTables({});
const QUOTA_PER_USD = 500_000;

/** USD of a usage at the default price. */
function usdOf(model: string, usage: Partial<Usage>): number {
  const price = resolvePrice(model, NONE);
  if (price === undefined) throw new Error(`${model} has no price`);
  return chargeQuota({ ...NO_USAGE, ...usage }, price, "1", String(QUOTA_PER_USD)) / QUOTA_PER_USD;
}

describe("a recording", () => {
  // developers.openai.com/api/docs/models/whisper-1, .../gpt-realtime-whisper; groq.com/pricing
  test.each([
    ["whisper-1", 0.36],
    ["gpt-realtime-whisper", 1.02],
    ["whisper-large-v3", 0.111],
    ["whisper-large-v3-turbo", 0.04],
  ])("of an hour by %s is %s USD", (model, usd) => {
    expect(usdOf(model, transcriptionUsage(3600))).toBe(usd);
  });

  // developers.openai.com/api/docs/pricing: USD for 1M tokens of text in, sound in, text out
  test.each([
    ["gpt-4o-transcribe", 2.5, 6, 10],
    ["gpt-4o-mini-transcribe", 1.25, 3, 5],
    ["gpt-4o-mini-transcribe-2025-12-15", 1.25, 3, 5],
  ])("by the tokens of %s", (model, text, sound, out) => {
    expect(usdOf(model, { inputTokens: 1_000_000 })).toBe(text);
    expect(usdOf(model, { inputTokens: 1_000_000, audioInputTokens: 1_000_000 })).toBe(sound);
    expect(usdOf(model, { outputTokens: 1_000_000 })).toBe(out);
  });
});

describe("speech", () => {
  // developers.openai.com/api/docs/models/tts-1 and tts-1-hd
  test.each([
    ["tts-1", 15],
    ["tts-1-1106", 15],
    ["tts-1-hd", 30],
    ["tts-1-hd-1106", 30],
  ])("of 1M characters by %s is %s USD", (model, usd) => {
    expect(usdOf(model, speechUsage(model, "x".repeat(1_000_000), 0))).toBe(usd);
  });

  // developers.openai.com/api/docs/models/gpt-4o-mini-tts; ai.google.dev/gemini-api/docs/pricing
  test.each([
    ["gpt-4o-mini-tts", 0.6, 12],
    ["gpt-4o-mini-tts-2025-12-15", 0.6, 12],
    ["gemini-2.5-flash-preview-tts", 0.5, 10],
    ["gemini-2.5-pro-preview-tts", 1, 20],
  ])("of %s is %s USD for 1M tokens of text and %s for 1M tokens of sound", (model, text, sound) => {
    expect(usdOf(model, { inputTokens: 1_000_000 })).toBe(text);
    expect(usdOf(model, { outputTokens: 1_000_000, audioOutputTokens: 1_000_000 })).toBe(sound);
  });

  // developers.openai.com/api/docs/pricing, audio tokens
  test.each([
    ["gpt-audio", 32, 64],
    ["gpt-realtime", 32, 64],
    ["gpt-realtime-mini", 10, 20],
    ["gpt-4o-audio-preview", 40, 80],
  ])("heard and said by %s is %s and %s USD for 1M tokens", (model, heard, said) => {
    expect(usdOf(model, { inputTokens: 1_000_000, audioInputTokens: 1_000_000 })).toBeCloseTo(heard, 6);
    expect(usdOf(model, { outputTokens: 1_000_000, audioOutputTokens: 1_000_000 })).toBeCloseTo(said, 6);
  });
});

describe("a picture", () => {
  // developers.openai.com/api/docs/models/dall-e-2 and dall-e-3; ai.google.dev/gemini-api/docs/pricing
  test.each([
    ["dall-e-2", "256x256", "standard", 0.016],
    ["dall-e-2", "512x512", "standard", 0.018],
    ["dall-e-2", "1024x1024", "standard", 0.02],
    ["dall-e-3", "1024x1024", "standard", 0.04],
    ["dall-e-3", "1792x1024", "standard", 0.08],
    ["dall-e-3", "1024x1024", "hd", 0.08],
    ["dall-e-3", "1024x1792", "hd", 0.12],
    ["imagen-4.0-fast-generate-001", undefined, undefined, 0.02],
    ["imagen-4.0-generate-001", undefined, undefined, 0.04],
    ["imagen-4.0-ultra-generate-001", undefined, undefined, 0.06],
    ["imagen-3.0-generate-002", undefined, undefined, 0.03],
  ])("of %s at %s, %s is %s USD", (model, size, quality, usd) => {
    expect(usdOf(model, imageUsage({ model, size, quality, n: 1 }))).toBe(usd);
  });

  // developers.openai.com/api/docs/models/gpt-image-1 and its siblings; ai.google.dev/gemini-api/docs/pricing
  test.each([
    ["gpt-image-1", 5, 10, 40],
    ["gpt-image-1-mini", 2, 2.5, 8],
    ["gpt-image-1.5", 5, 8, 32],
    ["gpt-image-2", 5, 8, 30],
    ["gemini-2.5-flash-image", 0.3, 0.3, 30],
    ["gemini-3-pro-image-preview", 2, 2, 120],
  ])(
    "by the tokens of %s is %s USD for 1M of text, %s of pictures in and %s of pictures out",
    (model, text, seen, drawn) => {
      expect(usdOf(model, { inputTokens: 1_000_000 })).toBe(text);
      expect(usdOf(model, { inputTokens: 1_000_000, imageInputTokens: 1_000_000 })).toBe(seen);
      expect(usdOf(model, { outputTokens: 1_000_000, imageOutputTokens: 1_000_000 })).toBe(drawn);
    },
  );
});
