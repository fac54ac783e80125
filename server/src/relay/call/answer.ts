/** An upstream's answer as the later steps see it: its usage, how it ended, and how it is completed for the client. */
import type { ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { RelayError } from "./relay-error.ts";
import type { Target } from "./target.ts";

/** How an answer ended. */
export type AnswerEnd = "complete" | "client_left" | "upstream_broke" | "quota_reached";

/** The answer of an upstream as far as it came, without its closing frames, which wait for the settlement. */
export interface Answer {
  /** The target that answered. */
  target: Target;
  end: AnswerEnd;
  /** HTTP status of the upstream. */
  status: number;
  /** As the upstream wrote it; undefined where it sent none. */
  rawUsage: unknown;
  /** Tier of service that it says it was given in, where the channel allows tiers. */
  tier?: string | undefined;
  /** Tokens of the answer's words that came, estimated. */
  wordTokens: number;
  /** Pictures that came, where they are counted. */
  pictures?: number;
  /** Rounds before this one, where searches were made between them: what they used is used by the call. */
  earlier?: readonly Answer[];
  /** Searches that were made for it here, at the site's own price. */
  searches?: { calls: number; usdPerThousand: string };
  /** Calls of the vendor's priced tools that came, without their prices. */
  toolCalls?: readonly ToolCalls[];
  /** True where the upstream said how a stream ends, although the stream itself did not end so. */
  hasFinish?: boolean;
  /** True where the gateway itself broke it off, for want of memory or because the ledger is away: no fault of the channel. */
  isOwnFault?: boolean;
  /** The client's error where the answer broke off. */
  error?: RelayError;
  /** True once some of the answer was handed to the client. */
  isDelivered: boolean;
  /** Ends the answer for the client; called after the commit. `usage` is what was posted. */
  complete(usage: Usage): void;
}

/** The result of one attempt at one channel. */
export type SendResult = Answer | UpstreamFailure;

export const isAnswer = (result: SendResult): result is Answer => "end" in result;
