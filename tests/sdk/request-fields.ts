/** Every field, tool and content part that the official libraries' types allow, with a meaningful value: a forgotten one does not compile. */
import type Anthropic from "@anthropic-ai/sdk";
import type { GenerateContentConfig, GenerateImagesConfig, Part, Tool } from "@google/genai";
import type OpenAI from "openai";

/** `with` is in the request besides, with the field and without it. */
export interface Sample {
  value: unknown;
  with?: Record<string, unknown>;
}
export type Samples<Name extends string> = Readonly<Record<Name, Sample>>;

/** Fields of every member of a union of types. */
type FieldOf<Params> = Params extends unknown ? Extract<keyof Params, string> : never;
/** Literal members of a union, without the open `string` that some have. */
type WordOf<Word> = Word extends string ? (string extends Word ? never : Word) : never;
type TypeOf<Item> = Item extends { type?: infer Word } ? WordOf<Word> : never;

const value = (sample: unknown, besides?: Record<string, unknown>): Sample =>
  besides === undefined ? { value: sample } : { value: sample, with: besides };

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const CHAT_TOOLS = [{ type: "function", function: { name: "f", parameters: SCHEMA } }];

/** platform.openai.com/docs/api-reference/chat/create */
export const CHAT_FIELDS: Samples<
  FieldOf<OpenAI.ChatCompletionCreateParamsNonStreaming | OpenAI.ChatCompletionCreateParamsStreaming>
> = {
  messages: value([{ role: "user", content: "other words" }]),
  model: value("other-model"),
  audio: value({ voice: "alloy", format: "mp3" }),
  frequency_penalty: value(0.5),
  function_call: value("none", { functions: [{ name: "f", parameters: SCHEMA }] }),
  functions: value([{ name: "f", parameters: SCHEMA }]),
  logit_bias: value({ 50256: -100 }),
  logprobs: value(true),
  max_completion_tokens: value(77),
  max_tokens: value(77),
  metadata: value({ team: "a" }),
  modalities: value(["text", "audio"]),
  moderation: value({ model: "omni-moderation-latest" }),
  n: value(2),
  parallel_tool_calls: value(false, { tools: CHAT_TOOLS }),
  prediction: value({ type: "content", content: "as before" }),
  presence_penalty: value(0.5),
  prompt_cache_key: value("key"),
  prompt_cache_options: value({ mode: "explicit" }),
  prompt_cache_retention: value("24h"),
  reasoning_effort: value("low"),
  response_format: value({ type: "json_object" }),
  safety_identifier: value("someone"),
  seed: value(7),
  service_tier: value("flex"),
  stop: value(["END"]),
  store: value(true),
  stream: value(true),
  stream_options: value({ include_usage: true }, { stream: true }),
  temperature: value(0.3),
  tool_choice: value("none", { tools: CHAT_TOOLS }),
  tools: value(CHAT_TOOLS),
  top_logprobs: value(3, { logprobs: true }),
  top_p: value(0.5),
  user: value("someone"),
  verbosity: value("low"),
  web_search_options: value({ search_context_size: "low" }),
};

const RESPONSE_TOOLS = [{ type: "function", name: "f", parameters: SCHEMA, strict: false }];

/** platform.openai.com/docs/api-reference/responses/create */
export const RESPONSE_FIELDS: Samples<
  FieldOf<OpenAI.Responses.ResponseCreateParamsNonStreaming | OpenAI.Responses.ResponseCreateParamsStreaming>
> = {
  access_programs: value({ programs: ["x"] }),
  background: value(true),
  context_management: value([{ type: "compaction", compact_threshold: 1000 }]),
  conversation: value("conv_1"),
  image: value({ detail: "low" }),
  include: value(["message.output_text.logprobs"]),
  input: value("other words"),
  instructions: value("Be brief."),
  max_output_tokens: value(77),
  // Of the vendor's own tools.
  max_tool_calls: value(2, { tools: [{ type: "web_search" }] }),
  metadata: value({ team: "a" }),
  model: value("other-model"),
  moderation: value({ model: "omni-moderation-latest" }),
  parallel_tool_calls: value(false, { tools: RESPONSE_TOOLS }),
  previous_response_id: value("resp_1"),
  prompt: value({ id: "pmpt_1" }),
  prompt_cache_key: value("key"),
  prompt_cache_options: value({ mode: "explicit" }),
  prompt_cache_retention: value("24h"),
  reasoning: value({ effort: "low" }),
  safety_identifier: value("someone"),
  service_tier: value("flex"),
  store: value(true),
  stream: value(true),
  stream_options: value({ include_obfuscation: false }, { stream: true }),
  temperature: value(0.3),
  text: value({ format: { type: "json_object" } }),
  tool_choice: value("none", { tools: RESPONSE_TOOLS }),
  tools: value(RESPONSE_TOOLS),
  top_logprobs: value(3, { include: ["message.output_text.logprobs"] }),
  top_p: value(0.5),
  truncation: value("auto"),
  user: value("someone"),
};

