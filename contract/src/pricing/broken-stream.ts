/** What is paid for when an answer did not end well, by the rule of the option BrokenStreamBilling. */
import { NO_USAGE, type Usage } from "./usage.ts";

/** How an answer ended. */
export type AnswerEnd = "complete" | "client_left" | "upstream_broke" | "quota_reached";

export const BROKEN_STREAM_RULES = ["delivered", "input_only", "nothing"] as const;
export type BrokenStreamRule = (typeof BROKEN_STREAM_RULES)[number];

/** What each rule leaves of a usage. A fixed price has no input of its own: "input_only" leaves it whole. */
const BILLED: Readonly<Record<BrokenStreamRule, (usage: Usage) => Usage>> = {
  delivered: (usage) => usage,
  input_only: (usage) => ({
    ...usage,
    outputTokens: 0,
    reasoningTokens: 0,
    audioOutputTokens: 0,
    imageOutputTokens: 0,
    toolCalls: [],
  }),
  nothing: ({ isEstimated }) => ({ ...NO_USAGE, callFactor: "0", isEstimated }),
};

/**
 * The usage to charge for: what arrived, or less where the upstream broke the answer off and the operator's rule is kinder. An
 * answer that its reader or an empty balance ended is always charged for what arrived, or leaving early would be free.
 */
export const billedUsage = (usage: Usage, end: AnswerEnd, rule: BrokenStreamRule): Usage =>
  end === "upstream_broke" ? BILLED[rule](usage) : usage;
