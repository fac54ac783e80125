/** Gemini's own events on their way to a Gemini client: seen by scanning, not parsed, and put into an array where the client wants one. */
import type { Usage } from "../../../../contract/src/usage.ts";
import type { AnswerFacts, ErrorFacts, FrameKind, PassOptions, StreamPipe } from "../dialect.ts";
import { errorObject } from "./errors.ts";
import { GeminiFrames } from "./frame.ts";
import { USAGE_DEPTHS, hasPlaces, searchesOf, withSearches } from "./usage.ts";
import { listOf, objectOf, parseObject } from "../json-fields.ts";
import { countString } from "../json-escapes.ts";
import { latin1Of, readEvent } from "../sse-event.ts";
import { findObject, skipBlanks } from "../usage-counts.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const TEXT_KEY = '"text":';
const ARGS_KEY = '"args":';
const FINISH_KEY = '"finishReason":';
const USAGE_KEY = '"usageMetadata"';
const SOURCES_KEY = '"groundingMetadata":';
const SEARCHES_KEY = '"webSearchQueries":';
const PLACES_KEY = '"maps":';

/** Words under the key before an answer has ended. */
const NO_FINISHES = ['""', '"FINISH_REASON_UNSPECIFIED"'];

export class GeminiPass implements StreamPipe {
  asciiBytes = 0;
  otherBytes = 0;
  deltas = 0;
  hasFinish = false;
  hasDone = false;
  errorText = "";
  out = "";
  readonly #isArray: boolean;
  readonly #frames: GeminiFrames;
  readonly #choices: number;
  readonly #searches = new Set<string>();
  #usesMaps = false;
  #finished = 0;
  /** The last event that held usage; parsed when somebody asks. */
  #usageText = "";

  constructor(facts: AnswerFacts, options: PassOptions) {
    this.#isArray = facts.isArray;
    this.#frames = new GeminiFrames(facts.isArray);
    this.#choices = options.choices;
  }

  get rawUsage(): unknown {
    const usage = this.#usageText === "" ? undefined : findObject(this.#usageText, USAGE_KEY, USAGE_DEPTHS);
    return usage === undefined ? undefined : withSearches(usage, this.#searches.size, this.#usesMaps);
  }

  push(bytes: Buffer, text: string): FrameKind {
    this.out = "";
    const data = text.startsWith("data:") ? 0 : text.indexOf("\ndata:") + 1;
    if (data === 0 && !text.startsWith("data:")) return this.#other(text);
    const start = skipBlanks(text, data + 5);
    if (isError(text, start)) {
      this.errorText = readEvent(bytes, text).data;
      return "error";
    }
    this.out = this.#isArray ? latin1Of(this.#frames.frame(readEvent(bytes, text).data)) : text;
    if (text.includes(USAGE_KEY)) this.#usageText = text;
    if (text.includes(SEARCHES_KEY) || text.includes(PLACES_KEY)) this.#noteSearches(readEvent(bytes, text).data);
    this.#count(text, start);
    this.#noteFinish(text, start);
    if (!this.hasFinish) return "delta";
    this.hasDone = true;
    return "closing";
  }

  /** A comment would not be JSON in an array. */
  #other(text: string): FrameKind {
    if (!this.#isArray) this.out = text;
    return "other";
  }

  #noteSearches(data: string): void {
    for (const candidate of listOf(parseObject(data)?.["candidates"])) {
      const { groundingMetadata: grounding } = objectOf(candidate);
      for (const query of searchesOf(grounding)) this.#searches.add(query);
      this.#usesMaps ||= hasPlaces(grounding);
    }
  }

  #noteFinish(text: string, start: number): void {
    for (let at = text.indexOf(FINISH_KEY, start); at >= 0; at = text.indexOf(FINISH_KEY, at + FINISH_KEY.length)) {
      const value = skipBlanks(text, at + FINISH_KEY.length);
      if (text.charCodeAt(value) === QUOTE && !NO_FINISHES.some((word) => text.startsWith(word, value)))
        this.#finished += 1;
    }
    // A refused prompt has no candidates.
    const isBlocked = text.includes('"blockReason":') && !text.includes('"candidates":');
    if (isBlocked || this.#finished >= this.#choices) this.hasFinish = true;
  }

  /** Words, arguments of calls and media up to where the sources begin, which repeat the words. */
  #count(text: string, start: number): void {
    const sources = text.indexOf(SOURCES_KEY, start);
    const limit = sources < 0 ? text.length : sources;
    const before = this.asciiBytes + this.otherBytes;
    let [words, args] = [text.indexOf(TEXT_KEY, start), text.indexOf(ARGS_KEY, start)];
    while ((words >= 0 && words < limit) || (args >= 0 && args < limit)) {
      const isArgs = args >= 0 && (words < 0 || args < words);
      const end = isArgs
        ? this.#countArguments(text, args + ARGS_KEY.length, limit)
        : countString(this, text, words + TEXT_KEY.length);
      words = text.indexOf(TEXT_KEY, end);
      args = text.indexOf(ARGS_KEY, end);
    }
    if (this.asciiBytes + this.otherBytes > before || text.includes('"inlineData":')) this.deltas += 1;
  }

  /** Counts an object as the text it is. */
  #countArguments(text: string, at: number, limit: number): number {
    let depth = 0;
    let isString = false;
    for (let position = skipBlanks(text, at); position < limit; position += 1) {
      const code = text.charCodeAt(position);
      if (code < 128) this.asciiBytes += 1;
      else this.otherBytes += 1;
      if (isString) {
        if (code === BACKSLASH) position += 1;
        else if (code === QUOTE) isString = false;
      } else if (code === QUOTE) isString = true;
      else if (code === 123 || code === 91) depth += 1;
      else if (code === 125 || code === 93) depth -= 1;
      if (depth === 0 && !isString) return position + 1;
    }
    return limit;
  }

  closing(_usage: Usage): Buffer[] {
    const end = this.#frames.end();
    return end === "" ? [] : [Buffer.from(end)];
  }

  failing(error: ErrorFacts): Buffer {
    return Buffer.from(this.#frames.frame(JSON.stringify({ error: errorObject(error) })) + this.#frames.end());
  }
}

/** An event that is an error, in front or in a list of one. */
function isError(text: string, start: number): boolean {
  const at = text.charCodeAt(start) === 91 ? skipBlanks(text, start + 1) : start;
  if (text.charCodeAt(at) !== 123) return false;
  return text.startsWith('"error"', skipBlanks(text, at + 1));
}
