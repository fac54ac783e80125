/** The charge of an incomplete response, by the rule of the option BrokenStreamBilling. */
import { NO_USAGE, type Usage } from "./usage.ts";

/** How an answer ended. */
export type AnswerEnd = "complete" | "client_left" | "upstream_broke" | "quota_reached";

export const BROKEN_STREAM_RULES = ["delivered", "input_only", "nothing"] as const;
export type BrokenStreamRule = (typeof BROKEN_STREAM_RULES)[number];

const withoutAnswer = (usage: Usage): Usage => ({
  ...usage,
  outputTokens: 0,
  reasoningTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  toolCalls: [],
});

/** The part of a usage that each rule charges. A fixed price has no separate input, so "input_only" charges all of it. */
const BILLED: Readonly<Record<BrokenStreamRule, (usage: Usage) => Usage>> = {
  delivered: (usage) => usage,
  input_only: ({ byTokens, ...usage }) => ({
    ...withoutAnswer(usage),
    ...(byTokens === undefined ? {} : { byTokens: withoutAnswer(byTokens) }),
  }),
  nothing: ({ isEstimated }) => ({ ...NO_USAGE, callFactor: "0", isEstimated }),
};

/**
 * The usage to charge: what arrived, or less where the upstream broke the answer off and the operator's rule is more lenient. An
 * answer that the client or an empty balance ended is always charged for what arrived; otherwise leaving early would be free.
 */
export const billedUsage = (usage: Usage, end: AnswerEnd, rule: BrokenStreamRule): Usage =>
  end === "upstream_broke" ? BILLED[rule](usage) : usage;