const CLAUDE_TOOLS = [{ name: "f", input_schema: SCHEMA }];

/** platform.claude.com/docs/en/api/messages/create, the beta's fields too, and those that only older versions of the library have */
export const CLAUDE_FIELDS: Samples<
  | FieldOf<Anthropic.MessageCreateParamsNonStreaming | Anthropic.Beta.MessageCreateParamsNonStreaming>
  | "temperature"
  | "top_k"
  | "top_p"
> = {
  max_tokens: value(77),
  messages: value([{ role: "user", content: "other words" }]),
  model: value("other-model"),
  betas: value(["x"]),
  billing_policy: value({ type: "requester" }),
  cache_control: value({ type: "ephemeral" }),
  compaction: value({ trigger: { type: "input_tokens", value: 1000 } }),
  container: value("container_1"),
  context_management: value({ edits: [{ type: "clear_tool_uses_20250919" }] }),
  diagnostics: value({ previous_message_id: "msg_1" }),
  fallback_credit_token: value("token"),
  fallbacks: value([{ model: "claude-opus-5" }]),
  inference_geo: value("us"),
  mcp_servers: value([{ type: "url", name: "m", url: "https://mcp.example" }]),
  metadata: value({ user_id: "someone" }),
  output_config: value({ effort: "low" }),
  output_format: value({ type: "json_schema", schema: SCHEMA }),
  service_tier: value("standard_only"),
  speed: value("fast"),
  stop_sequences: value(["END"]),
  stream: value(true),
  system: value("Be brief."),
  temperature: value(0.3),
  thinking: value({ type: "enabled", budget_tokens: 1024 }),
  thread: value({ type: "create" }),
  tool_choice: value({ type: "none" }, { tools: CLAUDE_TOOLS }),
  tools: value(CLAUDE_TOOLS),
  top_k: value(5),
  top_p: value(0.5),
  user_profile_id: value("uprof_1"),
  workspace_id: value("wrkspc_1"),
};

/** Of the library's settings; it writes the request itself. */
export const GEMINI_FIELDS: Samples<FieldOf<GenerateContentConfig>> = {
  httpOptions: value({ timeout: 1000 }),
  abortSignal: value(new AbortController().signal),
  serviceTier: value("flex"),
  systemInstruction: value("Be brief."),
  temperature: value(0.3),
  topP: value(0.5),
  topK: value(5),
  candidateCount: value(2),
  maxOutputTokens: value(77),
  stopSequences: value(["END"]),
  responseLogprobs: value(true),
  logprobs: value(3, { responseLogprobs: true }),
  presencePenalty: value(0.5),
  frequencyPenalty: value(0.5),
  seed: value(7),
  responseMimeType: value("application/json"),
  responseSchema: value({ type: "OBJECT" }, { responseMimeType: "application/json" }),
  responseJsonSchema: value(SCHEMA, { responseMimeType: "application/json" }),
  routingConfig: value({ manualMode: { modelName: "x" } }),
  modelSelectionConfig: value({ featureSelectionPreference: "BALANCED" }),
  safetySettings: value([{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }]),
  tools: value([{ functionDeclarations: [{ name: "f", parametersJsonSchema: SCHEMA }] }]),
  toolConfig: value(
    { functionCallingConfig: { mode: "NONE" } },
    { tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: SCHEMA }] }] },
  ),
  labels: value({ team: "a" }),
  cachedContent: value("cachedContents/1"),
  responseModalities: value(["TEXT", "IMAGE"]),
  mediaResolution: value("MEDIA_RESOLUTION_LOW"),
  speechConfig: value({ languageCode: "en-US" }),
  audioTimestamp: value(true),
  automaticFunctionCalling: value({ disable: true }),
  thinkingConfig: value({ thinkingBudget: 512 }),
  audioTranscriptionConfig: value({}),
  imageConfig: value({ aspectRatio: "16:9" }),
  enableEnhancedCivicAnswers: value(true),
  modelArmorConfig: value({ promptTemplateName: "x" }),
  continuationToken: value("token"),
  automaticContinuation: value(true),
  generationOutputConfig: value({ x: 1 }),
  store: value(true),
};

