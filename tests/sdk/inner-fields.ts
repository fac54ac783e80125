/** Every field inside the tools, calls, results and settings that the official libraries' types allow: a forgotten one does not compile. */
import type Anthropic from "@anthropic-ai/sdk";
import type {
  FunctionCall,
  FunctionCallingConfig,
  FunctionDeclaration,
  FunctionResponse,
  GoogleSearch,
  ThinkingConfig,
  ToolConfig,
} from "@google/genai";
import type OpenAI from "openai";
import type { DialectName, JsonObject } from "../../server/src/dialects/neutral/neutral.ts";

/** Where the fields stand, and a value for each that means something; undefined for those that stand there anyway or mean nothing. */
export interface Inner {
  from: DialectName;
  name: string;
  /** The request with these fields besides those that have to be there. */
  request(fields: JsonObject): JsonObject;
  samples: Readonly<Record<string, unknown>>;
}

type Shape = Record<string, unknown>;
type FieldsOf<Type> = Readonly<Record<Extract<keyof Type, string>, unknown>>;
const NONE = undefined;
const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const QUESTION = { role: "user", content: "hi" };

const responseTool: FieldsOf<OpenAI.Responses.FunctionTool> = {
  type: NONE,
  name: "g",
  parameters: { type: "object", properties: {} },
  strict: true,
  allowed_callers: ["programmatic"],
  async: true,
  defer_loading: true,
  description: "Tells the weather.",
  output_schema: SCHEMA,
};
const responseSearch: FieldsOf<OpenAI.Responses.WebSearchTool> = {
  type: NONE,
  external_web_access: false,
  filters: { allowed_domains: ["a.example"] },
  search_context_size: "low",
  user_location: { type: "approximate", city: "Bonn" },
};
const responseCall: FieldsOf<OpenAI.Responses.ResponseFunctionToolCall> = {
  type: NONE,
  call_id: NONE,
  id: NONE,
  status: NONE,
  name: "g",
  arguments: '{"city":"Bonn"}',
  async: true,
  caller: { type: "program", caller_id: "p" },
  namespace: "n",
};
const responseMessage: FieldsOf<OpenAI.Responses.EasyInputMessage> = {
  type: NONE,
  role: NONE,
  content: "other words",
  phase: "commentary",
};
const reasoning: FieldsOf<OpenAI.Reasoning> = {
  context: "all_turns",
  effort: "low",
  mode: "pro",
  // Chat completions show what a server shows of itself.
  generate_summary: NONE,
  summary: NONE,
};
const claudeTool: FieldsOf<Anthropic.Tool> = {
  type: NONE,
  name: "g",
  input_schema: { type: "object", properties: {} },
  allowed_callers: ["direct"],
  // OpenAI caches automatically.
  cache_control: NONE,
  defer_loading: true,
  description: "Tells the weather.",
  eager_input_streaming: true,
  input_examples: [{ city: "Bonn" }],
  strict: true,
};
const claudeSearch: FieldsOf<Anthropic.WebSearchTool20260318> = {
  type: NONE,
  name: NONE,
  cache_control: NONE,
  allowed_callers: ["direct"],
  allowed_domains: ["a.example"],
  blocked_domains: ["a.example"],
  defer_loading: true,
  max_uses: 2,
  response_inclusion: "excluded",
  strict: true,
  user_location: { type: "approximate", city: "Bonn" },
};
const claudeCall: FieldsOf<Anthropic.ToolUseBlockParam> = {
  type: NONE,
  id: NONE,
  cache_control: NONE,
  input: { city: "Bonn" },
  name: "g",
  caller: { type: "code_execution_20260120", tool_id: "s" },
  toolset_name: "browser",
};
const claudeResult: FieldsOf<Anthropic.ToolResultBlockParam> = {
  type: NONE,
  tool_use_id: NONE,
  cache_control: NONE,
  content: "other words",
  is_error: true,
  toolset_name: "browser",
};
const outputConfig: FieldsOf<Anthropic.Beta.BetaOutputConfig> = {
  effort: "low",
  format: { type: "json_schema", schema: SCHEMA },
  task_budget: { type: "tokens", total: 20_000 },
};
const declaration: FieldsOf<FunctionDeclaration> = {
  name: "g",
  parameters: { type: "OBJECT" },
  parametersJsonSchema: SCHEMA,
  behavior: "NON_BLOCKING",
  description: "Tells the weather.",
  response: { type: "OBJECT" },
  responseJsonSchema: SCHEMA,
};
const googleSearch: FieldsOf<GoogleSearch> = {
  blockingConfidence: "BLOCK_ONLY_EXTREMELY_HIGH",
  excludeDomains: ["a.example"],
  searchTypes: { imageSearch: {} },
  timeRangeFilter: { startTime: "2026-01-01T00:00:00Z" },
};
const calling: FieldsOf<FunctionCallingConfig> = {
  mode: "ANY",
  allowedFunctionNames: ["f"],
  streamFunctionCallArguments: true,
};
const toolConfig: FieldsOf<ToolConfig> = {
  functionCallingConfig: { mode: "NONE" },
  includeServerSideToolInvocations: true,
  retrievalConfig: { latLng: { latitude: 50, longitude: 7 } },
};
const geminiCall: FieldsOf<FunctionCall> = {
  id: NONE,
  name: "g",
  args: { city: "Bonn" },
  partialArgs: [{ jsonPath: "$.city", stringValue: "Bonn" }],
  willContinue: true,
};
const geminiResult: FieldsOf<FunctionResponse> = {
  id: NONE,
  name: NONE,
  response: { output: "other words" },
  parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }],
  scheduling: "SILENT",
  willContinue: true,
};
const thinking: FieldsOf<ThinkingConfig> = { includeThoughts: NONE, thinkingBudget: 512, thinkingLevel: "LOW" };

