/** A call as routing reads it, over a snapshot in memory, for tests of its route without making it. */
import { createMemoryCache } from "../../../server/src/cache/memory.ts";
import { KeyChoice } from "../../../server/src/channels/key-choice.ts";
import { ChannelHealth } from "../../../server/src/channels/health.ts";
import { ChannelLatencies } from "../../../server/src/channels/latencies.ts";
import { providerRegistry } from "../../../server/src/providers/registry.ts";
import { OpenCalls } from "../../../server/src/relay/call/open-calls.ts";
import { Trace } from "../../../server/src/relay/call/trace.ts";
import { RetryBudget } from "../../../server/src/relay/routing/retry-budget.ts";
import type { RoutedCall, RoutingContext } from "../../../server/src/relay/routing/routed-call.ts";
import type { Snapshot } from "../../../server/src/snapshot/snapshot.ts";

export type TestRouting = RoutingContext & { health: ChannelHealth; channelCalls: OpenCalls };

/** What routing asks beside the snapshot, in the state of a process that has just begun. */
export async function routingOver(snapshot: Snapshot, health = new ChannelHealth()): Promise<TestRouting> {
  return {
    snapshot,
    providers: providerRegistry(),
    health,
    keyChoice: new KeyChoice(),
    channelCalls: new OpenCalls({ kind: "channel", cache: createMemoryCache(), processCount: () => 1 }),
    channelLatencies: new ChannelLatencies(),
  };
}

/** A chat call of 100 tokens in the group default, unless `changes` says otherwise. */
export function routedCall(
  context: RoutingContext,
  changes: Partial<Omit<RoutedCall, "call" | "accepted">> & { model?: string; group?: string } = {},
): RoutedCall & { call: { trace: Trace } } {
  const { model = "gpt-4o", group = "default", ...rest } = changes;
  const call = { context, operation: "chat" as const, trace: new Trace() };
  return {
    call,
    accepted: { model, isStream: true },
    routes: { tiers: context.snapshot.tiersFor(group, model), pinnedChannelId: 0 },
    inputTokens: 100,
    retries: new RetryBudget(call),
    held: undefined,
    ...rest,
  };
}

/** Numbers from 0 to 1 that look like chance and are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
