/** Neutral events -> Gemini's stream (ai.google.dev/api/generate-content#method:-models.streamgeneratecontent). */
import type { Usage } from "../../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { StreamEncoder } from "../../stream/stream.ts";
import { callPart, malformedCall } from "../answer.ts";
import { FINISH_WORDS } from "../finish.ts";
import { mediaPart } from "../messages-encode.ts";
import { errorObject } from "../errors.ts";
import { GeminiFrames } from "./frames.ts";
import { groundingMetadata, type PlacedCitation } from "../citations.ts";
import { logprobsResult } from "../logprobs.ts";
import { writeSignature } from "../signature.ts";
import { usageMetadata } from "../usage.ts";
import type { Citation, FinishReason, JsonObject, NeutralEvent, Signature } from "../../neutral/neutral.ts";

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
  signature?: Signature;
}

interface ChoiceState {
  index: number;
  /** `],"role":"model"},"index":0}],...}`: what follows the parts of a plain piece. */
  tail: string;
  /** The run of text that is being written, and the place of its part. */
  text: string;
  /** Where in it the words behind the last search begin. */
  textStart: number;
  partIndex: number;
  last: "none" | "text" | "reasoning" | "other";
  /** The vendor gives a call in one piece: it waits here for its arguments. */
  call: OpenCall | undefined;
  malformed: JsonObject;
  citations: PlacedCitation[];
  queries: string[];
  finish: FinishReason | undefined;
}

const HEAD = '{"candidates":[{"content":{"parts":[';

export class GeminiEncoder implements StreamEncoder {
  readonly #info: AnswerInfo;
  readonly #frames: GeminiFrames;
  readonly #choices: (ChoiceState | undefined)[] = [];
  #id: string;

  constructor(info: AnswerInfo) {
    this.#info = info;
    this.#frames = new GeminiFrames(info.isArray);
    this.#id = info.requestId;
  }

  push(event: NeutralEvent): string {
    switch (event.kind) {
      case "start":
        if (event.id !== "") this.#id = event.id;
        return "";
      case "usage":
      case "priced_call":
      case "end":
      case "error":
        return "";
      default:
        return this.#take(this.#stateOf(event.choice), event);
    }
  }

