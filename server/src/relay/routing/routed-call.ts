/** The input of routing about a call: small enough that the same rules explain a call that was not made. */
import type { Holder } from "../../channels/conversations.ts";
import type { Operation } from "../../providers/provider.ts";
import type { RelayContext } from "../call/context.ts";
import type { Routes } from "../call/target.ts";
import type { Trace } from "../call/trace.ts";
import type { RetryBudget } from "./retry-budget.ts";

export type RoutingContext = Pick<
  RelayContext,
  "snapshot" | "providers" | "health" | "keyChoice" | "channelCalls" | "channelLatencies"
>;

/** The channel that had the call's conversation before, and its key. */
export interface HeldConversation extends Readonly<Holder> {
  /** The answer that the call continues is stored there and nowhere else. */
  readonly isOnlyThere: boolean;
  /** Once it fails no other channel is tried. */
  readonly skipsRetry?: boolean;
}

export interface RoutedCall {
  readonly call: {
    readonly context: RoutingContext;
    readonly operation: Operation;
    readonly trace: Pick<Trace, "tried" | "skip">;
  };
  readonly accepted: {
    readonly model: string;
    readonly isStream: boolean;
    readonly endpoint?: { readonly compacts?: true };
  };
  readonly routes: Routes;
  /** Tokens of its input, as near as an estimate comes. */
  readonly inputTokens: number;
  readonly retries: RetryBudget;
  /** Undefined where none had it, or no option wants to know. */
  readonly held: HeldConversation | undefined;
}
