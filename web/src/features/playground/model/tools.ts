/** The tools of a conversation: function definitions as JSON text, read as vendors take them. Pure. */

export interface FunctionTool {
  type: "function";
  function: { name: string; description?: string; parameters?: unknown; strict?: boolean };
}

export type ToolsProblem = "json" | "list" | "name" | "parameters" | "twice";

/** The names that vendors take (developers.openai.com/api/reference, function name). */
const NAME = /^[\w-]{1,64}$/;

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

function toolOf(value: unknown): FunctionTool | ToolsProblem {
  // Both spellings are about: the function alone, and the function inside a tool.
  const called = recordOf(recordOf(value)?.["function"] ?? value);
  const name = called?.["name"];
  if (called === undefined || typeof name !== "string" || !NAME.test(name)) return "name";
  if (called["parameters"] !== undefined && recordOf(called["parameters"]) === undefined) return "parameters";
  return { type: "function", function: { ...called, name } };
}

/** The tools, none where the text is blank; or what is wrong with it. */
export function toolsOf(text: string): FunctionTool[] | ToolsProblem {
  if (text.trim() === "") return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return "json";
  }
  if (!Array.isArray(parsed)) return "list";
  const tools = parsed.map(toolOf);
  const problem = tools.find((tool) => typeof tool === "string");
  if (problem !== undefined) return problem;
  const found = tools.filter((tool) => typeof tool !== "string");
  return new Set(found.map((tool) => tool.function.name)).size < found.length ? "twice" : found;
}

/** What 'Fill template' puts in. */
export const TOOLS_TEMPLATE = JSON.stringify(
  [
    {
      name: "get_weather",
      description: "Current weather of a place",
      parameters: {
        type: "object",
        properties: { city: { type: "string", description: "Name of the city" } },
        required: ["city"],
      },
    },
  ],
  null,
  2,
);
