/** Tools of a request whose work its vendor does: what they find is read as input, and nobody here sees it. */
import { fieldOf } from "../../dialects/json/bytes.ts";
import { isObject, listOf, objectOf } from "../../dialects/json/fields.ts";
import type { DialectName, JsonObject } from "../../dialects/neutral/neutral.ts";
import { clientToolOf } from "../../dialects/openai-responses/client-tools.ts";
import type { Accepted } from "./accepted.ts";
import { parsedValue, valuesNamed } from "./named-values.ts";
import { requestField } from "./request-field.ts";

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** Of every format with types. */
const isClients = ({ type }: JsonObject): boolean => type === "function" || type === "custom";

/** Tools of Responses that the client runs too, and those that read no more than what stands in the request. */
const OF_RESPONSES = /^(?:computer(?:_use_preview)?|image_generation|tool_search)$/;

const isSeenOfResponses = (tool: JsonObject): boolean =>
  isClients(tool) ||
  (tool["type"] === "namespace"
    ? listOf(tool["tools"]).every((inner) => isSeenOfResponses(objectOf(inner)))
    : OF_RESPONSES.test(String(tool["type"])) || clientToolOf(tool) !== undefined);

/** What Anthropic's clients run, by their versions, and the search among the request's own tools (agents-and-tools/tool-use/tool-search-tool). */
const OF_MESSAGES = /^(?:(?:computer|bash|text_editor|memory)_\d{8}|tool_search_tool_\w+)$/;

/** Fields of an entry of Google's (ai.google.dev/api/caching#Tool); a computer is the client's. */
const OF_GEMINI = /^(?:function_?[dD]eclarations|computer_?[uU]se)$/;

/** By format, whether the client itself runs a tool. All others may read what they like, those too that are not invented yet. */
const IS_SEEN: Readonly<Record<DialectName, (tool: JsonObject) => boolean>> = {
  "openai-chat": (tool) => isClients(tool) || (!isGiven(tool["type"]) && isObject(tool["function"])),
  "openai-responses": isSeenOfResponses,
  "anthropic-messages": (tool) => isClients(tool) || !isGiven(tool["type"]) || OF_MESSAGES.test(String(tool["type"])),
  gemini: (tool) => Object.entries(tool).every(([name, value]) => OF_GEMINI.test(name) || !isGiven(value)),
};

/** The entries of a list; what stands alone is a list of one to some vendors. */
const entriesIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.filter(isGiven) : isGiven(value) ? [value] : [];

/** Items of a Responses input that bring tools. */
const BRINGS_TOOLS = ["additional_tools", "tool_search_output"].map((type) => Buffer.from(`"${type}"`));
const TOOLS = Buffer.from('"tools"');

const NO_TOOLS: readonly unknown[] = [];

/** Tools that items of the input bring. */
export function toolsInItems({ body, info, dialect }: Accepted): readonly unknown[] {
  if (dialect.name !== "openai-responses" || !BRINGS_TOOLS.some((mark) => body.includes(mark))) return NO_TOOLS;
  const lists = valuesNamed(body, TOOLS, fieldOf(info.top, "tools"));
  return lists.flatMap((range) => entriesIn(parsedValue(body, range))).toArray();
}

/** True where one of the tools is not the client's. Parses the tools alone (a quarter of a millisecond for 90 kB). */
export function hasUnseenTool(accepted: Accepted): boolean {
  const { info, dialect } = accepted;
  const isUnseen = (tool: unknown): boolean => !isObject(tool) || !IS_SEEN[dialect.name](tool);
  // What is no JSON inside is the upstream's to refuse.
  const tools = fieldOf(info.top, "tools") === undefined ? NO_TOOLS : entriesIn(requestField(accepted, "tools"));
  return tools.some(isUnseen) || toolsInItems(accepted).some(isUnseen);
}
