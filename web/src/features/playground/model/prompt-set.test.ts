/** A set of prompts is bounded, has its price before it runs, and its table is safe to open. */
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { csvOf, estimated, linesOf, LINES_MOST, problemOf, type PricedModel } from "./prompt-set.ts";

const entry = (more: Partial<PricingEntry>): PricingEntry =>
  ({ quota_type: 0, model_ratio: 1, completion_ratio: 4, model_price: 0, has_price: true, ...more }) as PricingEntry; // the fields that are read
const priced = (more: Partial<PricingEntry>, rest: Partial<PricedModel> = {}): PricedModel => ({
  entry: entry(more),
  groupRatio: 1,
  maxTokens: undefined,
  ...rest,
});

test("each line that is not blank is a prompt, up to fifty", () => {
  expect(linesOf(" one\r\n\n two \n\t\n")).toEqual(["one", "two"]);
  expect(problemOf([])).toBe("empty");
  expect(problemOf(Array.from({ length: LINES_MOST }, () => "x"))).toBeUndefined();
  expect(problemOf(Array.from({ length: LINES_MOST + 1 }, () => "x"))).toBe("many");
  expect(problemOf(["x".repeat(4001)])).toBe("long");
});

test("the price counts each prompt with each model, in its group", () => {
  // (100 + 500 x 4) x $2 / 1M
  const one = estimated(["x".repeat(360)], "y".repeat(40), [priced({})]);
  expect(one).toEqual({ calls: 1, usd: expect.closeTo(0.0042, 8), isWhole: true });
  const many = estimated(["a", "b"], "", [
    priced({ quota_type: 1, model_price: 0.1 }, { groupRatio: 0.5 }),
    priced({ has_price: false }),
    priced({}, { maxTokens: 10 }),
  ]);
  expect(many).toEqual({ calls: 6, usd: expect.closeTo(0.1 + 2 * 0.000082, 8), isWhole: false });
});

test("CSV quotes what has commas and lines, and no cell is a formula", () => {
  const cell = { state: "done", text: '=1+1, "x"\ny', figures: { quota: 500, firstTokenMs: 12.4 } } as const;
  const failed = {
    state: "failed",
    text: "",
    figures: {},
    failure: { message: "Refused", code: "x", status: 400 },
  } as const;
  expect(csvOf(["-hi"], ["m", "n"], [[cell, failed]], 500_000)).toBe(
    "prompt,model,answer,error,cost_usd,first_token_ms,tokens_per_second,tokens\r\n" +
      `'-hi,m,"'=1+1, ""x""\ny",,0.001,12,,\r\n` +
      "'-hi,n,,Refused,,,,\r\n",
  );
});
