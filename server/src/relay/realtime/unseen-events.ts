/** What of a client's event in a realtime session its upstream reads, and nobody here can count. */
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

export interface UnseenEvent {
  /** A stored prompt, what tools of the upstream find, items by their ids: only the model's context window bounds them. */
  readonly isUnbounded: boolean;
  readonly pictures: number;
}

/** Parts and items whose words and sound are in the event (platform.openai.com/docs/api-reference/realtime-client-events). */
const SEEN_PARTS: ReadonlySet<string> = new Set([
  "input_text",
  "text",
  "output_text",
  "input_audio",
  "audio",
  "output_audio",
]);
const SEEN_ITEMS: ReadonlySet<string> = new Set(["message", "function_call", "function_call_output"]);
const PICTURE = "input_image";

const typeOf = (value: unknown): string => textOf(objectOf(value)["type"]);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const isUnseenItem = (item: JsonObject): boolean =>
  (isGiven(item["type"]) && !SEEN_ITEMS.has(typeOf(item))) ||
  listOf(item["content"]).some((part) => typeOf(part) !== PICTURE && !SEEN_PARTS.has(typeOf(part)));

/** A configuration of the session, or of one answer. */
const readsUnseen = ({ prompt, tools }: JsonObject): boolean =>
  isGiven(prompt) || listOf(tools).some((tool) => typeOf(tool) !== "function");

/** Items of a conversation that an event brings. */
export const itemsOf = (event: JsonObject): readonly JsonObject[] =>
  [event["item"], ...listOf(objectOf(event["response"])["input"])].filter(isGiven).map(objectOf);

export function unseenIn(event: JsonObject): UnseenEvent {
  const items = itemsOf(event);
  const parts = items.flatMap((item) => listOf(item["content"]));
  return {
    isUnbounded:
      [event["session"], event["response"]].some((set) => readsUnseen(objectOf(set))) || items.some(isUnseenItem),
    pictures: parts.filter((part) => typeOf(part) === PICTURE).length,
  };
}
