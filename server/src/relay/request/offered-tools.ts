/** Vendors' tools that a request offers its model, in any client's format: their results are input not seen here, and their calls are held for beside the tokens. */
import type { ChargedTool, ToolCalls } from "../../../../contract/src/pricing/usage.ts";
import { fieldOf } from "../../dialects/json/bytes.ts";
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { namedSettings } from "../../dialects/neutral/model-names.ts";
import type { DialectName, JsonObject } from "../../dialects/neutral/neutral.ts";
import { clientToolOf } from "../../dialects/openai-responses/client-tools.ts";
import { type Accepted, requestField } from "./accepted.ts";
import { parsedValue, valuesNamed } from "./named-values.ts";

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
function toolsInItems({ body, info, dialect }: Accepted): readonly unknown[] {
  if (dialect.name !== "openai-responses" || !BRINGS_TOOLS.some((mark) => body.includes(mark))) return NO_TOOLS;
  const lists = valuesNamed(body, TOOLS, fieldOf(info.top, "tools"));
  return lists.flatMap((range) => entriesIn(parsedValue(body, range))).toArray();
}

/** True for a model's name that stands for a search, which no field of the request asks for then. */
const searchesByName = ({ model }: Accepted): boolean =>
  model.endsWith("-search") && namedSettings("xai", model)?.searches === true;

/** True where one of the tools is not the client's. Parses the tools alone (a quarter of a millisecond for 90 kB). */
export function hasUnseenTool(accepted: Accepted): boolean {
  const { info, dialect } = accepted;
  const isUnseen = (tool: unknown): boolean => !isObject(tool) || !IS_SEEN[dialect.name](tool);
  // What is no JSON inside is the upstream's to refuse.
  const tools = fieldOf(info.top, "tools") === undefined ? NO_TOOLS : entriesIn(requestField(accepted, "tools"));
  return tools.some(isUnseen) || toolsInItems(accepted).some(isUnseen);
}

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

/**
 * Calls in one answer at most, where the request sets no bound of its own: models call a tool until they have what they look for.
 * Containers, and Google's places, are counted once for an answer; a picture takes its model a minute.
 */
const MOST_CALLS: Readonly<Record<ChargedTool, number>> = {
  web_search: 10,
  file_search: 10,
  image_generation: 4,
  code_interpreter: 1,
  google_maps: 1,
};
/** More are not charged either. */
const MOST_CHARGED = 10_000;

/** A bound as requests set it; undefined where there is none. */
const boundOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 1 ? Math.min(Math.ceil(value), MOST_CHARGED) : undefined;

/** One place of a request that offers a tool, and how often it may be called there. */
interface Offer {
  tool: ChargedTool;
  most: number;
}

const offerOf = (tool: ChargedTool, uses?: number): Offer => ({ tool, most: uses ?? MOST_CALLS[tool] });

function offersOf(entry: unknown): Offer[] {
  const tool = objectOf(entry);
  const type = textOf(tool["type"]).replace(/^openrouter:/, "");
  if (type === "namespace") return listOf(tool["tools"]).flatMap(offersOf);
  const typed = BY_TYPE.filter(([beginning]) => type.startsWith(beginning)).map(([, name]) => name);
  const named = Object.entries(BY_FIELD).filter(([field]) => tool[field] !== undefined && tool[field] !== null);
  const uses = boundOf(tool["max_uses"]);
  return [...typed, ...named.map(([, name]) => name)].map((name) => offerOf(name, uses));
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

/** OpenRouter's search, whichever format asks for it (openrouter.ai/docs/guides/features/plugins/web-search). */
const SEARCH_PLUGIN = "web";

/** OpenAI's models that search for each question, and once; others that are asked so have it as a tool. */
const SEARCHES_ONCE = /-search-(?:preview|api)/;

/** Fields in which a request offers tools, in any client's format; items of Responses may bring some too. */
const OFFERING: ReadonlySet<string> = new Set(["tools", "web_search_options", "plugins"]);

function offersNothing(accepted: Accepted): boolean {
  const { info, dialect, form } = accepted;
  if (form !== undefined || dialect.name === "openai-responses" || searchesByName(accepted)) return false;
  return !info.top.fields.some(({ name }) => OFFERING.has(name));
}

function offers(accepted: Accepted): Offer[] {
  const tools = mayOffer(accepted) ? listOf(requestField(accepted, "tools")) : [];
  const offered = [...tools, ...toolsInItems(accepted)].flatMap(offersOf);
  if (isObject(requestField(accepted, "web_search_options")))
    offered.push(offerOf("web_search", SEARCHES_ONCE.test(accepted.model) ? 1 : undefined));
  const plugins = listOf(requestField(accepted, "plugins")).map(objectOf);
  if (plugins.some(({ id }) => id === SEARCH_PLUGIN)) offered.push(offerOf("web_search", 1));
  if (searchesByName(accepted)) offered.push(offerOf("web_search"));
  return offered;
}

export interface OfferedTools {
  /** One call of each as often as it is offered, without its price. */
  readonly least: readonly ToolCalls[];
  /** As many as one answer may make. */
  readonly most: readonly ToolCalls[];
}

const NONE: OfferedTools = { least: [], most: [] };

/** The priced tools that a request lets its model call. */
export function offeredTools(accepted: Accepted): OfferedTools {
  if (accepted.operation !== "chat" || offersNothing(accepted)) return NONE;
  const offered = offers(accepted);
  if (offered.length === 0) return NONE;
  // Responses bounds the calls of all tools together.
  const bound = boundOf(requestField(accepted, "max_tool_calls"));
  const counted = [...Map.groupBy(offered, ({ tool }) => tool)].map(([tool, places]) => {
    const most = places.reduce((sum, place) => sum + place.most, 0);
    const least = { tool, calls: places.length, usdPerThousand: "" };
    return { least, most: { ...least, calls: Math.max(places.length, MOST_CALLS[tool] > 1 ? (bound ?? most) : most) } };
  });
  return { least: counted.map(({ least }) => least), most: counted.map(({ most }) => most) };
}
