/** Records a channel's result for the routing of later calls: its latency, and the conversation it now has. */
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { type SendResult, isAnswer } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import { type Conversation, storedConversation } from "./conversation.ts";

/** A channel that fails at once is not a fast one. */
const FAILED_MS = 10_000;

interface Routed {
  readonly call: Call;
  readonly accepted: { readonly model: string; readonly isStream: boolean };
  readonly conversation: Conversation | undefined;
}

/** Time to the first token in milliseconds, of a failure at least what a slow channel takes; undefined where it says nothing. */
function latencyOf({ trace }: Call, result: SendResult): number | undefined {
  const tried = trace.tried.at(-1);
  if (tried === undefined) return undefined;
  if (isAnswer(result)) return trace.firstByteMs === 0 ? undefined : Math.max(1, trace.firstByteMs - tried.start_ms);
  // What the request itself is refused for says nothing of the channel.
  return result.kind === "invalid" || result.kind === "content" ? undefined : Math.max(FAILED_MS, tried.ms);
}

/** Called once for each channel that was asked; does nothing while no option wants to know. */
export function learn({ call, accepted, conversation }: Routed, channel: SnapshotChannel, result: SendResult): void {
  const { snapshot, channelLatencies, conversations } = call.context;
  const nowMs = performance.now();
  if (snapshot.options.ChannelChoice === "latency" && call.operation !== "realtime") {
    const ms = latencyOf(call, result);
    const asked = { operation: call.operation, model: accepted.model, isStream: accepted.isStream };
    if (ms !== undefined) channelLatencies.note(asked, channel.id, ms, nowMs);
  }
  if (conversation === undefined || !isAnswer(result) || result.end === "upstream_broke") return;
  const holder = { channelId: channel.id, keyId: result.target.channel.ofKey?.id ?? 0 };
  conversations.note(conversation.key, holder, conversation.seconds, nowMs);
  const { answerId } = call.trace;
  if (answerId === "" || result.target.dialect.name !== "openai-responses") return;
  const stored = storedConversation(conversation.userId, accepted.model, answerId);
  conversations.note(stored.key, holder, stored.seconds, nowMs);
}
