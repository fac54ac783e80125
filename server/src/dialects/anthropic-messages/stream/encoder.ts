/** Neutral events -> an Anthropic stream: blocks that open and close one after another (platform.claude.com/docs/en/build-with-claude/streaming). */
import { NO_USAGE, type Usage } from "../../../../../contract/src/pricing/usage.ts";
import { messageFields, toolUse } from "../answer.ts";
import { citationFields, searchBlocks } from "../citations.ts";
import { errorFields } from "../errors.ts";
import { stopFields } from "../finish.ts";
import { UNSIGNED, signedId } from "../signature.ts";
import { encodeUsage } from "../usage.ts";
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { StreamEncoder } from "../../stream/stream.ts";
import {
  type FinishReason,
  type JsonObject,
  type NeutralEvent,
  pictureText,
  type SearchPart,
  type Signature,
} from "../../neutral/neutral.ts";
import { packSignature } from "../../neutral/signature.ts";
import { eventFrame } from "../../stream/sse-event.ts";

type BlockKind = "none" | "text" | "thinking" | "tool_use";

/** The part of a delta's frame after the block's index; the text follows as a JSON string. */
const DELTAS = {
  text: '"delta":{"type":"text_delta","text":',
  thinking: '"delta":{"type":"thinking_delta","thinking":',
  tool_use: '"delta":{"type":"input_json_delta","partial_json":',
} as const;

class Encoder implements StreamEncoder {
  readonly #info: AnswerInfo;
  #hasStarted = false;
  #block: BlockKind = "none";
  /** Of the block that is open, or opens next. */
  #index = 0;
  /** The part of the open block's delta frames before the text; made once for each block. */
  #head = "";
  /** The open tool call. */
  #call = -1;
  #calls = 0;
  /** The search whose question was sent. */
  #begunSearch: string | undefined = undefined;
  #finish: FinishReason = "stop";
  #stopSequence: string | undefined = undefined;

  constructor(info: AnswerInfo) {
    this.#info = info;
  }

  push(event: NeutralEvent): string {
    if ("choice" in event && event.choice > 0) return "";
    switch (event.kind) {
      case "text":
      case "refusal":
        return this.#delta("text", event.text);
      case "reasoning":
        return this.#delta("thinking", event.text);
      case "tool_arguments":
        return event.index === this.#call ? this.#delta("tool_use", event.text) : "";
      case "tool_call":
        return this.#openCall(event.index, toolUse(signedId(event.id, event.signature), event.name, {}));
      case "signature":
        return event.isRedacted === true ? this.#redacted(event.signature) : this.#signature(packed(event.signature));
      case "citation":
        return this.#begin("text") + this.#frame({ type: "citations_delta", citation: citationFields(event.citation) });
      case "image":
        return this.#delta("text", pictureText(event.source));
      case "search_begun":
        return this.#beginSearch(event.search);
      case "search":
        return this.#search(event.search);
      case "start":
        return this.#start(event.id);
      case "finish":
        this.#finish = event.reason;
        this.#stopSequence = event.stopSequence;
        return "";
      default:
        return "";
    }
  }

  /** What is known before the upstream has counted: some clients read the input here alone. The last event has the real counts. */
  #openingUsage(): JsonObject {
    return encodeUsage({ ...NO_USAGE, inputTokens: this.#info.inputTokens ?? 0 });
  }

  #start(id: string): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    const message = { ...messageFields(id, this.#info), usage: this.#openingUsage() };
    return eventFrame("message_start", { type: "message_start", message });
  }

  #delta(kind: Exclude<BlockKind, "none">, text: string): string {
    if (text === "") return "";
    if (kind === this.#block) return `${this.#head}${JSON.stringify(text)}}}\n\n`;
    // Arguments without a call that is open have no block to go to.
    if (kind === "tool_use") return "";
    return `${this.#begin(kind)}${this.#head}${JSON.stringify(text)}}}\n\n`;
  }

  /** Opens a block of text or thinking where none of the kind is open. */
  #begin(kind: "text" | "thinking"): string {
    if (this.#block === kind) return "";
    const block = kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
    return this.#open(kind, block);
  }

  #open(kind: Exclude<BlockKind, "none">, block: JsonObject): string {
    const before = this.#start("") + this.#end();
    this.#block = kind;
    this.#head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},${DELTAS[kind]}`;
    return before + this.#blockStart(block);
  }

  #blockStart(block: JsonObject): string {
    const event = { type: "content_block_start", index: this.#index, content_block: block };
    return eventFrame("content_block_start", event);
  }

  #frame(delta: JsonObject): string {
    return eventFrame("content_block_delta", { type: "content_block_delta", index: this.#index, delta });
  }

  /** Ends the open block, if one is. Thinking is never without a signature. */
  #end(): string {
    return this.#block === "thinking" ? this.#signature(UNSIGNED) : this.#close();
  }

  #close(): string {
    if (this.#block === "none") return "";
    const frame = eventFrame("content_block_stop", { type: "content_block_stop", index: this.#index });
    this.#block = "none";
    this.#call = -1;
    this.#index += 1;
    return frame;
  }

  /** A signature is the last of its block. */
  #signature(signature: string): string {
    return this.#begin("thinking") + this.#frame({ type: "signature_delta", signature }) + this.#close();
  }

  #redacted(signature: Signature): string {
    const before = this.#start("") + this.#end();
    this.#block = "thinking";
    return before + this.#blockStart({ type: "redacted_thinking", data: packed(signature) }) + this.#close();
  }

  /** The block is whole; the question comes as the input of a call does. */
  #beginSearch(search: SearchPart): string {
    const [use] = searchBlocks(search);
    this.#begunSearch = search.id;
    const opening = this.#open("tool_use", { ...use, input: {} });
    return opening + this.#delta("tool_use", JSON.stringify(use["input"])) + this.#close();
  }

  #search(search: SearchPart): string {
    const [, result] = searchBlocks(search);
    const before = this.#begunSearch === search.id ? "" : this.#beginSearch(search);
    this.#block = "text";
    return before + this.#blockStart(result) + this.#close();
  }

  #openCall(index: number, block: JsonObject): string {
    const opening = this.#open("tool_use", block);
    this.#call = index;
    this.#calls += 1;
    return opening;
  }

  close(usage: Usage): string {
    const delta = { ...stopFields(this.#finish, this.#stopSequence, this.#calls > 0), container: null };
    const last = eventFrame("message_delta", { type: "message_delta", delta, usage: encodeUsage(usage) });
    return this.#start("") + this.#end() + last + eventFrame("message_stop", { type: "message_stop" });
  }

  fail(error: ErrorInfo): string {
    return eventFrame("error", errorFields(error));
  }
}

const packed = (signature: Signature): string => packSignature(signature, "anthropic-messages");

export const createEncoder = (info: AnswerInfo): StreamEncoder => new Encoder(info);
