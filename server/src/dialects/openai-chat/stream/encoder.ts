/** Neutral events -> chunks of a chat completions stream (platform.openai.com/docs/api-reference/chat/streaming). */
import type { Usage } from "../../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { StreamEncoder } from "../../stream/stream.ts";
import {
  type FinishReason,
  type JsonObject,
  type MediaSource,
  type NeutralEvent,
  pictureText,
  type Signature,
} from "../../neutral/neutral.ts";
import { packSignature } from "../../neutral/signature.ts";
import { answerId, wantsFunctionCall } from "../answer.ts";
import { annotationOf } from "../citations.ts";
import { finishWord } from "../finish.ts";
import { errorFrame } from "../errors.ts";
import { DONE_FRAME } from "./frames.ts";
import { callExtra, detailOf, isCarried } from "../signature.ts";
import { encodeUsage } from "../usage.ts";

type EventOf<Kind extends NeutralEvent["kind"]> = Extract<NeutralEvent, { kind: Kind }>;

/** One of the answers that go out in a stream. */
class ChoiceWriter {
  finish: FinishReason | undefined = undefined;
  /** Everything of a chunk before its delta, and everything behind it. */
  readonly #head: string;
  readonly #tail: string;
  /** The client knows the retired functions only. */
  readonly #isLegacy: boolean;
  #hasRole = false;
  #hasCalls = false;
  #hasRefusal = false;
  /** Characters of text so far, and where the part that is being written began. */
  #length = 0;
  #partStart = 0;
  #isInText = false;
  /** Thinking since the last signature: the entry of reasoning_details repeats it, so that a list of the entries says all. */
  #thought = "";
  #details = 0;
  /** The only signature of thinking so far, which the first call carries too; undefined where there is none or more. */
  #carried: Signature | undefined = undefined;
  /** Index of the call that has no arguments yet. */
  #bareCall: number | undefined = undefined;

  constructor(index: number, head: string, tail: string, isLegacy: boolean) {
    this.#head = `${head}{"index":${index},"delta":`;
    this.#tail = tail;
    this.#isLegacy = isLegacy;
  }

