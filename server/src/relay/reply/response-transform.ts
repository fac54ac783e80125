/** What a channel's settings make of its answers on their way to the client: known fields alone, thinking among the words. */
import type { StreamPipe } from "../../dialects/stream/stream.ts";
import { KnownFieldsPipe, withKnownFields } from "../../dialects/stream/known-fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { ThinkingInContent, ThinkingPipe, thinkingInContent } from "../../dialects/openai-chat/thinking-in-content.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Operation } from "../../providers/provider.ts";
import type { CallKind } from "../call/call.ts";
import type { Target } from "../call/target.ts";

const CONVERSATIONS: ReadonlySet<Operation> = new Set<Operation>(["chat", "completions"]);

/** Between two formats every answer is written anew, and has no other fields. */
const forcesFormat = ({ dialect, operation }: CallKind, { channel, dialect: own }: Target): boolean =>
  channel.setting.forcesFormat === true && own === dialect && CONVERSATIONS.has(operation);

/** The other formats have a place of their own for thinking, which all of their clients know. */
const movesThinking = ({ dialect, operation }: CallKind, { channel }: Target): boolean =>
  channel.setting.movesThinking === true && operation === "chat" && dialect === DIALECTS["openai-chat"];

/** The pipe of one stream with what the channel's settings ask for around it; the same pipe where they ask for nothing. */
export function transformedPipe(kind: CallKind, target: Target, pipe: StreamPipe): StreamPipe {
  const known = forcesFormat(kind, target) ? new KnownFieldsPipe(pipe, kind.dialect.name) : pipe;
  return movesThinking(kind, target) ? new ThinkingPipe(known) : known;
}

/** What becomes of a whole answer in the client's format; undefined where it stays as it is. */
export function answerTransform(kind: CallKind, target: Target): ((answer: JsonObject) => JsonObject) | undefined {
  const { name } = kind.dialect;
  const [forces, moves] = [forcesFormat(kind, target), movesThinking(kind, target)];
  if (!forces && !moves) return undefined;
  return (answer) => {
    const known = forces ? withKnownFields(name, answer) : answer;
    return moves ? thinkingInContent(known) : known;
  };
}

/** The frames of a stream that is written at once, as far as they do not close it. Texts are bytes as Latin-1. */
export function transformedFrames(kind: CallKind, target: Target, frames: string): string {
  if (!movesThinking(kind, target)) return frames;
  const thinking = new ThinkingInContent();
  return thinking.take(frames) + thinking.closingOf(thinking.open);
}
