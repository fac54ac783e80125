/** Bodies as they go out in each of the four formats, with tools, pictures and results of tools, and where the cases of overrides act in them. */
type Fields = Record<string, unknown>;

/** One path as a rule has it, and the places in the body that it stands for, step by step. */
export interface NamedPlace {
  readonly path: string;
  readonly places: readonly (readonly (string | number)[])[];
}

/** Paths that lead to a text. */
export const TEXT_PATHS = ["dotted", "negative", "star"] as const;
export type TextPath = (typeof TEXT_PATHS)[number];

export interface CaseBody {
  /** A new one each time: rules change it in place. */
  body(): Fields;
  /** Texts: by names and indexes, from the end of a list, and several at once. */
  readonly texts: Readonly<Record<TextPath, NamedPlace>>;
  readonly number: NamedPlace;
  readonly list: NamedPlace;
  readonly object: NamedPlace;
  /** Nothing is there, nor the object that it would be in. */
  readonly missing: NamedPlace;
  /** The list with objects of several types, one of them nested, and the type of those that `prune_objects` removes. */
  readonly pruned: { readonly path: string; readonly type: string; readonly left: unknown };
}

const at = (path: string, ...places: readonly (readonly (string | number)[])[]): NamedPlace => ({
  path,
  places: places.length > 0 ? places : [path.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step))],
});

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const PICTURE = "iVBORw0KGgo=";

const chat: CaseBody = {
  body: () => ({
    model: "gpt-4o",
    messages: [
      { role: "system", content: " GPT/Be brief/v1 " },
      {
        role: "user",
        content: [
          { type: "text", text: " GPT/What is it?/v1 " },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}`, detail: "low" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: " GPT/Sunny/v1 " },
    ],
    tools: [
      { type: "function", function: { name: "weather", description: " GPT/Weather/v1 ", parameters: SCHEMA } },
      { type: "function", function: { name: "time", description: " GPT/Time/v1 ", parameters: SCHEMA } },
    ],
    max_tokens: 60,
    temperature: 0.7,
    stop: ["a", "b"],
    metadata: { team: "red", "cost.centre": "7" },
    stream: true,
    stream_options: { include_usage: true },
  }),
  texts: {
    dotted: at("messages.1.content.0.text"),
    negative: at("messages.-1.content", ["messages", 3, "content"]),
    star: at(
      "tools.*.function.description",
      ["tools", 0, "function", "description"],
      ["tools", 1, "function", "description"],
    ),
  },
  number: at("temperature"),
  list: at("stop"),
  object: at("metadata"),
  missing: at("reasoning.summary.kind"),
  pruned: {
    path: "messages.1.content",
    type: "image_url",
    left: [{ type: "text", text: " GPT/What is it?/v1 " }],
  },
};

const responses: CaseBody = {
  body: () => ({
    model: "gpt-4o",
    instructions: " GPT/Be brief/v1 ",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: " GPT/What is it?/v1 " },
          { type: "input_image", image_url: `data:image/png;base64,${PICTURE}`, detail: "low" },
        ],
      },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: " GPT/Sunny/v1 " },
    ],
    tools: [
      { type: "function", name: "weather", description: " GPT/Weather/v1 ", parameters: SCHEMA, strict: false },
      { type: "function", name: "time", description: " GPT/Time/v1 ", parameters: SCHEMA, strict: false },
    ],
    text: { format: { type: "text" }, verbosity: "low" },
    max_output_tokens: 60,
    temperature: 0.7,
    include: ["a", "b"],
    metadata: { team: "red", "cost.centre": "7" },
  }),
  texts: {
    dotted: at("input.0.content.0.text"),
    negative: at("input.-1.output", ["input", 2, "output"]),
    star: at("tools.*.description", ["tools", 0, "description"], ["tools", 1, "description"]),
  },
  number: at("temperature"),
  list: at("include"),
  object: at("metadata"),
  missing: at("reasoning.summary.kind"),
  pruned: {
    path: "input.0.content",
    type: "input_image",
    left: [{ type: "input_text", text: " GPT/What is it?/v1 " }],
  },
};

const messages: CaseBody = {
  body: () => ({
    model: "claude-sonnet-4-6",
    max_tokens: 60,
    system: [{ type: "text", text: " GPT/Be brief/v1 ", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: " GPT/What is it?/v1 " },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Rome" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: " GPT/Sunny/v1 " }] },
    ],
    tools: [
      { name: "weather", description: " GPT/Weather/v1 ", input_schema: SCHEMA },
      { name: "time", description: " GPT/Time/v1 ", input_schema: SCHEMA },
    ],
    thinking: { type: "enabled", budget_tokens: 1024 },
    temperature: 0.7,
    stop_sequences: ["a", "b"],
    metadata: { team: "red", "cost.centre": "7" },
  }),
  texts: {
    dotted: at("system.0.text"),
    negative: at("messages.-1.content.-1.content", ["messages", 2, "content", 0, "content"]),
    star: at("tools.*.description", ["tools", 0, "description"], ["tools", 1, "description"]),
  },
  number: at("thinking.budget_tokens"),
  list: at("stop_sequences"),
  object: at("metadata"),
  missing: at("output_config.format.kind"),
  pruned: { path: "messages.0.content", type: "image", left: [{ type: "text", text: " GPT/What is it?/v1 " }] },
};

const gemini: CaseBody = {
  body: () => ({
    systemInstruction: { parts: [{ text: " GPT/Be brief/v1 " }] },
    contents: [
      {
        role: "user",
        parts: [{ text: " GPT/What is it?/v1 " }, { inlineData: { mimeType: "image/png", data: PICTURE } }],
      },
      { role: "model", parts: [{ functionCall: { name: "weather", args: { city: "Rome" } } }] },
      { role: "user", parts: [{ text: " GPT/Sunny/v1 " }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: "weather", description: " GPT/Weather/v1 ", parameters: SCHEMA },
          { name: "time", description: " GPT/Time/v1 ", parameters: SCHEMA },
        ],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE", type: "strict" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "BLOCK_NONE", type: "lax" },
    ],
    generationConfig: { temperature: 0.7, maxOutputTokens: 60, stopSequences: ["a", "b"] },
    labels: { team: "red", "cost.centre": "7" },
  }),
  texts: {
    dotted: at("systemInstruction.parts.0.text"),
    negative: at("contents.-1.parts.-1.text", ["contents", 2, "parts", 0, "text"]),
    star: at(
      "tools.0.functionDeclarations.*.description",
      ["tools", 0, "functionDeclarations", 0, "description"],
      ["tools", 0, "functionDeclarations", 1, "description"],
    ),
  },
  number: at("generationConfig.maxOutputTokens"),
  list: at("generationConfig.stopSequences"),
  object: at("labels"),
  missing: at("generationConfig.thinkingConfig.level.kind"),
  pruned: {
    path: "safetySettings",
    type: "lax",
    left: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE", type: "strict" }],
  },
};

export const CASE_BODIES = { chat, responses, messages, gemini } as const;
export type CaseFormat = keyof typeof CASE_BODIES;
export const CASE_FORMATS = Object.keys(CASE_BODIES) as CaseFormat[];