  /** A chunk with this delta, given as JSON text. The first one says who speaks. */
  #chunk(delta: string): string {
    const frame = `${this.#head}${delta},"logprobs":null,"finish_reason":null}]${this.#tail}`;
    return this.#hasRole ? frame : this.open(null) + frame;
  }

  /** The chunk that opens the answer, with null if it does not begin with text; empty if it is open. */
  open(content: "" | null): string {
    if (this.#hasRole) return "";
    this.#hasRole = true;
    return this.#chunk(`{"role":"assistant","content":${JSON.stringify(content)},"refusal":null}`);
  }

  /** The call that ends here must have arguments: an empty text is no JSON. */
  #endCall(): string {
    const index = this.#bareCall;
    if (index === undefined) return "";
    this.#bareCall = undefined;
    return this.#argumentsChunk(index, "{}");
  }

  #argumentsChunk(index: number, text: string): string {
    const called = `{"arguments":${JSON.stringify(text)}}`;
    if (this.#isLegacy) return index === 0 ? this.#chunk(`{"function_call":${called}}`) : "";
    return this.#chunk(`{"tool_calls":[{"index":${index},"function":${called}}]}`);
  }

  text(text: string): string {
    if (text === "") return "";
    const before = this.open("") + this.#endCall();
    if (!this.#isInText) this.#partStart = this.#length;
    this.#isInText = true;
    this.#length += text.length;
    return before + this.#chunk(`{"content":${JSON.stringify(text)}}`);
  }

  image(source: MediaSource): string {
    const frame = this.text(pictureText(source));
    this.#isInText = false;
    return frame;
  }

  reasoning(text: string): string {
    this.#isInText = false;
    if (text === "") return "";
    this.#thought += text;
    return this.#endCall() + this.#chunk(`{"reasoning_content":${JSON.stringify(text)}}`);
  }

  signature(signature: Signature, isRedacted: boolean): string {
    this.#isInText = false;
    const text = isRedacted ? "" : this.#thought;
    if (!isRedacted) this.#thought = "";
    const pack = (own: Signature): string => packSignature(own, "openai-chat");
    const detail = detailOf({ kind: "reasoning", text, signature, isRedacted }, this.#details, pack);
    this.#details += 1;
    this.#carried = this.#details === 1 && !isRedacted && isCarried(signature) ? signature : undefined;
    return this.#endCall() + this.#chunk(JSON.stringify({ reasoning_details: [detail] }));
  }

  refusal(text: string): string {
    this.#isInText = false;
    if (text === "") return "";
    this.#hasRefusal = true;
    return this.#endCall() + this.#chunk(`{"refusal":${JSON.stringify(text)}}`);
  }

  call({ index, id, name, signature }: EventOf<"tool_call">): string {
    this.#isInText = false;
    const before = this.#endCall();
    this.#hasCalls = true;
    this.#bareCall = index;
    if (this.#isLegacy) {
      return index === 0 ? before + this.#chunk(JSON.stringify({ function_call: { name, arguments: "" } })) : before;
    }
    const proof = signature ?? this.#carried;
    this.#carried = undefined;
    const extra = callExtra(proof === undefined ? undefined : packSignature(proof, "openai-chat"));
    const call = { index, id, type: "function", function: { name, arguments: "" }, ...extra };
    return before + this.#chunk(JSON.stringify({ tool_calls: [call] }));
  }

  callArguments(index: number, text: string): string {
    if (text === "") return "";
    if (this.#bareCall === index) this.#bareCall = undefined;
    return this.#argumentsChunk(index, text);
  }

  citation({ citation }: EventOf<"citation">): string {
    const annotation = annotationOf(citation, this.#partStart, this.#length);
    this.#isInText = false;
    return this.#chunk(JSON.stringify({ annotations: [annotation] }));
  }

  /** The words behind it are another part, whose citations count from its own beginning. */
  search(): string {
    this.#isInText = false;
    return "";
  }

  audio(source: MediaSource, id: string): string {
    return source.kind === "base64" ? this.#chunk(JSON.stringify({ audio: { id, data: source.data } })) : "";
  }

  logprobs(logprobs: JsonObject): string {
    const opening = this.open("");
    return `${opening}${this.#head}{},"logprobs":${JSON.stringify(logprobs)},"finish_reason":null}]${this.#tail}`;
  }

  /** The last chunk of the answer. */
  close(): string {
    const word = finishWord(this.finish ?? "stop", this.#hasCalls, this.#hasRefusal, this.#isLegacy);
    const before = this.open("") + this.#endCall();
    return `${before}${this.#head}{},"logprobs":null,"finish_reason":"${word}"}]${this.#tail}`;
  }
}

/** A chunk up to its choices. */
function headOf(info: AnswerInfo, fingerprint?: string): string {
  const { createdAt: created, model } = info;
  const own = fingerprint === undefined ? {} : { system_fingerprint: fingerprint };
  const envelope = JSON.stringify({ id: answerId(info), object: "chat.completion.chunk", created, model, ...own });
  return `data: ${envelope.slice(0, -1)},"choices":[`;
}

class ChatEncoder implements StreamEncoder {
  readonly #info: AnswerInfo;
  #head: string;
  readonly #tail: string;
  readonly #isLegacy: boolean;
  readonly #choices: ChoiceWriter[] = [];

  constructor(info: AnswerInfo) {
    this.#info = info;
    this.#isLegacy = wantsFunctionCall(info);
    this.#head = headOf(info);
    // A client that asked for usage gets `usage: null` in every chunk but the last.
    this.#tail = `${info.asksUsage ? ',"usage":null' : ""}}\n\n`;
  }

  #choice(index: number): ChoiceWriter {
    const found = this.#choices[index];
    if (found !== undefined) return found;
    const writer = new ChoiceWriter(index, this.#head, this.#tail, this.#isLegacy);
    this.#choices[index] = writer;
    return writer;
  }

  push(event: NeutralEvent): string {
    if (event.kind === "start") this.#head = headOf(this.#info, event.fingerprint);
    if (!("choice" in event)) return "";
    const writer = this.#choice(event.choice);
    switch (event.kind) {
      case "text":
        return writer.text(event.text);
      case "reasoning":
        return writer.reasoning(event.text);
      case "tool_arguments":
        return writer.callArguments(event.index, event.text);
      case "tool_call":
        return writer.call(event);
      case "finish":
        writer.finish = event.reason;
        return "";
      default:
        return this.#pushRare(event, writer);
    }
  }

  #pushRare(
    event: EventOf<"signature" | "refusal" | "image" | "audio" | "citation" | "search_begun" | "search" | "logprobs">,
    writer: ChoiceWriter,
  ): string {
    switch (event.kind) {
      case "signature":
        return writer.signature(event.signature, event.isRedacted === true);
      case "refusal":
        return writer.refusal(event.text);
      case "image":
        return writer.image(event.source);
      case "audio":
        return writer.audio(event.source, `audio_${this.#info.requestId}`);
      case "citation":
        return writer.citation(event);
      // The format has no place for it; what was found is in the citations.
      case "search_begun":
        return "";
      case "search":
        return writer.search();
      case "logprobs":
        return writer.logprobs(event.logprobs);
    }
  }

  close(usage: Usage): string {
    if (this.#choices.length === 0) this.#choice(0);
    let frames = "";
    for (const writer of this.#choices) if (writer !== undefined) frames += writer.close();
    return frames + (this.#info.asksUsage ? this.#usage(usage) : "") + DONE_FRAME;
  }

  #usage(usage: Usage): string {
    return `${this.#head}],"usage":${JSON.stringify(encodeUsage(usage))}}\n\n`;
  }

  fail(error: ErrorInfo): string {
    return errorFrame(error);
  }
}

/** An encoder for one stream. */
export const createEncoder = (info: AnswerInfo): StreamEncoder => new ChatEncoder(info);
