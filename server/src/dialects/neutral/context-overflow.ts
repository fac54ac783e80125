/** Context-length errors: recognised in any vendor's wording, and written in the wording that each vendor's clients know. */
import type { DialectName } from "./neutral.ts";

/** Tokens of the conversation and the most that the model takes, as far as they are known. */
export interface ContextOverflow {
  asked?: number | undefined;
  most?: number | undefined;
}

/** Codes of OpenAI and of Anthropic's stop reason in a refusal. */
const CODES: ReadonlySet<string> = new Set(["context_length_exceeded", "model_context_window_exceeded"]);

const WORDS =
  /prompt is too long|input length and `?max_tokens`? exceed context limit|maximum context length is|exceeds the context window|exceeds the maximum number of tokens allowed/i;

/** Each finds the tokens that were sent and the most, in this order (docs.claude.com/en/api/errors, platform.openai.com, ai.google.dev). */
const NUMBERS = [
  /prompt is too long: (?<asked>\d+) tokens > (?<most>\d+) maximum/i,
  /maximum context length is (?<most>\d+) tokens[^\d]{1,80}(?<asked>\d+) tokens/i,
  /input token count(?: is)? \(?(?<asked>\d+)\)?[^\d]{1,80}tokens allowed \(?(?<most>\d+)/i,
] as const;

/** What a failure says of it; undefined for other failures. */
export function contextOverflowOf({ code, message }: { code: string; message: string }): ContextOverflow | undefined {
  if (!CODES.has(code) && !WORDS.test(message)) return undefined;
  for (const pattern of NUMBERS) {
    const groups = pattern.exec(message.replace(/(?<=\d),(?=\d{3})/g, ""))?.groups;
    if (groups !== undefined) return { asked: Number(groups["asked"]), most: Number(groups["most"]) };
  }
  return {};
}

/** The sentence with both numbers, and what stands before the upstream's own words where they are not known. */
const SENTENCES: Readonly<
  Record<"openai" | "anthropic" | "gemini", { whole(asked: number, most: number): string; start: string }>
> = {
  openai: {
    whole: (asked, most) =>
      `This model's maximum context length is ${most} tokens. However, your messages resulted in ${asked} tokens.`,
    start: "This model's maximum context length is exceeded",
  },
  anthropic: {
    whole: (asked, most) => `prompt is too long: ${asked} tokens > ${most} maximum`,
    start: "prompt is too long",
  },
  gemini: {
    whole: (asked, most) => `The input token count (${asked}) exceeds the maximum number of tokens allowed (${most}).`,
    start: "The input token count exceeds the maximum number of tokens allowed",
  },
};

const VENDOR_OF: Readonly<Record<DialectName, keyof typeof SENTENCES>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  gemini: "gemini",
};

/** The sentence by which clients of a format know it; `words` are the upstream's own. */
export function overflowSentence(dialect: DialectName, { asked, most }: ContextOverflow, words = ""): string {
  const { whole, start } = SENTENCES[VENDOR_OF[dialect]];
  if (asked !== undefined && most !== undefined) return whole(asked, most);
  return words === "" ? `${start}.` : `${start}: ${words}`;
}
