/** Tools of the vendor that a request lets its model call, in any client's format: what their calls cost is held beside the tokens. */
import type { ChargedTool, ToolCalls } from "../../../../contract/src/pricing/usage.ts";
import { fieldOf } from "../../dialects/json/bytes.ts";
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { Accepted } from "./accepted.ts";
import { requestField } from "./request-field.ts";

/** Beginnings of the types of OpenAI's and Anthropic's tools, which end in versions (`web_search_20260209`). */
const BY_TYPE: readonly (readonly [beginning: string, tool: ChargedTool])[] = [
  ["web_search", "web_search"],
  ["file_search", "file_search"],
  ["image_generation", "image_generation"],
  ["code_interpreter", "code_interpreter"],
];

/** Gemini's tools are fields of an entry (ai.google.dev/api/caching#Tool). */
const BY_FIELD: Readonly<Record<string, ChargedTool>> = {
  googleSearch: "web_search",
  google_search: "web_search",
  googleSearchRetrieval: "web_search",
  google_search_retrieval: "web_search",
  googleMaps: "google_maps",
  google_maps: "google_maps",
};

function toolsOf(entry: unknown): ChargedTool[] {
  const tool = objectOf(entry);
  const type = textOf(tool["type"]);
  const typed = BY_TYPE.filter(([beginning]) => type.startsWith(beginning)).map(([, name]) => name);
  const named = Object.entries(BY_FIELD).filter(([field]) => tool[field] !== undefined && tool[field] !== null);
  return [...typed, ...named.map(([, name]) => name)];
}

/**
 * What a list has that may name one of them, escaped or not: programs send many tools of their own with every call, which need not be
 * parsed. Short pieces behind a seldom character are found soonest (6 µs in 80 kB).
 */
const TYPE_MARKS = ["_sear", "_gene", "_inte", "\\u"];
const FIELD_MARKS = ["oogle", "\\u"];

function mayOffer({ body, info, dialect }: Accepted): boolean {
  const field = fieldOf(info.top, "tools");
  if (field === undefined) return false;
  const list = body.subarray(field.valueStart, field.valueEnd);
  return (dialect.name === "gemini" ? FIELD_MARKS : TYPE_MARKS).some((mark) => list.includes(mark));
}

/** One call of each, without its price. */
export function offeredTools(accepted: Accepted): ToolCalls[] {
  if (accepted.operation !== "chat") return [];
  const tools = new Set(mayOffer(accepted) ? listOf(requestField(accepted, "tools")).flatMap(toolsOf) : []);
  if (isObject(requestField(accepted, "web_search_options"))) tools.add("web_search");
  return [...tools].map((tool) => ({ tool, calls: 1, usdPerThousand: "" }));
}
