/** Requests and answers of the conversations that are checked against the published types, in each form. */
import type { Plan } from "../../fake-upstream/plan.ts";
import { CHAT, type Form, RESPONSES } from "./answers.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Scenario {
  name: string;
  /** What the upstream does. */
  plan: Plan;
  /** What clients of chat completions, and of Responses, ask beside the words. */
  chat?: Fields;
  responses?: Fields;
  /** It is answered with an error where it is no stream. */
  fails?: true;
}

const WEATHER = {
  name: "get_weather",
  description: "Weather of a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const SCHEMA = {
  name: "report",
  strict: true,
  schema: { type: "object", properties: {}, additionalProperties: false },
};
const CALLS = ["Riga", "Oslo"].map((city) => ({ name: WEATHER.name, arguments: JSON.stringify({ city }) }));
export const TOOLS = {
  chat: { tools: [{ type: "function", function: WEATHER }] },
  responses: { tools: [{ type: "function", ...WEATHER, strict: true }] },
};
export const THINKING = {
  chat: { reasoning_effort: "low" },
  responses: { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] },
};
/** What Responses repeats of its request. */
const REPEATED = {
  instructions: "Be brief.",
  metadata: { of: "a test" },
  max_output_tokens: 1000,
  temperature: 1,
  top_p: 0.5,
  user: "u",
  truncation: "disabled",
};

export const SCENARIOS: readonly Scenario[] = [
  { name: "text", plan: { text: "Hello, how are you?", chunks: 4 }, responses: REPEATED },
  { name: "no text", plan: { text: "" } },
  { name: "text without a count", plan: { text: "Hello", usage: null } },
  { name: "tool calls", plan: { text: "I look.", toolCalls: CALLS }, ...TOOLS },
  {
    name: "a freeform tool call",
    plan: { text: "", toolCalls: [{ name: "apply_patch", arguments: '{"input":"*** Begin Patch"}' }] },
    responses: { tools: [{ type: "custom", name: "apply_patch", description: "Edits." }] },
  },
  { name: "thinking", plan: { reasoning: "Let me see.", text: "Well." }, ...THINKING },
  {
    name: "thinking before calls",
    plan: { reasoning: "Let me see.", text: "", toolCalls: CALLS },
    chat: { ...TOOLS.chat, ...THINKING.chat },
    responses: { ...TOOLS.responses, ...THINKING.responses },
  },
  {
    name: "a form",
    plan: { text: "{}" },
    chat: { response_format: { type: "json_schema", json_schema: SCHEMA } },
    responses: { text: { format: { type: "json_schema", ...SCHEMA } } },
  },
  { name: "a refusal", plan: { text: "I", finishReason: "content_filter" } },
  { name: "a truncation", plan: { text: "Once upon", finishReason: "length" } },
  { name: "an unknown end", plan: { text: "Once upon", finishReason: "of_next_year" } },
  { name: "a refused request", plan: { status: 400, error: { message: "Too long." } }, fails: true },
  { name: "a refused key", plan: { status: 401, error: { message: "No." } }, fails: true },
  { name: "a busy upstream", plan: { status: 429, error: { message: "Later." } }, fails: true },
  { name: "a broken upstream", plan: { status: 500, error: { message: "Oh." } }, fails: true },
  { name: "a stream that is cut", plan: { text: "word ".repeat(200), chunks: 200, cutAtByte: 5000 }, fails: true },
];

/** The body of a scenario's call. */
export function bodyOf(
  form: Form,
  model: string,
  stream: boolean,
  asked: Pick<Scenario, "chat" | "responses">,
): Fields {
  if (form.path === RESPONSES.path) return { model, stream, input: "Hello", ...asked.responses };
  const options = stream ? { stream_options: { include_usage: true } } : {};
  if (form.path === CHAT.path)
    return { model, stream, messages: [{ role: "user", content: "Hello" }], ...options, ...asked.chat };
  return { model, stream, prompt: "Hello", ...options };
}
