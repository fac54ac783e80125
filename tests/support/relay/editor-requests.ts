/**
 * Requests of editors and their extensions as their public sources build them, in the middle of a conversation: what was said, a call of a tool, and its
 * result. Texts are our own.
 */
interface Fields {
  readonly [name: string]: unknown;
}

export interface EditorRequest {
  name: string;
  /** Where its source builds the request. */
  source: string;
  headers: Readonly<Record<string, string>>;
  body: (model: string) => Fields;
  /** False where the editor offers no tools and reads edits from the text. */
  offersTools: boolean;
}

export const SYSTEM = "You edit code in the open project.";
export const TASK = "Rename the function.";
export const RESULT = "export function old() {}";

const PARAMETERS = {
  type: "object",
  properties: { path: { type: "string", description: "File below the project." } },
  required: ["path"],
  additionalProperties: false,
};
const READ = { name: "read_file", description: "Reads a file.", parameters: PARAMETERS };
const ARGUMENTS = '{"path":"a.ts"}';
const CALL = { id: "call_1", type: "function", function: { name: "read_file", arguments: ARGUMENTS } };
const USAGE = { include_usage: true };

/** Node's library sets these beside the program's own. */
const STAINLESS = {
  "x-stainless-lang": "js",
  "x-stainless-package-version": "5.12.2",
  "x-stainless-runtime": "node",
  "x-stainless-retry-count": "0",
};

const CURSOR: EditorRequest = {
  name: "Cursor",
  source: "github.com/gabrii/Cursor-Azure-GPT-5 tests/recordings/context_single_tool_calls/downstream_request.json",
  headers: { "user-agent": "Go-http-client/2.0" },
  body: (model) => ({
    model,
    temperature: 0,
    user: "github|user_01",
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: "<project_layout>a.ts</project_layout>" },
      { role: "user", content: TASK },
      { role: "assistant", content: "I read it.", tool_calls: [{ ...CALL, index: 0 }] },
      { role: "tool", name: "read_file", tool_call_id: "call_1", content: RESULT },
    ],
    stream: true,
    stream_options: USAGE,
    tools: [{ type: "function", function: READ }],
    tool_choice: "auto",
  }),
  offersTools: true,
};

const CURSOR_RESPONSES: EditorRequest = {
  ...CURSOR,
  name: "Cursor, for OpenAI's newer models",
  source: "github.com/gabrii/Cursor-Azure-GPT-5/issues/69: a body of Responses at chat completions",
  body: (model) => ({
    model,
    user: "github|user_01",
    input: [
      { role: "system", content: SYSTEM },
      { role: "user", content: [{ type: "input_text", text: TASK }] },
      { role: "assistant", content: [{ type: "output_text", text: "I read it." }] },
      { type: "function_call", call_id: "call_1", name: "read_file", arguments: ARGUMENTS },
      { type: "function_call_output", call_id: "call_1", output: RESULT },
    ],
    tools: [
      { type: "function", ...READ, strict: false },
      {
        type: "custom",
        name: "ApplyPatch",
        description: "Edits files.",
        format: { type: "grammar", syntax: "lark", definition: 'start: "*** Begin Patch"' },
      },
    ],
    tool_choice: "auto",
    reasoning: { effort: "medium", summary: "auto" },
    text: { verbosity: "low" },
    include: ["reasoning.encrypted_content"],
    store: false,
    stream: true,
    stream_options: USAGE,
    metadata: { cursorConversationId: "1" },
    prompt_cache_key: "1",
  }),
};

const CLINE: EditorRequest = {
  name: "Cline",
  source: "github.com/cline/cline src/core/api/providers/openai.ts, src/services/EnvUtils.ts",
  headers: { ...STAINLESS, "user-agent": "Cline/3.81.0" },
  body: (model) => ({
    model,
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: [{ type: "text", text: `<task>${TASK}</task>` }] },
      { role: "assistant", content: "I read it.", tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_1", content: RESULT },
      { role: "user", content: [{ type: "text", text: "<environment_details>none</environment_details>" }] },
    ],
    temperature: 0,
    stream: true,
    stream_options: USAGE,
    tools: [{ type: "function", function: { ...READ, strict: false } }],
  }),
  offersTools: true,
};

/** Set where a person says of the model that it supports prompt caching, which Claude's do in this way. */
const markFor = (model: string): Fields => (model.startsWith("claude") ? { cache_control: { type: "ephemeral" } } : {});

const ROO_CODE: EditorRequest = {
  name: "Roo Code",
  source: "github.com/RooCodeInc/Roo-Code src/api/providers/openai.ts, constants.ts",
  headers: {
    ...STAINLESS,
    "http-referer": "https://github.com/RooVetGit/Roo-Cline",
    "x-title": "Roo Code",
    "user-agent": "RooCode/3.53.0",
  },
  body: (model) => ({
    model,
    temperature: 0,
    messages: [
      { role: "system", content: [{ type: "text", text: SYSTEM, ...markFor(model) }] },
      { role: "user", content: [{ type: "text", text: TASK }] },
      { role: "assistant", content: "I read it.", tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_1", content: RESULT },
      { role: "user", content: [{ type: "text", text: "Go on.", ...markFor(model) }] },
    ],
    stream: true,
    stream_options: USAGE,
    tools: [{ type: "function", function: { ...READ, strict: true } }],
    tool_choice: "auto",
    parallel_tool_calls: false,
    max_completion_tokens: 8192,
  }),
  offersTools: true,
};

const ZED: EditorRequest = {
  name: "Zed",
  source: "github.com/zed-industries/zed crates/open_ai/src/open_ai.rs (Request, RequestMessage)",
  headers: { "user-agent": "Zed/0.215.3 (linux; x86_64)" },
  body: (model) => ({
    model,
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: [{ type: "text", text: TASK }] },
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", content: RESULT, tool_call_id: "call_1" },
    ],
    stream: true,
    stop: [],
    temperature: 1,
    max_completion_tokens: 8192,
    tools: [{ type: "function", function: READ }],
    prompt_cache_key: "thread-1",
  }),
  offersTools: true,
};

const AIDER: EditorRequest = {
  name: "Aider",
  source: "github.com/Aider-AI/aider aider/models.py (send_completion), through litellm's OpenAI client",
  headers: { "user-agent": "OpenAI/Python 1.99.1", "x-stainless-lang": "python", "x-stainless-retry-count": "0" },
  body: (model) => ({
    model,
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: `a.ts\n\`\`\`\n${RESULT}\n\`\`\`` },
      { role: "assistant", content: "Ok." },
      { role: "user", content: TASK },
    ],
    stream: true,
    temperature: 0,
  }),
  offersTools: false,
};

export const EDITOR_REQUESTS: readonly EditorRequest[] = [CURSOR, CURSOR_RESPONSES, CLINE, ROO_CODE, ZED, AIDER];
