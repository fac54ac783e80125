/** What a call is let in by: its terms, and what its request lets expect. */
import type { HoldEstimate } from "../../../../contract/src/pricing/pricing.ts";
import type { AudioLength } from "../request/audio-length.ts";
import type { Terms } from "./terms.ts";

export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Quote {
  readonly terms: Terms;
  /** On the high side, as everything that is held. */
  readonly estimate: HoldEstimate;
  /** Tokens of the request, as near as an estimate comes: for an upstream that counts none. */
  readonly promptTokens: number;
  /** Tokens of the answer that the hold covers. */
  readonly outputTokens: number;
  /** Length of the recording in the request. */
  readonly recording: AudioLength | undefined;
}