  #take(state: ChoiceState, event: Extract<NeutralEvent, { choice: number }>): string {
    switch (event.kind) {
      case "text":
      case "refusal":
        return this.#text(state, event.text);
      case "tool_arguments":
        if (state.call !== undefined) state.call.arguments += event.text;
        return "";
      case "finish":
        state.finish = event.reason;
        return "";
      case "citation":
        state.citations.push({
          citation: movedBy(event.citation, state.textStart),
          text: state.text,
          partIndex: state.partIndex,
        });
        return "";
      case "search_begun":
        return "";
      case "search":
        state.queries.push(event.search.query);
        // Words before and behind it are one part for clients, and two for those who cite.
        state.textStart = state.text.length;
        return "";
      case "tool_call": {
        const before = this.#flush(state);
        const { id, name, signature } = event;
        state.call = { id, name, arguments: "", ...(signature === undefined ? {} : { signature }) };
        return before;
      }
      case "logprobs":
        return (
          this.#flush(state) + this.#piece({ ...this.#empty(state), logprobsResult: logprobsResult(event.logprobs) })
        );
      default:
        return this.#flush(state) + this.#part(state, event);
    }
  }

  /** Thoughts, their signatures, pictures and sound. */
  #part(
    state: ChoiceState,
    event: Extract<NeutralEvent, { kind: "reasoning" | "signature" | "image" | "audio" }>,
  ): string {
    if (event.kind === "reasoning") {
      if (event.text === "") return "";
      this.#mark(state, "reasoning");
      return this.#plain(state, `{"text":${JSON.stringify(event.text)},"thought":true}`);
    }
    if (event.kind !== "signature") {
      this.#mark(state, "other");
      return this.#plain(state, JSON.stringify(mediaPart(event.source, "")));
    }
    const thought = state.last === "reasoning" || event.isRedacted === true ? { thought: true } : {};
    const thoughtSignature = writeSignature(event.signature, event.isRedacted);
    if (state.last !== "reasoning") this.#mark(state, "other");
    return this.#plain(state, JSON.stringify({ text: "", ...thought, thoughtSignature }));
  }

  #text(state: ChoiceState, text: string): string {
    if (text === "") return "";
    const before = this.#flush(state);
    if (state.last !== "text") {
      this.#mark(state, "text");
      state.text = "";
      state.textStart = 0;
    }
    state.text += text;
    return before + this.#plain(state, `{"text":${JSON.stringify(text)}}`);
  }

  /** Clients join adjacent pieces of one kind into one part. */
  #mark(state: ChoiceState, kind: ChoiceState["last"]): void {
    if (state.last === kind && kind !== "other") return;
    if (state.last !== "none") state.partIndex += 1;
    state.last = kind;
  }

  /** The call that waits is whole once something else follows it. */
  #flush(state: ChoiceState): string {
    const part = this.#takeCall(state);
    return part === undefined ? "" : this.#plain(state, JSON.stringify(part));
  }

  #takeCall(state: ChoiceState): JsonObject | undefined {
    const { call } = state;
    if (call === undefined) return undefined;
    state.call = undefined;
    const part = callPart(call);
    if (part === undefined) state.malformed = malformedCall(call, state.finish);
    else this.#mark(state, "other");
    return part;
  }

  #stateOf(index: number): ChoiceState {
    const known = this.#choices[index];
    if (known !== undefined) return known;
    const rest = JSON.stringify({ modelVersion: this.#info.model, responseId: this.#id }).slice(1);
    const state: ChoiceState = {
      index,
      tail: `],"role":"model"},"index":${index}}],${rest}`,
      text: "",
      textStart: 0,
      partIndex: 0,
      last: "none",
      call: undefined,
      malformed: {},
      citations: [],
      queries: [],
      finish: undefined,
    };
    this.#choices[index] = state;
    return state;
  }

  /** A frame with one part, given as JSON text. */
  #plain(state: ChoiceState, part: string): string {
    return this.#frames.frame(HEAD + part + state.tail);
  }

  #empty(state: ChoiceState): JsonObject {
    return { content: { parts: [{ text: "" }], role: "model" }, index: state.index };
  }

  /** A frame with one candidate. */
  #piece(candidate: JsonObject, rest: JsonObject = {}): string {
    const envelope = { modelVersion: this.#info.model, responseId: this.#id };
    return this.#frames.frame(JSON.stringify({ candidates: [candidate], ...rest, ...envelope }));
  }

  #closeChoice(state: ChoiceState, rest: JsonObject): string {
    const call = this.#takeCall(state);
    const grounding = groundingMetadata(state.citations, state.queries);
    const candidate = {
      content: { parts: [call ?? { text: "" }], role: "model" },
      finishReason: FINISH_WORDS[state.finish ?? "stop"],
      ...state.malformed,
      index: state.index,
      ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
    };
    return this.#piece(candidate, rest);
  }

  close(usage: Usage): string {
    this.#stateOf(0);
    const states = this.#choices.filter((state) => state !== undefined);
    const counts = { usageMetadata: usageMetadata(usage) };
    const frames = states.map((state, place) => this.#closeChoice(state, place === states.length - 1 ? counts : {}));
    return frames.join("") + this.#frames.end();
  }

  fail(error: ErrorInfo): string {
    return this.#frames.frame(JSON.stringify({ error: errorObject(error) })) + this.#frames.end();
  }
}

const movedBy = (citation: Citation, by: number): Citation => ({
  ...citation,
  ...(citation.start === undefined ? {} : { start: citation.start + by }),
  ...(citation.end === undefined ? {} : { end: citation.end + by }),
});
