/** Releases the conversation of a request once its answer has begun: the settings that price and receipt need stay, but no text. */
import { readTopLevel } from "../../dialects/json/bytes.ts";
import { patchTopLevel } from "../../dialects/json/patch.ts";
import { listOf, objectOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Accepted } from "./accepted.ts";

/** Where the formats keep what was said. */
const CONVERSATION = new Map(
  ["messages", "contents", "input", "prompt", "system", "instructions", "systemInstruction", "system_instruction"].map(
    (name) => [name, null] as const,
  ),
);
/** What was said, without the instructions before it: an answer of Responses repeats that. */
const SAID: ReadonlySet<string> = new Set(["messages", "contents", "input", "prompt"]);

/** Of an input of Responses, what offers tools: an answer names them as the client did. */
const toolItems = (input: unknown): readonly unknown[] =>
  listOf(input).filter((item) => Array.isArray(objectOf(item)["tools"]));

/** The fields of a request that its answer may repeat: a stream keeps them to its end. */
export const settingsOf = (fields: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(fields).filter(([name]) => !SAID.has(name))),
  input: toolItems(fields["input"]),
});

/** Smaller bodies are not worth the copy. */
const MIN_BYTES = 8_192;

/** Drops what is not read any more. Only for chat and completions, whose settlement reads no field of the conversation. */
export function dropConversation(accepted: Accepted, maxDepth: number): void {
  const { operation, form, info, body } = accepted;
  if (body.length < MIN_BYTES || form !== undefined || (operation !== "chat" && operation !== "completions")) return;
  const settings = patchTopLevel(body, info.top, CONVERSATION);
  // In memory of its own: what a slice is made of stays as a whole, and so does the pool of small buffers.
  accepted.body = Buffer.allocUnsafeSlow(settings.length);
  settings.copy(accepted.body);
  accepted.info = { ...info, top: readTopLevel(accepted.body.toString("latin1"), maxDepth) };
  accepted.fields = undefined;
}
