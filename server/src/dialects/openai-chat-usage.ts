/** Usage as OpenAI-compatible upstreams spell it -> the one shape that is priced; nothing an upstream says is believed unchecked. */
import { MAX_TOKEN_COUNT } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";

/** Usage that can be priced, and what was wrong with the upstream's words. */
export interface NormalisedUsage {
  usage: Usage;
  /** Names of the counts that were no whole numbers of at least 0 and at most MAX_TOKEN_COUNT. */
  faults: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = Object.freeze({});
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : NO_FIELDS;

/** A count as a whole number within bounds. Absent and null are 0 and no fault; numeric text is read, everything else is 0. */
function countOf(source: Fields, name: string, faults: string[]): number {
  const value = source[name];
  if (value === undefined || value === null) return 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKEN_COUNT) return value;
  faults.push(name);
  const read = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof read !== "number" || !(read > 0)) return 0;
  return Math.min(Math.ceil(read), MAX_TOKEN_COUNT);
}

/** The first of several spellings that is above 0. */
function firstCount(candidates: readonly (readonly [source: Fields, name: string])[], faults: string[]): number {
  for (const [source, name] of candidates) {
    const count = countOf(source, name, faults);
    if (count > 0) return count;
  }
  return 0;
}

/**
 * Reads `usage` of a chat completion, completion or embeddings answer (platform.openai.com/docs/api-reference/chat/object; DeepSeek's
 * prompt_cache_hit_tokens, gateways' cache_creation_input_tokens). Undefined where neither prompt nor completion tokens are above 0.
 */
export function normaliseUsage(raw: unknown): NormalisedUsage | undefined {
  const source = fieldsOf(raw);
  const prompt = fieldsOf(source["prompt_tokens_details"]);
  const completion = fieldsOf(source["completion_tokens_details"]);
  const faults: string[] = [];
  const inputTokens = countOf(source, "prompt_tokens", faults);
  const outputTokens = countOf(source, "completion_tokens", faults);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const cacheRead = firstCount(
    [
      [prompt, "cached_tokens"],
      [source, "prompt_cache_hit_tokens"],
    ],
    faults,
  );
  const cacheWrite = firstCount(
    [
      [prompt, "cache_write_tokens"],
      [source, "cache_creation_input_tokens"],
    ],
    faults,
  );
  const usage: Usage = {
    inputTokens,
    outputTokens,
    cacheReadTokens: Math.min(cacheRead, inputTokens),
    cacheWriteTokens: Math.min(cacheWrite, Math.max(0, inputTokens - cacheRead)),
    reasoningTokens: Math.min(countOf(completion, "reasoning_tokens", faults), outputTokens),
    imageInputTokens: Math.min(countOf(prompt, "image_tokens", faults), inputTokens),
    audioInputTokens: Math.min(countOf(prompt, "audio_tokens", faults), inputTokens),
    audioOutputTokens: Math.min(countOf(completion, "audio_tokens", faults), outputTokens),
    isEstimated: false,
  };
  return { usage, faults };
}

/** Usage of our own counting. */
export const estimatedUsage = (inputTokens: number, outputTokens: number): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  imageInputTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
  isEstimated: true,
});

/** Position just behind the value that starts at `start`, an object or list; -1 where it does not end. Strings are skipped. */
function nestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let position = start; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) {
      for (position += 1; position < text.length && text.charCodeAt(position) !== 34; position += 1) {
        if (text.charCodeAt(position) === 92) position += 1;
      }
    } else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return -1;
}

/** First position at or after `start` that is no blank. */
export function skipBlanks(text: string, start: number): number {
  let position = start;
  for (let code = text.charCodeAt(position); code === 32 || code === 10 || code === 13 || code === 9;) {
    code = text.charCodeAt((position += 1));
  }
  return position;
}

/**
 * The last object under a key `"usage"` in the text, parsed; undefined where there is none. Found by scanning from the end: inside
 * strings a quote is always escaped, so the key cannot be part of an answer's words.
 */
export function findUsage(text: string): unknown {
  for (let key = text.lastIndexOf('"usage"'); key >= 0; key = key === 0 ? -1 : text.lastIndexOf('"usage"', key - 1)) {
    const colon = skipBlanks(text, key + 7);
    if (text.charCodeAt(colon) !== 58) continue;
    const start = skipBlanks(text, colon + 1);
    if (text.charCodeAt(start) !== 123) continue;
    const end = nestedEnd(text, start);
    if (end < 0) return undefined;
    try {
      return JSON.parse(text.slice(start, end));
    } catch {
      return undefined;
    }
  }
  return undefined;
}
