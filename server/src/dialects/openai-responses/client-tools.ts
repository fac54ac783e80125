/**
 * Tools that the Responses API defines but the client runs: elsewhere each is a function, and its calls and results have items of their own
 * (platform.openai.com/docs/guides/tools-local-shell, /tools-shell, /tools-apply-patch, /tools-tool-search).
 */
import { isObject, listOf, numberOf, objectOf, parseObject, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

export type ClientToolType = "local_shell" | "shell" | "apply_patch" | "tool_search";

export interface ClientTool {
  /** Type of the tool, and the name of the function it is elsewhere. */
  type: ClientToolType;
  description: string;
  /** JSON Schema of the function. */
  parameters: JsonObject;
  /** Prefix of an item's id. */
  prefix: string;
  /** Arguments of the function, from the item of a call. */
  toArguments(item: JsonObject): JsonObject;
  /** Fields of the item of a call, from the arguments a model wrote. */
  fromArguments(input: JsonObject): JsonObject;
  /** Text of a result, or content as messages have it. */
  result(item: JsonObject): unknown;
}

const TEXT = { type: "string" } as const;
const COUNT = { type: "integer" } as const;

/** Entries that have a value. */
const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

const pickGiven = (fields: JsonObject, ...names: readonly string[]): JsonObject =>
  given(Object.fromEntries(names.map((name) => [name, fields[name]])));

/** Commands as a list; models sometimes write one as a text. */
const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : listOf(value).filter((word) => typeof word === "string");

const output = (item: JsonObject): unknown => item["output"];

const LOCAL_SHELL: ClientTool = {
  type: "local_shell",
  description: "Runs a command on the user's machine and gives its output.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "array", items: TEXT, description: "The program and its arguments." },
      working_directory: TEXT,
      timeout_ms: COUNT,
    },
    required: ["command"],
    additionalProperties: false,
  },
  prefix: "lsh",
  toArguments: ({ action }) => pickGiven(objectOf(action), "command", "working_directory", "timeout_ms"),
  fromArguments: (input) => ({
    action: {
      type: "exec",
      command: textsIn(input["command"]),
      env: {},
      ...pickGiven(input, "working_directory", "timeout_ms"),
    },
  }),
  result: output,
};

/** Output of one command: what it printed, and how it ended where it did not end well. */
function shellOutput(entry: unknown): string {
  const { stdout, stderr, outcome } = objectOf(entry);
  const code = numberOf(objectOf(outcome)["exit_code"]);
  const end =
    objectOf(outcome)["type"] === "timeout"
      ? "[timed out]"
      : code === undefined || code === 0
        ? ""
        : `[exit code ${code}]`;
  return [textOf(stdout), textOf(stderr), end].filter((line) => line !== "").join("\n");
}

const SHELL: ClientTool = {
  type: "shell",
  description: "Runs shell commands on the user's machine, one after the other, and gives their output.",
  parameters: {
    type: "object",
    properties: { commands: { type: "array", items: TEXT }, timeout_ms: COUNT, max_output_length: COUNT },
    required: ["commands"],
    additionalProperties: false,
  },
  prefix: "sh",
  toArguments: ({ action }) => pickGiven(objectOf(action), "commands", "timeout_ms", "max_output_length"),
  fromArguments: (input) => ({
    action: {
      commands: textsIn(input["commands"]),
      timeout_ms: numberOf(input["timeout_ms"]) ?? null,
      max_output_length: numberOf(input["max_output_length"]) ?? null,
    },
  }),
  result: (item) => (Array.isArray(item["output"]) ? item["output"].map(shellOutput).join("\n") : item["output"]),
};

const APPLY_PATCH: ClientTool = {
  type: "apply_patch",
  description: "Creates, changes or deletes one file. `diff` is in the V4A format and left out for a deletion.",
  parameters: {
    type: "object",
    properties: {
      type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
      path: TEXT,
      diff: TEXT,
    },
    required: ["type", "path"],
    additionalProperties: false,
  },
  prefix: "apc",
  toArguments: ({ operation }) => pickGiven(objectOf(operation), "type", "path", "diff"),
  fromArguments: (input) => ({ operation: pickGiven(input, "type", "path", "diff") }),
  result: (item) => textOf(item["output"]) || textOf(item["status"]),
};

/** Its description and parameters come with the request. */
const TOOL_SEARCH: ClientTool = {
  type: "tool_search",
  description: "Finds tools that are not loaded yet; those it finds can be called afterwards.",
  parameters: { type: "object", properties: { query: TEXT, limit: COUNT }, required: ["query"] },
  prefix: "tsc",
  // Some clients keep the arguments as the text of a function call.
  toArguments: (item) =>
    isObject(item["arguments"]) ? item["arguments"] : (parseObject(textOf(item["arguments"])) ?? {}),
  fromArguments: (input) => ({ execution: "client", arguments: input }),
  result: (item) => JSON.stringify({ tools: listOf(item["tools"]).filter(isObject).map(summaryOf) }),
};

/** A tool that was found, without its schema: that stands among the tools from then on. */
function summaryOf(tool: JsonObject): JsonObject {
  const inner = listOf(tool["tools"]).filter(isObject);
  return given({
    name: tool["name"],
    description: tool["description"],
    tools: inner.length === 0 ? undefined : inner.map(summaryOf),
  });
}

const TOOLS: readonly ClientTool[] = [LOCAL_SHELL, SHELL, APPLY_PATCH, TOOL_SEARCH];
const BY_TYPE: ReadonlyMap<string, ClientTool> = new Map(TOOLS.map((tool) => [tool.type, tool]));
const BY_CALL: ReadonlyMap<string, ClientTool> = new Map(TOOLS.map((tool) => [`${tool.type}_call`, tool]));
const BY_RESULT: ReadonlyMap<string, ClientTool> = new Map(
  TOOLS.map((tool) => [tool.type === "tool_search" ? "tool_search_output" : `${tool.type}_call_output`, tool]),
);

/** A shell in the vendor's own container, and a search the vendor makes itself, are none of these. */
const isHosted = (tool: JsonObject): boolean => {
  if (tool["type"] === "tool_search") return tool["execution"] !== "client";
  const environment = textOf(objectOf(tool["environment"])["type"]);
  return environment !== "" && environment !== "local";
};

/** The tool a request offers; undefined for every other type, and where the vendor itself would do the work. */
export function clientToolOf(tool: JsonObject): ClientTool | undefined {
  const found = BY_TYPE.get(textOf(tool["type"]));
  return found === undefined || isHosted(tool) ? undefined : found;
}

/** The tool an item calls. */
export const calledTool = (itemType: string): ClientTool | undefined => BY_CALL.get(itemType);
/** The tool whose result an item is. */
export const answeredTool = (itemType: string): ClientTool | undefined => BY_RESULT.get(itemType);