const responses = (fields: Shape): JsonObject => ({ model: "asked", input: "hi", ...fields });
const claude = (fields: Shape): JsonObject => ({ model: "asked", max_tokens: 4096, messages: [QUESTION], ...fields });
const claudeTurn = (call: Shape, result: Shape): JsonObject =>
  claude({
    messages: [
      QUESTION,
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {}, ...call }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "1", ...result }] },
    ],
  });
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const functions = { functionDeclarations: [{ name: "f", parametersJsonSchema: SCHEMA }, { name: "h" }] };
const geminiTurn = (call: Shape, result: Shape): JsonObject => ({
  contents: [
    ...contents,
    { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {}, ...call } }] },
    { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: { output: "1" }, ...result } }] },
  ],
});
const responseTurn = (fields: Shape): JsonObject =>
  responses({
    input: [
      QUESTION,
      { type: "function_call", call_id: "c", name: "f", arguments: "{}", ...fields },
      { type: "function_call_output", call_id: "c", output: "1" },
    ],
  });

/** Each place of the libraries' types that holds fields of its own. */
export const INNER: readonly Inner[] = [
  {
    from: "openai-responses",
    name: "a function",
    request: (fields) =>
      responses({ tools: [{ type: "function", name: "f", parameters: SCHEMA, strict: false, ...fields }] }),
    samples: responseTool,
  },
  {
    from: "openai-responses",
    name: "a search",
    request: (fields) => responses({ tools: [{ type: "web_search", ...fields }] }),
    samples: responseSearch,
  },
  { from: "openai-responses", name: "a call", request: responseTurn, samples: responseCall },
  {
    from: "openai-responses",
    name: "a message",
    request: (fields) => responses({ input: [QUESTION, { role: "assistant", content: "so", ...fields }, QUESTION] }),
    samples: responseMessage,
  },
  {
    from: "openai-responses",
    name: "reasoning",
    request: (fields) => responses({ reasoning: fields }),
    samples: reasoning,
  },
  {
    from: "anthropic-messages",
    name: "a tool",
    request: (fields) => claude({ tools: [{ name: "f", input_schema: SCHEMA, ...fields }] }),
    samples: claudeTool,
  },
  {
    from: "anthropic-messages",
    name: "a search",
    request: (fields) => claude({ tools: [{ type: "web_search_20260318", name: "web_search", ...fields }] }),
    samples: claudeSearch,
  },
  {
    from: "anthropic-messages",
    name: "a call",
    request: (fields) => claudeTurn(fields, {}),
    samples: claudeCall,
  },
  {
    from: "anthropic-messages",
    name: "a result",
    request: (fields) => claudeTurn({}, fields),
    samples: claudeResult,
  },
  {
    from: "anthropic-messages",
    name: "output_config",
    request: (fields) => claude({ output_config: fields }),
    samples: outputConfig,
  },
  {
    from: "gemini",
    name: "a function",
    request: (fields) => ({ contents, tools: [{ functionDeclarations: [{ name: "f", ...fields }] }] }),
    samples: declaration,
  },
  {
    from: "gemini",
    name: "a search",
    request: (fields) => ({ contents, tools: [{ googleSearch: fields }] }),
    samples: googleSearch,
  },
  {
    from: "gemini",
    name: "functionCallingConfig",
    request: (fields) => ({ contents, tools: [functions], toolConfig: { functionCallingConfig: fields } }),
    samples: calling,
  },
  {
    from: "gemini",
    name: "toolConfig",
    request: (fields) => ({ contents, tools: [functions], toolConfig: fields }),
    samples: toolConfig,
  },
  { from: "gemini", name: "a call", request: (fields) => geminiTurn(fields, {}), samples: geminiCall },
  { from: "gemini", name: "a result", request: (fields) => geminiTurn({}, fields), samples: geminiResult },
  {
    from: "gemini",
    name: "thinkingConfig",
    request: (fields) => ({ contents, generationConfig: { thinkingConfig: fields } }),
    samples: thinking,
  },
];
