/**
 * What vendors other than Anthropic support of the Messages format: what one ignores or refuses is a translation fault, upon which the call is sent
 * in another of its formats, or refused by name.
 */
import { isObject, listOf, objectOf, textOf } from "../../json/fields.ts";
import type { FormatQuirk } from "../../format-quirk.ts";
import { type JsonObject, TranslationFault } from "../../neutral/neutral.ts";

/** What a vendor documents of the format beyond text, thinking, functions and base64 images. */
export interface ServedMessages {
  /** Its name, for the client. */
  vendor: string;
  /** Kinds of content blocks. */
  blocks?: readonly string[];
  /** Beginnings of the types of tools that it runs itself, or has given its model. */
  tools?: readonly string[];
  /** It fetches pictures from public addresses. */
  fetchesPictures?: boolean;
  /** Kinds of `tool_choice`; all where absent. */
  toolChoices?: readonly string[];
  /** It holds answers to a schema (`output_config.format`). */
  takesSchemas?: boolean;
  /** True for the id of an earlier call that it refuses without the thinking before it. */
  wantsThinking?: (callId: string) => boolean;
}

const EVERYWHERE = ["text", "thinking", "image", "tool_use", "tool_result"];
/** Fields of the request that mean servers of the vendor. */
const SERVER_FIELDS = ["mcp_servers", "container"];

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== "";

/** A file of the vendor's store belongs to the operator's account, not to the client. */
function sourceFault(block: JsonObject, { fetchesPictures = false }: ServedMessages): string | undefined {
  const type = objectOf(block["source"])["type"];
  if (type === "file") return "files by their ids";
  return type === "url" && !fetchesPictures ? "addresses of pictures" : undefined;
}

function blockFault(block: unknown, served: ServedMessages): string | undefined {
  if (!isObject(block)) return undefined;
  const type = textOf(block["type"]);
  if (!EVERYWHERE.includes(type) && served.blocks?.includes(type) !== true) return `blocks of the kind "${type}"`;
  return sourceFault(block, served) ?? contentFault(block["content"], served);
}

/** A turn that calls a function without the thinking before it. */
function turnFault(content: unknown, wantsThinking: (callId: string) => boolean): string | undefined {
  const blocks = listOf(content).map(objectOf);
  const isLost =
    blocks.some(({ type, id }) => type === "tool_use" && wantsThinking(textOf(id))) &&
    !blocks.some(({ type }) => type === "thinking");
  return isLost ? "calls without the thinking before them" : undefined;
}

function contentFault(content: unknown, served: ServedMessages): string | undefined {
  for (const block of listOf(content)) {
    // What a search of the vendor's own found has kinds that only it knows.
    const fault = isObject(block) && block["type"] === "web_search_result" ? undefined : blockFault(block, served);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Functions have no type, or this one. */
const isFunction = (type: string): boolean => type === "" || type === "custom";

function toolFault(tool: unknown, { tools = [] }: ServedMessages): string | undefined {
  const type = textOf(objectOf(tool)["type"]);
  return isFunction(type) || tools.some((beginning) => type.startsWith(beginning))
    ? undefined
    : `tools of the type "${type}"`;
}

/** The first thing that the vendor does not take, with the field it is in. */
function firstFault(body: JsonObject, served: ServedMessages): readonly [field: string, what: string] | undefined {
  const server = SERVER_FIELDS.find((field) => isSet(body[field]));
  if (server !== undefined) return [server, `${server} for this model`];
  for (const tool of listOf(body["tools"])) {
    const fault = toolFault(tool, served);
    if (fault !== undefined) return ["tools", fault];
  }
  const choice = textOf(objectOf(body["tool_choice"])["type"]);
  if (choice !== "" && served.toolChoices?.includes(choice) === false)
    return ["tool_choice", `a tool_choice of the type "${choice}"`];
  if (served.takesSchemas !== true && isSet(objectOf(body["output_config"])["format"]))
    return ["output_config.format", "schemas of answers"];
  const thinks = objectOf(body["thinking"])["type"] !== "disabled";
  const wantsThinking = thinks ? served.wantsThinking : undefined;
  for (const message of listOf(body["messages"])) {
    const { content } = objectOf(message);
    const lost = wantsThinking === undefined ? undefined : turnFault(content, wantsThinking);
    const fault = lost ?? contentFault(content, served);
    if (fault !== undefined) return ["messages", fault];
  }
  return undefined;
}

const isMessages: FormatQuirk["appliesTo"] = (_model, operation, dialect) =>
  operation === "chat" && dialect === "anthropic-messages";

/** Keeps requests out of the vendor's Messages that ask for what it does not take there. */
export const servedMessages = (served: ServedMessages): FormatQuirk => ({
  reason: `${served.vendor} does not take it in this format`,
  appliesTo: isMessages,
  patch(body) {
    const [field, what] = firstFault(body, served) ?? [];
    if (field !== undefined) throw new TranslationFault(field, `${served.vendor} does not take ${what}.`);
    return {};
  },
});

/** A change of the top-level fields of a vendor's Messages, with its reason. */
export const messagesQuirk = (reason: string, patch: FormatQuirk["patch"]): FormatQuirk => ({
  reason,
  appliesTo: isMessages,
  patch,
});

/** Lifetimes (TTL) of the cache breakpoints in a part of a request. */
function marksIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(marksIn);
  if (!isObject(value)) return [];
  const { cache_control: mark, content } = value;
  return [...(isObject(mark) ? [textOf(mark["ttl"])] : []), ...marksIn(content)];
}

/** Moves the blocks' `cache_control` to the top of the request, for vendors that read it only there. */
export function cacheMarkOnTop(body: JsonObject): ReturnType<FormatQuirk["patch"]> {
  if (body["cache_control"] !== undefined) return {};
  const marks = ["system", "tools", "messages"].flatMap((field) => marksIn(body[field]));
  if (marks.length === 0) return {};
  return { set: { cache_control: { type: "ephemeral", ...(marks.includes("1h") ? { ttl: "1h" } : {}) } } };
}
