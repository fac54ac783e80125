/** Passes Gemini's own events through to a Gemini client: scanned without parsing, and written as an array if the client wants one. */
import type { Usage } from "../../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { FrameKind, PassthroughOptions, StreamPipe } from "../../stream/stream.ts";
import { errorObject } from "../errors.ts";
import { GeminiFrames } from "./frames.ts";
import { USAGE_DEPTHS, hasPlaces, isBlockedPrompt, ofBlockedPrompt, searchesOf, withSearches } from "../usage.ts";
import { listOf, objectOf, parseObject } from "../../json/fields.ts";
import { countString } from "../../json/escapes.ts";
import { latin1Of, readEvent } from "../../stream/sse-event.ts";
import { findObject, nestedEnd, skipBlanks } from "../../neutral/usage-counts.ts";
import { TokenEstimate } from "../../neutral/token-estimate.ts";

const QUOTE = 34;
const TEXT_KEY = '"text":';
const ARGS_KEY = '"args":';
const FINISH_KEY = '"finishReason":';
const USAGE_KEY = '"usageMetadata"';
const SOURCES_KEY = '"groundingMetadata":';
const SEARCHES_KEY = '"webSearchQueries":';
const PLACES_KEY = '"maps":';

/** Values of the key before an answer has ended. */
const NO_FINISHES = ['""', '"FINISH_REASON_UNSPECIFIED"'];

export class GeminiPassthrough implements StreamPipe {
  readonly words = new TokenEstimate();
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
  /** A refused prompt has no candidates. */
  #isBlocked = false;
  /** The last event that held usage; parsed on demand. */
  #usageText = "";

  constructor(info: AnswerInfo, options: PassthroughOptions) {
    this.#isArray = info.isArray;
    this.#frames = new GeminiFrames(info.isArray);
    this.#choices = options.choices;
  }

  get rawUsage(): unknown {
    const usage = this.#usageText === "" ? undefined : findObject(this.#usageText, USAGE_KEY, USAGE_DEPTHS);
    if (this.#isBlocked) return ofBlockedPrompt(usage);
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
    this.#isBlocked ||= isBlockedPrompt(text);
    if (this.#isBlocked || this.#finished >= this.#choices) this.hasFinish = true;
  }

  /** Text, call arguments and media, up to the sources, which repeat the text. */
  #count(text: string, start: number): void {
    const sources = text.indexOf(SOURCES_KEY, start);
    const limit = sources < 0 ? text.length : sources;
    const before = this.words.bytes;
    let [words, args] = [text.indexOf(TEXT_KEY, start), text.indexOf(ARGS_KEY, start)];
    while ((words >= 0 && words < limit) || (args >= 0 && args < limit)) {
      const isArgs = args >= 0 && (words < 0 || args < words);
      const end = isArgs
        ? this.#countArguments(text, args + ARGS_KEY.length, limit)
        : countString(this.words, text, words + TEXT_KEY.length);
      words = text.indexOf(TEXT_KEY, end);
      args = text.indexOf(ARGS_KEY, end);
    }
    if (this.words.bytes > before || text.includes('"inlineData":')) this.deltas += 1;
  }

  /** Counts an object as the text it is; gives the position behind it. */
  #countArguments(text: string, at: number, limit: number): number {
    const start = skipBlanks(text, at);
    const end = nestedEnd(text, start);
    const last = end < 0 || end > limit ? limit : end;
    this.words.addJson(text, start, last);
    return last;
  }

  closing(_usage: Usage): Buffer[] {
    const end = this.#frames.end();
    return end === "" ? [] : [Buffer.from(end)];
  }

  failing(error: ErrorInfo): Buffer {
    const envelope = error.verbatim ?? JSON.stringify({ error: errorObject(error) });
    return Buffer.from(this.#frames.frame(envelope) + this.#frames.end());
  }
}

/** An event that is an error, in front or in a list of one. */
function isError(text: string, start: number): boolean {
  const at = text.charCodeAt(start) === 91 ? skipBlanks(text, start + 1) : start;
  if (text.charCodeAt(at) !== 123) return false;
  return text.startsWith('"error"', skipBlanks(text, at + 1));
}
