/** Surcharge ratios: the vendors' factors by model, and what an operator may write instead. */
import { expect, test } from "vitest";
import { parseOptions, validateOption } from "../options/options.ts";
import { DEFAULT_SURCHARGE_RATIOS, DEFAULT_SURCHARGES, surchargeRatio } from "./surcharge-ratios.ts";
import { SURCHARGES } from "./usage.ts";

const DEFAULTS = parseOptions(new Map());

test.each([
  ["inference_geo_us", "claude-opus-4-6", "1.1"],
  ["inference_geo_us", "claude-sonnet-5", "1.1"],
  ["speed_fast", "claude-opus-4-6", "6"],
  ["speed_fast", "claude-opus-4-7-20260416", "6"],
  ["speed_fast", "claude-opus-4-8", "2"],
  ["speed_fast", "claude-opus-5-5", "2"],
  ["service_tier_priority", "gpt-5.6-sol", "2"],
  ["service_tier_priority", "gpt-5.5", "2.5"],
  ["service_tier_priority", "gpt-5-mini-2025-08-07", "1.8"],
  ["service_tier_priority", "gpt-4.1-mini", "1.75"],
  ["service_tier_priority", "gpt-4.1-nano", "2"],
  ["service_tier_priority", "gpt-4o-2024-11-20", "1.7"],
  ["service_tier_priority", "gpt-4o-2024-05-13", "1.75"],
  ["service_tier_priority", "gpt-4o-mini-2024-07-18", "1.666667"],
  ["service_tier_priority", "o3", "1.75"],
  ["service_tier_priority", "o4-mini", "1.818182"],
  ["service_tier_priority", "gemini-2.5-flash", "1.8"],
  ["service_tier_ultrafast", "gpt-6-astra", "6"],
  ["service_tier_flex", "gpt-5", "0.5"],
  ["service_tier_flex", "gemini-2.5-pro", "0.5"],
] as const)("%s of %s multiplies its tokens by %s", (surcharge, model, ratio) => {
  expect(surchargeRatio(DEFAULTS, surcharge, model)).toBe(ratio);
});

test("every default ratio names the vendor's page, and the option's text is the table", () => {
  expect(SURCHARGES.filter((surcharge) => !DEFAULT_SURCHARGES[surcharge].page.startsWith("https://"))).toEqual([]);
  expect(parseOptions(new Map([["PremiumRatios", DEFAULT_SURCHARGE_RATIOS]])).PremiumRatios).toEqual(
    DEFAULTS.PremiumRatios,
  );
});

test("an operator's entry replaces the surcharge's own, without rounding, and what it omits has its default", () => {
  const text = '{"inference_geo_us":{"*":1.10000000000000001,"claude-x*":1}}';
  expect(validateOption("PremiumRatios", text, DEFAULTS).normalised).toBe(text);
  const options = parseOptions(new Map([["PremiumRatios", text]]));
  expect(surchargeRatio(options, "inference_geo_us", "claude-a")).toBe("1.10000000000000001");
  expect(surchargeRatio(options, "inference_geo_us", "claude-x-1")).toBe("1");
  expect(surchargeRatio(options, "inference_geo_us", "__proto__")).toBe("1.10000000000000001");
  expect(options.PremiumRatios.speed_fast).toEqual(DEFAULTS.PremiumRatios.speed_fast);
});

test.each([
  ["[]", /JSON map/],
  ['{"speed_fast":{"claude*":2}}', /every other model/],
  ['{"speed_fast":{"*":-1}}', /speed_fast/],
  ['{"speed_fast":{"*":"2"}}', /speed_fast/],
  ['{"speed_slow":{"*":2}}', /speed_slow/],
])("%s is refused", (text, reason) => {
  expect(() => validateOption("PremiumRatios", text, DEFAULTS)).toThrow(reason);
});
