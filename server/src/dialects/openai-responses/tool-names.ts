/** Names of the tools of a Responses request: grouped ones get one flat name for vendors without groups, and their own back in answers. */
import { isObject, listOf, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { type ClientTool, clientToolOf } from "./client-tools.ts";

/** How a client knows a tool that a neutral call names. */
export interface OwnName {
  name: string;
  /** The group it is in; undefined for most. */
  namespace?: string;
  /** A freeform tool: its calls are custom_tool_call items. */
  isCustom: boolean;
  /** A tool whose calls have items of their own. */
  clientTool?: ClientTool;
}

/** The flat name of a tool in a group. */
export function flatName(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === "") return name;
  return namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
}

function* namesOf(tools: unknown, namespace: string | undefined): Generator<[flat: string, own: OwnName]> {
  for (const tool of listOf(tools).filter(isObject)) {
    const name = textOf(tool["name"]);
    const clientTool = clientToolOf(tool);
    if (tool["type"] === "namespace") yield* namesOf(tool["tools"], name);
    else if (clientTool !== undefined) yield [clientTool.type, { name: clientTool.type, isCustom: false, clientTool }];
    else {
      const own = { name, isCustom: tool["type"] === "custom" };
      yield [flatName(namespace, name), namespace === undefined ? own : { ...own, namespace }];
    }
  }
}

/** Items of the input that bring tools: some of them later than the first turn. */
const BRINGS_TOOLS: ReadonlySet<unknown> = new Set(["additional_tools", "tool_search_output"]);

/** Lists of tools that are in the input, in its order. */
export const toolsInInput = (input: unknown): readonly unknown[] =>
  listOf(input)
    .filter(isObject)
    .filter(({ type }) => BRINGS_TOOLS.has(type))
    .flatMap(({ tools }) => listOf(tools));

/** The tools of a request by their flat names; none where there is no request. */
export const ownNames = (request: JsonObject | undefined): ReadonlyMap<string, OwnName> =>
  new Map([...namesOf(toolsInInput(request?.["input"]), undefined), ...namesOf(request?.["tools"], undefined)]);
