/** Charges of incomplete responses: each rule with prices by tokens and by call. */
import { expect, test } from "vitest";
import { type AnswerEnd, BROKEN_STREAM_RULES, type BrokenStreamRule, billedUsage } from "./broken-stream.ts";
import { DEFAULT_RATIOS, chargeQuota } from "./pricing.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const USAGE: Usage = {
  ...NO_USAGE,
  inputTokens: 100,
  outputTokens: 50,
  cacheReadTokens: 20,
  reasoningTokens: 10,
  audioOutputTokens: 5,
  imageOutputTokens: 5,
  callFactor: "2",
  toolCalls: [{ tool: "web_search", calls: 1, usdPerThousand: "10" }],
  isEstimated: true,
};
const BY_TOKENS = { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS, audioRatio: "1" } as const;
const BY_CALL = { kind: "per_call", price: "0.01" } as const;

const charges = (end: AnswerEnd, rule: BrokenStreamRule): number[] => {
  const usage = billedUsage(USAGE, end, rule);
  return [BY_TOKENS, BY_CALL].map((price) => chargeQuota(usage, price, "1", "500000"));
};

test.each([
  ["delivered", [5155, 15_000]],
  ["input_only", [100, 10_000]],
  ["nothing", [0, 0]],
] as const)("an answer that the upstream broke off, by the rule %s", (rule, expected) => {
  expect(charges("upstream_broke", rule)).toEqual(expected);
  expect(billedUsage(USAGE, "upstream_broke", rule).isEstimated).toBe(true);
});

test.each(["complete", "client_left", "quota_reached"] as const)(
  "%s is charged for what arrived by every rule",
  (end) => {
    for (const rule of BROKEN_STREAM_RULES) expect(billedUsage(USAGE, end, rule)).toBe(USAGE);
  },
);
