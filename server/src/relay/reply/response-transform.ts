/** Transforms answers for the client, by the vendor's rules or a channel's settings: content as text, known fields alone, thinking inside the text. */
import type { StreamPipe } from "../../dialects/stream/stream.ts";
import { KnownFieldsPipe, withKnownFields } from "../../dialects/stream/known-fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { ThinkingInContent, ThinkingPipe, thinkingInContent } from "../../dialects/openai-chat/thinking-in-content.ts";
import { ThinkingApartPipe, thinkingApart } from "../../dialects/openai-chat/thinking-apart.ts";
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

/** Between two formats thinking is apart anyway. */
const setsApart = ({ dialect, operation }: CallKind, { provider, dialect: own }: Target): boolean =>
  provider.manifest.thinksInParts === true &&
  operation === "chat" &&
  own === dialect &&
  dialect === DIALECTS["openai-chat"];

/** The pipe of one stream with what the channel's settings ask for around it; the same pipe where they ask for nothing. */
export function transformedPipe(kind: CallKind, target: Target, pipe: StreamPipe): StreamPipe {
  const apart = setsApart(kind, target) ? new ThinkingApartPipe(pipe) : pipe;
  const known = forcesFormat(kind, target) ? new KnownFieldsPipe(apart, kind.dialect.name) : apart;
  return movesThinking(kind, target) ? new ThinkingPipe(known, target.searches?.live?.thinking) : known;
}

/** What becomes of a whole answer in the client's format; undefined where it stays as it is. */
export function answerTransform(kind: CallKind, target: Target): ((answer: JsonObject) => JsonObject) | undefined {
  const { name } = kind.dialect;
  const [parts, forces, moves] = [setsApart, forcesFormat, movesThinking].map((asks) => asks(kind, target));
  if (parts !== true && forces !== true && moves !== true) return undefined;
  return (answer) => {
    const apart = parts === true ? thinkingApart(answer) : answer;
    const known = forces === true ? withKnownFields(name, apart) : apart;
    return moves === true ? thinkingInContent(known) : known;
  };
}

/** The frames of a stream that is written at once, as far as they do not close it. Texts are bytes as Latin-1. */
export function transformedFrames(kind: CallKind, target: Target, frames: string): string {
  if (!movesThinking(kind, target)) return frames;
  const { live } = target.searches ?? {};
  // Later rounds may go on with it.
  if (live !== undefined) return live.thinking.take(frames);
  const thinking = new ThinkingInContent();
  return thinking.take(frames) + thinking.closingOf(thinking.open);
}