/** Parts of a chat message, by type. */
export const CHAT_PARTS: Samples<TypeOf<OpenAI.ChatCompletionContentPart>> = {
  text: value({ type: "text", text: "more" }),
  image_url: value({ type: "image_url", image_url: { url: "https://a.example/a.png" } }),
  input_audio: value({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }),
  file: value({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }),
};

export const CHAT_TOOL_TYPES: Samples<TypeOf<OpenAI.ChatCompletionTool>> = {
  function: value(CHAT_TOOLS[0]),
  custom: value({ type: "custom", custom: { name: "c" } }),
};

/** Tools of the Responses API, by type. */
export const RESPONSE_TOOL_TYPES: Samples<TypeOf<OpenAI.Responses.Tool>> = {
  function: value(RESPONSE_TOOLS[0]),
  file_search: value({ type: "file_search", vector_store_ids: ["vs_1"] }),
  computer: value({ type: "computer" }),
  computer_use_preview: value({
    type: "computer_use_preview",
    display_height: 1,
    display_width: 1,
    environment: "linux",
  }),
  web_search: value({ type: "web_search" }),
  web_search_2025_08_26: value({ type: "web_search_2025_08_26" }),
  mcp: value({ type: "mcp", server_label: "m", server_url: "https://mcp.example" }),
  code_interpreter: value({ type: "code_interpreter", container: { type: "auto" } }),
  programmatic_tool_calling: value({ type: "programmatic_tool_calling" }),
  image_generation: value({ type: "image_generation" }),
  local_shell: value({ type: "local_shell" }),
  shell: value({ type: "shell" }),
  custom: value({ type: "custom", name: "c" }),
  namespace: value({ type: "namespace", name: "n", tools: RESPONSE_TOOLS }),
  tool_search: value({ type: "tool_search" }),
  web_search_preview: value({ type: "web_search_preview" }),
  web_search_preview_2025_03_11: value({ type: "web_search_preview_2025_03_11" }),
  apply_patch: value({ type: "apply_patch" }),
};

