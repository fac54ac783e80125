/** Keys, models and their prices, and answers to test calls. */
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { isKeySearch, maskedKey, shortKey } from "./key.ts";
import { callableModels, doctorCostUsd } from "./callable-models.ts";
import { modelCost } from "./model-prices.ts";
import { CallRefused, readAnswer } from "./test-answer.ts";

const key = "Vx71" + "m".repeat(40) + "0aD4";
const entry = (model_name: string, change: Partial<PricingEntry> = {}): PricingEntry => ({
  model_name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  completion_ratio: 4,
  cache_ratio: 1,
  cache_creation_ratio: 1.25,
  image_ratio: 1,
  audio_ratio: 1,
  audio_completion_ratio: 1,
  owner_by: "",
  create_cache_ratio: 1,
  supported_endpoint_types: [],
  enable_groups: ["default", "vip"],
  has_price: true,
  kind: "chat",
  ...change,
});

test("a key is shown short or masked, and a search for a key is distinguished from one for a name", () => {
  expect(shortKey(key)).toBe("sk-Vx71…0aD4");
  expect(maskedKey(key)).toHaveLength(51);
  expect(maskedKey(key)).not.toContain("m");
  expect(["sk-Vx", key, "ci-evals", "abc"].map(isKeySearch)).toEqual([true, true, false, false]);
});

test("a model costs its ratio times the group's in dollars for 1M tokens, or its price a call", () => {
  expect(modelCost(entry("gpt-4o"), 0.8, 500_000)).toEqual({ kind: "tokens", input: "2.00", output: "8.00" });
  expect(modelCost(entry("tiny", { model_ratio: 0.01, completion_ratio: 1 }), 0.8, 500_000)).toEqual({
    kind: "tokens",
    input: "0.016",
    output: "0.016",
  });
  expect(modelCost(entry("draw", { quota_type: 1, model_price: 0.04 }), 0.5, 500_000)).toEqual({
    kind: "call",
    price: "0.02",
  });
  expect(modelCost(entry("new", { has_price: false }), 1, 500_000)).toEqual({ kind: "none" });
});

test("a run of the doctor costs at most what its three calls send and may be answered with", () => {
  // gpt-4o at 2.50 and 10 USD for 1M tokens, at half the price: 600 tokens sent, 3 x 512 answered.
  expect(doctorCostUsd(entry("gpt-4o"), 0.5)).toBeCloseTo((600 * 1.25 + 1536 * 5) / 1e6, 12);
  expect(doctorCostUsd(entry("draw", { quota_type: 1, model_price: 0.04 }), 0.5)).toBeCloseTo(0.06, 12);
  expect(doctorCostUsd(entry("new", { has_price: false }), 1)).toBeUndefined();
});

test("a token calls the models of its group within its limits", () => {
  const entries = [entry("b"), entry("a"), entry("only-vip", { enable_groups: ["vip"] })];
  const token = { model_limits_enabled: false, model_limits: "" } as TokenRow;
  expect(callableModels(token, entries, "default")).toEqual(["a", "b"]);
  expect(
    callableModels({ ...token, model_limits_enabled: true, model_limits: "b,only-vip" }, entries, "default"),
  ).toEqual(["b"]);
});

test("a refused test call says what the relay said, with its request id", () => {
  expect(readAnswer(200, "req_1", { usage: { total_tokens: 21 } })).toEqual({ requestId: "req_1", tokens: 21 });
  expect(() =>
    readAnswer(403, "req_2", {
      error: { message: "Your address is not in the list of this API key. (request id: req_2)" },
    }),
  ).toThrow(new CallRefused("Your address is not in the list of this API key.", 403, "req_2"));
  expect(() => readAnswer(502, undefined, undefined)).toThrow("HTTP 502");
});
