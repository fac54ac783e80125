/** Gemini's answers, streamed or buffered, as neutral events: a buffered answer is a stream of one event. */
import type { StreamDecoder } from "../../stream/stream.ts";
import { parseExact } from "../../json/exact.ts";
import { plainBase64 } from "../fields.ts";
import { finishOf } from "../finish.ts";
import { citationsOf } from "../citations.ts";
import { logprobsOf } from "../logprobs.ts";
import { readSignature } from "../signature.ts";
import { PartialCall, isPartial } from "./partial-args.ts";
import { blockReasonOf, hasPlaces, ofBlockedPrompt, searchesOf, withSearches } from "../usage.ts";
import { isObject, listOf, objectOf, textOf } from "../../json/fields.ts";
import type { JsonObject, NeutralEvent } from "../../neutral/neutral.ts";

/** What one candidate has written so far. */
interface CandidateState {
  text: string;
  calls: number;
  isFinished: boolean;
  citations: Set<string>;
  /** The call whose arguments are coming in pieces. */
  partial?: PartialCall | undefined;
}

const BROKEN = JSON.stringify({
  error: { code: 502, message: "The upstream sent an event that is no JSON.", status: "UNAVAILABLE" },
});

const CALL_KEY = '"functionCall"';

/** Parsed data of an event; undefined where it is no JSON. An error may come as a list of one. */
function parse(data: string): unknown {
  try {
    // Arguments of calls are objects, whose numbers have to keep their digits.
    const value: unknown = data.includes(CALL_KEY) ? parseExact(data) : JSON.parse(data);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}

export class GeminiDecoder implements StreamDecoder {
  readonly #candidates = new Map<number, CandidateState>();
  readonly #searches = new Set<string>();
  #usesMaps = false;
  #id = "";
  #hasStarted = false;

  push(_event: string, data: string): NeutralEvent[] {
    if (data === "") return [];
    const value = parse(data);
    if (value === undefined) return [{ kind: "error", text: BROKEN }];
    if (!isObject(value)) return [];
    if (isObject(value["error"]) && value["candidates"] === undefined)
      return [{ kind: "error", text: JSON.stringify(value) }];
    return this.take(value);
  }

  /** Events of one parsed answer or piece of one. */
  take(fields: JsonObject): NeutralEvent[] {
    const events: NeutralEvent[] = [];
    this.#start(fields, events);
    let isEnd = false;
    for (const [place, entry] of listOf(fields["candidates"]).entries()) {
      if (isObject(entry)) isEnd = this.#candidate(entry, place, events) || isEnd;
    }
    if (this.#isBlocked(fields)) {
      events.push({ kind: "finish", choice: 0, reason: "content_filter" });
      events.push({ kind: "usage", raw: ofBlockedPrompt(fields["usageMetadata"]) });
      isEnd = true;
    } else if (isObject(fields["usageMetadata"])) {
      events.push({ kind: "usage", raw: withSearches(fields["usageMetadata"], this.#searches.size, this.#usesMaps) });
    }
    if (isEnd) events.push({ kind: "end" });
    return events;
  }

  #start(fields: JsonObject, events: NeutralEvent[]): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#id = textOf(fields["responseId"]);
    events.push({ kind: "start", id: this.#id });
  }

  /** The prompt was refused: there is no candidate and never will be. */
  #isBlocked(fields: JsonObject): boolean {
    if (this.#candidates.size > 0 || blockReasonOf(fields) === "") return false;
    this.#candidates.set(0, { text: "", calls: 0, isFinished: true, citations: new Set() });
    return true;
  }

  #stateOf(choice: number): CandidateState {
    let state = this.#candidates.get(choice);
    if (state === undefined) {
      state = { text: "", calls: 0, isFinished: false, citations: new Set() };
      this.#candidates.set(choice, state);
    }
    return state;
  }

  /** True where the candidate ends with this piece. */
  #candidate(candidate: JsonObject, place: number, events: NeutralEvent[]): boolean {
    const index = candidate["index"];
    const choice = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < 64 ? index : place;
    const state = this.#stateOf(choice);
    for (const part of listOf(objectOf(candidate["content"])["parts"])) {
      if (isObject(part)) this.#part(part, choice, state, events);
    }
    this.#sources(candidate, choice, state, events);
    const logprobs = logprobsOf(candidate);
    if (logprobs !== undefined) events.push({ kind: "logprobs", choice, logprobs });
    return this.#finish(textOf(candidate["finishReason"]), choice, state, events);
  }

  #finish(word: string, choice: number, state: CandidateState, events: NeutralEvent[]): boolean {
    if (word === "" || word === "FINISH_REASON_UNSPECIFIED" || state.isFinished) return false;
    state.isFinished = true;
    this.#endPartial(choice, state, events);
    events.push({ kind: "finish", choice, reason: finishOf(word, state.calls > 0) });
    return true;
  }

  /** The vendor repeats its sources with each piece; each is emitted once. */
  #sources(candidate: JsonObject, choice: number, state: CandidateState, events: NeutralEvent[]): void {
    for (const query of searchesOf(candidate["groundingMetadata"])) this.#searches.add(`${choice} ${query}`);
    this.#usesMaps ||= hasPlaces(candidate["groundingMetadata"]);
    if (candidate["groundingMetadata"] === undefined && candidate["citationMetadata"] === undefined) return;
    for (const citation of citationsOf(candidate, state.text)) {
      const key = `${citation.start} ${citation.end} ${citation.url}`;
      if (state.citations.has(key)) continue;
      state.citations.add(key);
      events.push({ kind: "citation", choice, citation });
    }
  }

  #part(part: JsonObject, choice: number, state: CandidateState, events: NeutralEvent[]): void {
    if (isObject(part["functionCall"])) return this.#call(part, part["functionCall"], choice, state, events);
    const text = shownText(part);
    if (text !== "" && part["thought"] === true) events.push({ kind: "reasoning", choice, text });
    else if (text !== "") {
      state.text += text;
      events.push({ kind: "text", choice, text });
    }
    if (isObject(part["inlineData"])) media(part["inlineData"], choice, events);
    const signed = textOf(part["thoughtSignature"]);
    if (signed === "") return;
    const { signature } = readSignature(signed);
    // Google does not insist on the signature of a text (ai.google.dev/gemini-api/docs/thought-signatures); elsewhere it would be a thought.
    if (part["thought"] === true || signature.dialect !== "gemini")
      events.push({ kind: "signature", choice, signature });
  }

  #call(part: JsonObject, call: JsonObject, choice: number, state: CandidateState, events: NeutralEvent[]): void {
    const signature = textOf(part["thoughtSignature"]);
    if (isPartial(call) || (state.partial !== undefined && textOf(call["name"]) === "")) {
      if (textOf(call["name"]) !== "") this.#endPartial(choice, state, events);
      state.partial ??= new PartialCall(call, signature);
      if (state.partial.signature === "") state.partial.signature = signature;
      state.partial.take(call);
      if (call["willContinue"] !== true) this.#endPartial(choice, state, events);
      return;
    }
    this.#endPartial(choice, state, events);
    const whole = { id: textOf(call["id"]), name: textOf(call["name"]), signature };
    this.#wholeCall(whole, JSON.stringify(objectOf(call["args"])), choice, state, events);
  }

  /** Hands on the call that came in pieces, with whole arguments. */
  #endPartial(choice: number, state: CandidateState, events: NeutralEvent[]): void {
    const { partial } = state;
    state.partial = undefined;
    if (partial !== undefined) this.#wholeCall(partial, partial.text, choice, state, events);
  }

  #wholeCall(
    call: Readonly<Record<"id" | "name" | "signature", string>>,
    text: string,
    choice: number,
    state: CandidateState,
    events: NeutralEvent[],
  ): void {
    const index = state.calls;
    state.calls += 1;
    const id = call.id || this.#callId(choice, index);
    const signature = call.signature === "" ? {} : { signature: readSignature(call.signature).signature };
    events.push(
      { kind: "tool_call", choice, index, id, name: call.name, ...signature },
      { kind: "tool_arguments", choice, index, text },
    );
  }

  /** Older models name no ids; one made of the answer's own id differs from those of other turns. */
  #callId(choice: number, index: number): string {
    const answer = this.#id.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 40);
    return ["call", ...(answer === "" ? [] : [answer]), ...(choice === 0 ? [] : [choice]), index].join("_");
  }
}

/** Text of a part; code that the vendor ran and what it printed are shown as blocks. */
function shownText(part: JsonObject): string {
  if (isObject(part["executableCode"])) {
    const { language, code } = part["executableCode"];
    return `\n\`\`\`${textOf(language).toLowerCase()}\n${textOf(code)}\n\`\`\`\n`;
  }
  if (isObject(part["codeExecutionResult"]))
    return `\n\`\`\`\n${textOf(part["codeExecutionResult"]["output"])}\n\`\`\`\n`;
  return textOf(part["text"]);
}

/** A picture or sound of the answer; other media have no neutral form. */
function media(blob: JsonObject, choice: number, events: NeutralEvent[]): void {
  const mimeType = textOf(blob["mimeType"]);
  const source = { kind: "base64" as const, mimeType, data: plainBase64(textOf(blob["data"])) };
  if (mimeType.startsWith("audio/")) events.push({ kind: "audio", choice, source });
  else if (mimeType.startsWith("image/")) events.push({ kind: "image", choice, source });
}
