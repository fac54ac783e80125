/** Deviations of compatible vendors' chat completions, as changes of a request's top-level fields: the quirks of providers are made of these. */
import { isObject, listOf, objectOf, ownOf, textOf } from "../json/fields.ts";
import type { FormatName } from "../dialect.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** Fields to drop and fields to set; nothing to do where both are absent. */
export interface FieldPatch {
  remove?: readonly string[];
  set?: Readonly<Record<string, unknown>>;
}

/** Calls that these changes are for: a vendor's other formats have fields of their own, which stay as they are. */
export const isCompletions = (_model: string, operation: string, dialect: FormatName): boolean =>
  operation === "chat" && dialect === "openai-chat";

/** A path of OpenAI's behind a base URL, which has no second version behind one of its own. */
export function compatibleUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  return base + (/\/v\d+$/.test(base) ? path.replace(/^\/v1(?=\/)/, "") : path);
}

/** The messages with some of them replaced; nothing where each stayed as it was. */
function changedMessages(body: JsonObject, change: (message: JsonObject) => JsonObject): FieldPatch {
  const messages = listOf(body["messages"]);
  const changed = messages.map((message) => (isObject(message) ? change(message) : message));
  return changed.every((message, index) => message === messages[index]) ? {} : { set: { messages: changed } };
}

const asSystem = (message: JsonObject): JsonObject =>
  message["role"] === "developer" ? { ...message, role: "system" } : message;

/** Instructions under the role that every vendor knows, for those that refuse `developer`. */
export const systemRole = (body: JsonObject): FieldPatch => changedMessages(body, asSystem);

/** The bound of an answer under its older name, for vendors that refuse the newer one or pass over it. */
export function olderLimit(body: JsonObject): FieldPatch {
  const limit = body["max_completion_tokens"];
  if (limit === undefined) return {};
  const remove = ["max_completion_tokens"];
  return limit === null || body["max_tokens"] !== undefined ? { remove } : { remove, set: { max_tokens: limit } };
}

/** Those of these fields that the request has are left out. */
export function without(body: JsonObject, names: readonly string[]): FieldPatch {
  const remove = names.filter((name) => body[name] !== undefined);
  return remove.length === 0 ? {} : { remove };
}

/** Vectors as lists of numbers, for vendors that know no other form; clients of OpenAI read both. */
export const plainVectors = (body: JsonObject): FieldPatch =>
  body["encoding_format"] === "base64" ? { remove: ["encoding_format"] } : {};

/** What stands for each of OpenAI's efforts; one that is not in it is sent unchanged, an empty text drops the field. */
export type EffortNames = Readonly<Record<string, string>>;

/** `reasoning_effort` by the names of a vendor that has fewer. */
export function mappedEffort(body: JsonObject, names: EffortNames): FieldPatch {
  const effort = textOf(body["reasoning_effort"]);
  const own = ownOf(names, effort) ?? effort;
  if (own === effort) return {};
  return own === "" ? { remove: ["reasoning_effort"] } : { set: { reasoning_effort: own } };
}

const STILL: ReadonlySet<string> = new Set(["none", "minimal"]);

/**
 * `reasoning_effort` as the switch of a vendor that thinks or does not: `thinking` says which. A switch that the client set itself stays;
 * the effort is left out.
 */
export function effortAsSwitch(
  body: JsonObject,
  thinking: (isOn: boolean) => Readonly<Record<string, unknown>>,
): FieldPatch {
  const effort = textOf(body["reasoning_effort"]);
  if (effort === "") return {};
  const set = Object.entries(thinking(!STILL.has(effort))).filter(([name]) => body[name] === undefined);
  return { remove: ["reasoning_effort"], ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }) };
}

const lacksThinking = (message: JsonObject): boolean =>
  message["role"] === "assistant" &&
  listOf(message["tool_calls"]).length > 0 &&
  textOf(message["reasoning_content"]) === "";

/** True if an earlier tool call came back without the thinking before it, which most clients drop; an empty one counts as thinking. */
export const hasLostThinking = (body: JsonObject): boolean =>
  listOf(body["messages"])
    .map(objectOf)
    .some((message) => lacksThinking(message) && typeof message["reasoning_content"] !== "string");

/** A blank in place of the thinking that was lost, for vendors that want some before each call. */
export const blankThinking = (body: JsonObject): FieldPatch =>
  changedMessages(body, (message) => (lacksThinking(message) ? { ...message, reasoning_content: " " } : message));
