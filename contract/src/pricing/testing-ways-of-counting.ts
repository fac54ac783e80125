/** How each wire format counts tokens, for the second implementation of the charge: its raw counts, and the usage they are normalised to. */
import type { Usage } from "./usage.ts";

/** Tokens that do not overlap: each is counted in one of these and nowhere else. */
export interface Tokens {
  /** Text tokens that are neither cached nor written to a cache. */
  plain: number;
  cached: number;
  written: number;
  writtenLong: number;
  heard: number;
  seen: number;
  answered: number;
  thought: number;
  spoken: number;
  drawn: number;
}

export const NOTHING: Tokens = {
  plain: 0,
  cached: 0,
  written: 0,
  writtenLong: 0,
  heard: 0,
  seen: 0,
  answered: 0,
  thought: 0,
  spoken: 0,
  drawn: 0,
};

/** Everything that went in. */
export const inputOf = ({ plain, cached, written, writtenLong, heard, seen }: Tokens): number =>
  plain + cached + written + writtenLong + heard + seen;

/** How each wire format counts these tokens, and the usage they are normalised to. */
export const DIALECTS: Readonly<
  Record<string, { parts: readonly (keyof Tokens)[]; read: (of: Tokens) => Partial<Usage> }>
> = {
  "OpenAI chat: cached, written, heard and seen inside prompt_tokens, thought inside completion_tokens": {
    parts: ["plain", "cached", "written", "heard", "seen", "answered", "thought", "spoken"],
    read: (of) => {
      const raw = { prompt_tokens: inputOf(of), completion_tokens: of.answered + of.thought + of.spoken };
      return { inputTokens: raw.prompt_tokens, outputTokens: raw.completion_tokens };
    },
  },
  "OpenAI responses: input_tokens with cached_tokens inside, tool calls beside": {
    parts: ["plain", "cached", "answered", "thought"],
    read: (of) => ({ inputTokens: of.plain + of.cached, outputTokens: of.answered + of.thought }),
  },
  "Anthropic messages: input_tokens without what was read from and written to caches": {
    parts: ["plain", "cached", "written", "writtenLong", "answered", "thought"],
    read: (of) => {
      const raw = { input_tokens: of.plain, cache_read: of.cached, cache_creation: of.written + of.writtenLong };
      return {
        inputTokens: raw.input_tokens + raw.cache_read + raw.cache_creation,
        outputTokens: of.answered + of.thought,
      };
    },
  },
  "Gemini: cached, heard and seen inside promptTokenCount, thoughts beside candidates, pictures among them": {
    parts: ["plain", "cached", "heard", "seen", "answered", "thought", "drawn"],
    read: (of) => {
      const raw = { promptTokenCount: inputOf(of), candidatesTokenCount: of.answered + of.drawn, thoughts: of.thought };
      return { inputTokens: raw.promptTokenCount, outputTokens: raw.candidatesTokenCount + raw.thoughts };
    },
  },
  "DeepSeek: hits and misses are the prompt": {
    parts: ["plain", "cached", "answered", "thought"],
    read: (of) => {
      const raw = { hit: of.cached, miss: of.plain };
      return { inputTokens: raw.hit + raw.miss, outputTokens: of.answered + of.thought };
    },
  },
  "OpenAI images: input_tokens_details of text and images": {
    parts: ["plain", "seen", "drawn"],
    read: (of) => ({ inputTokens: of.plain + of.seen, outputTokens: of.drawn }),
  },
  "Realtime: text and audio, both ways, cached inside": {
    parts: ["plain", "cached", "heard", "answered", "spoken"],
    read: (of) => ({ inputTokens: inputOf(of), outputTokens: of.answered + of.spoken }),
  },
  "Embeddings, rerank, speech and transcription: only what went in": {
    parts: ["plain"],
    read: (of) => ({ inputTokens: of.plain }),
  },
};

/** Parts by the names of a usage. */
export const reasoned = (of: Tokens): Partial<Usage> => ({
  cacheReadTokens: of.cached,
  cacheWriteTokens: of.written,
  cacheWriteLongTokens: of.writtenLong,
  audioInputTokens: of.heard,
  imageInputTokens: of.seen,
  reasoningTokens: of.thought,
  audioOutputTokens: of.spoken,
  imageOutputTokens: of.drawn,
});