/** Items of a Responses input, by type. */
export const RESPONSE_ITEMS: Samples<TypeOf<OpenAI.Responses.ResponseInputItem>> = {
  message: value({ type: "message", role: "user", content: "more" }),
  file_search_call: value({ type: "file_search_call", id: "fs_1", queries: [], status: "completed" }),
  computer_call: value({ type: "computer_call", id: "cu_1", call_id: "c", status: "completed" }),
  computer_call_output: value({ type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot" } }),
  web_search_call: value({ type: "web_search_call", id: "ws_1", status: "completed" }),
  function_call: value({ type: "function_call", call_id: "c", name: "f", arguments: "{}" }),
  function_call_output: value({ type: "function_call_output", call_id: "own", output: "42" }),
  tool_search_call: value({ type: "tool_search_call", arguments: {} }),
  tool_search_output: value({ type: "tool_search_output", tools: [] }),
  additional_tools: value({ type: "additional_tools", role: "developer", tools: RESPONSE_TOOLS }),
  configuration_update: value({ type: "configuration_update" }),
  reasoning: value({ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] }),
  compaction: value({ type: "compaction", encrypted_content: "x" }),
  image_generation_call: value({ type: "image_generation_call", id: "ig_1", status: "completed", result: "aGk=" }),
  code_interpreter_call: value({ type: "code_interpreter_call", id: "ci_1", code: "1", status: "completed" }),
  local_shell_call: value({ type: "local_shell_call", id: "ls_1", call_id: "c", status: "completed" }),
  local_shell_call_output: value({ type: "local_shell_call_output", id: "c", output: "x" }),
  shell_call: value({ type: "shell_call", call_id: "c" }),
  shell_call_output: value({ type: "shell_call_output", call_id: "c", output: [] }),
  apply_patch_call: value({ type: "apply_patch_call", call_id: "c", status: "completed" }),
  apply_patch_call_output: value({ type: "apply_patch_call_output", call_id: "c", status: "completed" }),
  mcp_list_tools: value({ type: "mcp_list_tools", id: "m", server_label: "m", tools: [] }),
  mcp_approval_request: value({ type: "mcp_approval_request", id: "m", name: "f", server_label: "m", arguments: "{}" }),
  mcp_approval_response: value({ type: "mcp_approval_response", approval_request_id: "m", approve: true }),
  mcp_call: value({ type: "mcp_call", id: "m", name: "f", server_label: "m", arguments: "{}" }),
  custom_tool_call_output: value({ type: "custom_tool_call_output", call_id: "own", output: "42" }),
  custom_tool_call: value({ type: "custom_tool_call", call_id: "c", name: "f", input: "x" }),
  compaction_trigger: value({ type: "compaction_trigger" }),
  item_reference: value({ type: "item_reference", id: "msg_1" }),
  program: value({ type: "program", id: "p", code: "1", call_id: "c" }),
  program_output: value({ type: "program_output", id: "p", call_id: "c" }),
};

/** Blocks of an Anthropic message, by type. */
export const CLAUDE_BLOCKS: Samples<TypeOf<Anthropic.ContentBlockParam>> = {
  text: value({ type: "text", text: "more" }),
  image: value({ type: "image", source: { type: "url", url: "https://a.example/a.png" } }),
  document: value({ type: "document", source: { type: "text", media_type: "text/plain", data: "words" } }),
  search_result: value({
    type: "search_result",
    source: "https://a.example",
    title: "A",
    content: [{ type: "text", text: "a" }],
  }),
  thinking: value({ type: "thinking", thinking: "hm", signature: "c2ln" }),
  redacted_thinking: value({ type: "redacted_thinking", data: "c2ln" }),
  tool_use: value({ type: "tool_use", id: "t", name: "f", input: {} }),
  tool_result: value({ type: "tool_result", tool_use_id: "own", content: "42" }),
  server_tool_use: value({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
  web_search_tool_result: value({ type: "web_search_tool_result", tool_use_id: "s", content: [] }),
  web_fetch_tool_result: value({ type: "web_fetch_tool_result", tool_use_id: "s", content: {} }),
  code_execution_tool_result: value({ type: "code_execution_tool_result", tool_use_id: "s", content: {} }),
  bash_code_execution_tool_result: value({ type: "bash_code_execution_tool_result", tool_use_id: "s", content: {} }),
  text_editor_code_execution_tool_result: value({
    type: "text_editor_code_execution_tool_result",
    tool_use_id: "s",
    content: {},
  }),
  tool_search_tool_result: value({ type: "tool_search_tool_result", tool_use_id: "s", content: {} }),
  container_upload: value({ type: "container_upload", file_id: "file_1" }),
};

/** Tools of the vendor itself have a dated type; the client's own have none. */
export const CLAUDE_TOOL_TYPES: Samples<TypeOf<Anthropic.ToolUnion>> = {
  custom: value({ type: "custom", name: "f", input_schema: SCHEMA }),
  bash_20250124: value({ type: "bash_20250124", name: "bash" }),
  browser_toolset_20260801: value({ type: "browser_toolset_20260801" }),
  code_execution_20250522: value({ type: "code_execution_20250522", name: "code_execution" }),
  code_execution_20250825: value({ type: "code_execution_20250825", name: "code_execution" }),
  code_execution_20260120: value({ type: "code_execution_20260120", name: "code_execution" }),
  code_execution_20260521: value({ type: "code_execution_20260521", name: "code_execution" }),
  computer_toolset_20260801: value({ type: "computer_toolset_20260801" }),
  memory_20250818: value({ type: "memory_20250818", name: "memory" }),
  text_editor_20250124: value({ type: "text_editor_20250124", name: "str_replace_editor" }),
  text_editor_20250429: value({ type: "text_editor_20250429", name: "str_replace_based_edit_tool" }),
  text_editor_20250728: value({ type: "text_editor_20250728", name: "str_replace_based_edit_tool" }),
  tool_search_tool_bm25: value({ type: "tool_search_tool_bm25", name: "tool_search_tool_bm25" }),
  tool_search_tool_bm25_20251119: value({ type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" }),
  tool_search_tool_regex: value({ type: "tool_search_tool_regex", name: "tool_search_tool_regex" }),
  tool_search_tool_regex_20251119: value({ type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" }),
  web_fetch_20250910: value({ type: "web_fetch_20250910", name: "web_fetch" }),
  web_fetch_20260209: value({ type: "web_fetch_20260209", name: "web_fetch" }),
  web_fetch_20260309: value({ type: "web_fetch_20260309", name: "web_fetch" }),
  web_fetch_20260318: value({ type: "web_fetch_20260318", name: "web_fetch" }),
  web_search_20250305: value({ type: "web_search_20250305", name: "web_search" }),
  web_search_20260209: value({ type: "web_search_20260209", name: "web_search" }),
  web_search_20260318: value({ type: "web_search_20260318", name: "web_search" }),
};

/** Kinds of parts of a Gemini content, by the field that makes them one; the others say more of a part. */
export const GEMINI_PARTS: Samples<FieldOf<Part>> = {
  text: value({ text: "more" }),
  thought: value({ thought: true, text: "hm" }),
  thoughtSignature: value({ text: "more", thoughtSignature: "c2ln" }),
  inlineData: value({ inlineData: { mimeType: "image/png", data: "aGk=" } }),
  fileData: value({ fileData: { mimeType: "image/png", fileUri: "https://a.example/a.png" } }),
  functionCall: value({ functionCall: { name: "f", args: {} } }),
  functionResponse: value({ functionResponse: { id: "own", name: "f", response: { output: "42" } } }),
  executableCode: value({ executableCode: { language: "PYTHON", code: "1" } }),
  codeExecutionResult: value({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }),
  videoMetadata: value({ text: "more", videoMetadata: { fps: 1 } }),
  mediaResolution: value({ text: "more", mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } }),
  mediaProcessing: value({ text: "more", mediaProcessing: {} }),
  partMetadata: value({ text: "more", partMetadata: { a: 1 } }),
  toolCall: value({ toolCall: { id: "t", toolType: "GOOGLE_SEARCH" } }),
  toolResponse: value({ toolResponse: { id: "t", toolType: "GOOGLE_SEARCH" } }),
  audioTranscription: value({ audioTranscription: { text: "more" } }),
  speechMetadata: value({ text: "more", speechMetadata: { a: 1 } }),
};

/** Tools of Gemini, by field. */
export const GEMINI_TOOLS: Samples<FieldOf<Tool>> = {
  functionDeclarations: value({ functionDeclarations: [{ name: "f", parametersJsonSchema: SCHEMA }] }),
  googleSearch: value({ googleSearch: {} }),
  googleSearchRetrieval: value({ googleSearchRetrieval: {} }),
  retrieval: value({ retrieval: {} }),
  googleMaps: value({ googleMaps: {} }),
  mcpServers: value({ mcpServers: [{ name: "m" }] }),
  codeExecution: value({ codeExecution: {} }),
  computerUse: value({ computerUse: {} }),
  enterpriseWebSearch: value({ enterpriseWebSearch: {} }),
  exaAiSearch: value({ exaAiSearch: {} }),
  parallelAiSearch: value({ parallelAiSearch: {} }),
  urlContext: value({ urlContext: {} }),
  fileSearch: value({ fileSearch: {} }),
};

/** Settings of calls for pictures (googleapis.github.io/js-genai, GenerateImagesConfig). */
export const GEMINI_IMAGES_FIELDS: Samples<FieldOf<GenerateImagesConfig>> = {
  httpOptions: value({}),
  abortSignal: value(undefined),
  outputGcsUri: value("gs://bucket"),
  negativePrompt: value("dogs"),
  numberOfImages: value(2),
  aspectRatio: value("16:9"),
  guidanceScale: value(3),
  seed: value(7),
  safetyFilterLevel: value("BLOCK_NONE"),
  personGeneration: value("ALLOW_ADULT"),
  includeSafetyAttributes: value(true),
  includeRaiReason: value(true),
  language: value("en"),
  outputMimeType: value("image/jpeg"),
  outputCompressionQuality: value(80, { outputMimeType: "image/jpeg" }),
  addWatermark: value(false),
  labels: value({ team: "a" }),
  imageSize: value("2K"),
  enhancePrompt: value(false),
};
