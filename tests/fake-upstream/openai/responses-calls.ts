/** Calls of tools as items of the fake Responses API: functions, freeform tools, tools in groups, and tools with items of their own. */
import { splitText } from "../vendor.ts";

type Fields = Record<string, unknown>;

/** An output item and the events between its beginning and its end. */
export interface Played {
  item: Fields;
  /** What the item looks like when it is added. */
  begun: Fields;
  events: readonly Fields[];
}

interface Call {
  /** Of a tool in a group: the group's name, two underlines and its own. */
  name: string;
  arguments: string;
}

interface Place {
  request: Readonly<Record<string, unknown>>;
  /** Items before this answer: their number makes ids that differ from turn to turn. */
  turn: number;
  index: number;
  /** Events the arguments are cut into. */
  pieces: number;
}

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter((each): each is Fields => typeof each === "object" && each !== null) : [];

/** Tools of the request, and those its input brought. */
const toolsOf = ({ tools, input }: Place["request"]): readonly Fields[] => [
  ...listOf(tools),
  ...listOf(input).flatMap((item) => listOf(item["tools"])),
];

interface Found {
  name: string;
  type: unknown;
  namespace?: string;
}

function find(request: Place["request"], called: string): Found {
  for (const tool of toolsOf(request)) {
    const { type, name } = tool;
    if (type !== "namespace") {
      if ((name ?? type) === called) return { name: called, type };
      continue;
    }
    const group = String(name);
    const inner = listOf(tool["tools"]).find((one) => `${group.replace(/__$/, "")}__${String(one["name"])}` === called);
    if (inner !== undefined) return { name: String(inner["name"]), type: inner["type"], namespace: group };
  }
  return { name: called, type: "function" };
}

/** Fields of calls with items of their own. */
const OWN: Readonly<Record<string, (input: Fields) => Fields>> = {
  local_shell: (input) => ({ action: { type: "exec", env: {}, ...input } }),
  shell: (input) => ({ action: { timeout_ms: null, max_output_length: null, ...input } }),
  apply_patch: (input) => ({ operation: input }),
  tool_search: (input) => ({ execution: "client", arguments: input }),
};

/** What a freeform tool is given: the text of the plan's one argument. */
function freeformInput(text: string): string {
  const { input } = JSON.parse(text) as { input?: unknown };
  return typeof input === "string" ? input : text;
}

function playOwn(type: string, call: Call, { turn, index }: Place): Played {
  const fields = OWN[type]?.(JSON.parse(call.arguments) as Fields) ?? {};
  const item = { id: `${type}_turnpike${turn}_${index}`, type: `${type}_call`, status: "completed", ...fields };
  const whole = { ...item, call_id: `call_${turn}_${index}` };
  return { item: whole, begun: { ...whole, status: "in_progress" }, events: [] };
}

/** One call with its events. */
export function playCall(call: Call, place: Place): Played {
  const { request, turn, index, pieces } = place;
  const { type, ...named } = find(request, call.name);
  if (Object.hasOwn(OWN, String(type))) return playOwn(String(type), call, place);
  const isCustom = type === "custom";
  const [itemType, field, event] = isCustom
    ? (["custom_tool_call", "input", "response.custom_tool_call_input"] as const)
    : (["function_call", "arguments", "response.function_call_arguments"] as const);
  const text = isCustom ? freeformInput(call.arguments) : call.arguments;
  const id = `${isCustom ? "ctc" : "fc"}_turnpike${turn}_${index}`;
  const where = { item_id: id, output_index: index };
  const item = { id, type: itemType, status: "completed", [field]: text, call_id: `call_${turn}_${index}`, ...named };
  const events = [
    ...splitText(text, pieces).map((delta) => ({ type: `${event}.delta`, ...where, delta, obfuscation: "x9" })),
    { type: `${event}.done`, ...where, [field]: text },
  ];
  return { item, begun: { ...item, status: "in_progress", [field]: "" }, events };
}
