/** The words of a request in any client's format: one walk over its values, by the names under which every format keeps language. */

/** Under these stands language: a string, a list of strings, or parts that have such names again. */
const TEXT_NAMES: ReadonlySet<string> = new Set([
  "content", // messages of OpenAI and Anthropic, tool results
  "text", // content parts of every format
  "prompt", // completions, images, songs
  "negative_prompt",
  "negativePrompt", // Imagen
  "gpt_description_prompt",
  "input", // responses, embeddings, speech, moderations
  "instruction",
  "instructions",
  "system", // Anthropic
  "system_instruction", // Gemini
  "systemInstruction",
  "query", // rerank
  "documents",
  "suffix",
  "refusal",
  "transcript", // what was spoken, in realtime
  "thinking",
  "reasoning_content",
  "summary",
  "description", // of tools and their parameters
  "title",
  "lyrics",
  "tags",
]);

/** Under these stand the arguments and results of tools: an object whose names are the tool's own, or JSON as text. */
const TOOL_NAMES: ReadonlySet<string> = new Set([
  "arguments",
  "args",
  "input",
  "output",
  "response",
  "result",
  "partial_json",
]);

/** Never language, also inside the data of tools: what names, addresses or encodes something. */
const STRUCTURE_NAMES: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "model",
  "data",
  "url",
  "image_url",
  "file_url",
  "file_uri",
  "fileUri",
  "file_id",
  "file_data",
  "b64_json",
  "media_type",
  "mime_type",
  "mimeType",
  "signature",
  "thoughtSignature",
  "encrypted_content",
]);

/** `text`: strings are language. `tool`: strings under any name are. `none`: only what a known name leads to. */
type Mode = "none" | "text" | "tool";

function modeFor(name: string, value: unknown, mode: Mode): Mode | undefined {
  if (STRUCTURE_NAMES.has(name)) return undefined;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (mode === "tool" || (TOOL_NAMES.has(name) && (isObject || !TEXT_NAMES.has(name)))) return "tool";
  return TEXT_NAMES.has(name) ? "text" : "none";
}

/** Shorter strings of the same letters may be words. */
const ENCODED_CHARACTERS = 4096;
const ENCODED = /^[\w+/=\r\n-]*$/;
const DATA_URI_HEAD = /^data:[^,\s]{0,200},/;

/** True for what looks like media in text form, to its last character. Somebody may have made words look so. */
export function isEncoded(text: string): boolean {
  if (text.length < ENCODED_CHARACTERS) return false;
  const head = text.startsWith("data:") ? DATA_URI_HEAD.exec(text)?.[0] : undefined;
  return ENCODED.test(head === undefined ? text : text.slice(head.length));
}

function walk(value: unknown, mode: Mode, texts: string[]): void {
  if (typeof value === "string") {
    if (mode !== "none") texts.push(value);
  } else if (Array.isArray(value)) for (const each of value) walk(each, mode, texts);
  else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      const inner = modeFor(name, each, mode);
      if (inner !== undefined) walk(each, inner, texts);
    }
  }
}

/**
 * Every text of a parsed request: messages, parts, system prompts, instructions, inputs, documents, tools' arguments and results.
 * Names, addresses and media in fields of their own are passed over. The caller has bounded the depth.
 */
export function textsIn(request: unknown): string[] {
  const texts: string[] = [];
  walk(request, "none", texts);
  return texts;
}
