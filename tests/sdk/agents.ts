/**
 * Coding agents as clients: their requests, from the fixtures of the dialects, and how each stores a turn and answers its calls. source.txt beside
 * the fixtures names the source of the shapes.
 */
import { readFileSync } from "node:fs";
import { SseSplitter } from "../../server/src/upstream/sse.ts";

type Fields = Record<string, unknown>;

export interface AgentCall {
  name: string;
  /** As the agent gets it: an object, or the text of a freeform tool. */
  input: unknown;
}

export interface AgentReply {
  text: string;
  calls: readonly AgentCall[];
  /** The next request, with the results of the calls. */
  next(results: readonly string[]): Fields;
}

export interface Agent {
  name: string;
  /** Path and query of every request. */
  path(model: string): string;
  headers(key: string): Readonly<Record<string, string>>;
  /** The first request of a conversation. */
  first(model: string): Fields;
  /** The request as it is in the fixture, in the middle of a conversation with another vendor. */
  recorded(model: string): Fields;
  read(stream: string, request: Fields): AgentReply;
  /** Calls the upstream is to make: names as it knows them, and what the agent is to get. */
  plan: readonly { name: string; arguments: string; seen: AgentCall }[];
}

const fixture = (dialect: string, file: string): Fields =>
  JSON.parse(
    readFileSync(new URL(`../../server/src/dialects/${dialect}/fixtures/${file}`, import.meta.url), "utf8"),
  ) as Fields;

/** The data of every event, parsed. */
function eventsOf(stream: string): Fields[] {
  const events: Fields[] = [];
  new SseSplitter(10_000_000).push(Buffer.from(stream), (_bytes, text) => {
    const data = /^data: ?(.*)$/m.exec(Buffer.from(text, "latin1").toString("utf8"))?.[1];
    if (data !== undefined && data !== "[DONE]") events.push(JSON.parse(data) as Fields);
  });
  return events;
}

const list = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const fields = (value: unknown): Fields => (value ?? {}) as Fields;

/** Content blocks of a streamed message, put together as Anthropic documents it. */
function messageBlocks(stream: string): Fields[] {
  const blocks: Fields[] = [];
  const inputs = new Map<number, string>();
  for (const event of eventsOf(stream)) {
    if (event["type"] === "error") throw new Error(JSON.stringify(event));
    const index = Number(event["index"]);
    if (event["type"] === "content_block_start") blocks[index] = { ...fields(event["content_block"]) };
    if (event["type"] !== "content_block_delta") continue;
    const { type, ...delta } = fields(event["delta"]);
    const block = blocks[index] ?? {};
    if (type === "input_json_delta") inputs.set(index, (inputs.get(index) ?? "") + String(delta["partial_json"]));
    else for (const [name, piece] of Object.entries(delta)) block[name] = String(block[name] ?? "") + String(piece);
  }
  for (const [index, text] of inputs)
    Object.assign(blocks[index] ?? {}, { input: JSON.parse(text || "{}") as unknown });
  return blocks;
}

const BASH = { name: "Bash", arguments: '{"command":"ls","timeout":5000}' };

export const claudeCode: Agent = {
  name: "Claude Code",
  path: () => "/v1/messages?beta=true",
  headers: (key) => ({
    authorization: `Bearer ${key}`,
    "anthropic-version": "2023-06-01",
    "anthropic-beta":
      "claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27," +
      "prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,advisor-tool-2026-03-01," +
      "advanced-tool-use-2025-11-20,effort-2025-11-24,extended-cache-ttl-2025-04-11",
    "user-agent": "claude-cli/2.1.251 (external, cli)",
    "x-app": "cli",
    "x-stainless-lang": "js",
  }),
  first(model) {
    const request = fixture("anthropic-messages", "claude-code-current-request.json");
    return { ...request, model, messages: list(request["messages"]).slice(0, 1) };
  },
  recorded: (model) => ({ ...fixture("anthropic-messages", "claude-code-current-request.json"), model }),
  read(stream, request) {
    const content = messageBlocks(stream);
    const calls = content.filter(({ type }) => type === "tool_use");
    return {
      text: content.map((block) => (block["type"] === "text" ? String(block["text"]) : "")).join(""),
      calls: calls.map(({ name, input }) => ({ name: String(name), input })),
      next: (results) => ({
        ...request,
        messages: [
          ...list(request["messages"]),
          { role: "assistant", content },
          {
            role: "user",
            content: calls.map(({ id }, index) => ({
              tool_use_id: id,
              type: "tool_result",
              content: results[index],
              ...(index === 0 ? {} : { cache_control: { type: "ephemeral", ttl: "1h" } }),
            })),
          },
          { role: "system", content: "The user opened README.md." },
        ],
      }),
    };
  },
  plan: [
    { ...BASH, seen: { name: "Bash", input: JSON.parse(BASH.arguments) as unknown } },
    {
      name: "mcp__issues__list",
      arguments: '{"state":"open"}',
      seen: { name: "mcp__issues__list", input: { state: "open" } },
    },
  ],
};

const RESULT_TYPES: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  // Codex answers a shell of its machine as a function.
  local_shell_call: "function_call_output",
};

/** What was called, as Codex reads the item. */
function calledBy(item: Fields): AgentCall {
  const group = item["namespace"] === undefined ? "" : `${String(item["namespace"])}/`;
  switch (item["type"]) {
    case "custom_tool_call":
      return { name: group + String(item["name"]), input: item["input"] };
    case "local_shell_call":
      return { name: "local_shell", input: fields(item["action"])["command"] };
    case "tool_search_call":
      return { name: "tool_search", input: item["arguments"] };
    default:
      return { name: group + String(item["name"]), input: JSON.parse(String(item["arguments"])) as unknown };
  }
}

/** The item that answers a call; a search answers with the tools it found. */
function answerTo(item: Fields, result: string): Fields {
  const { call_id: callId, type } = item;
  if (type !== "tool_search_call") return { type: RESULT_TYPES[String(type)], call_id: callId, output: result };
  const parameters = { type: "object", properties: {} };
  const tools = [
    { type: "function", name: "late", description: result, strict: false, defer_loading: true, parameters },
  ];
  return { type: "tool_search_output", call_id: callId, status: "completed", execution: "client", tools };
}

/**
 * The recorded conversation without what no test can have: a proof that another vendor would take, and a picture on a host of its own.
 */
function withoutHosts(request: Fields): Fields {
  const text = JSON.stringify(request).replaceAll("https://example.com/tree.png", "data:image/png;base64,iVBORw0KGgo=");
  const copy = JSON.parse(text) as Fields;
  return {
    ...copy,
    input: list(copy["input"]).filter((item) => !String(item["encrypted_content"]).startsWith("turnpike:")),
  };
}

/** Items Codex keeps: reasoning and messages go back without their ids. */
const kept = ({ id: _id, ...item }: Fields): Fields => item;

const codexLike = (name: string, file: string, lead: (request: Fields) => Fields, plan: Agent["plan"]): Agent => ({
  name,
  path: () => "/v1/responses",
  headers: (key) => ({
    authorization: `Bearer ${key}`,
    accept: "text/event-stream",
    originator: "codex_cli_rs",
    "user-agent": "codex_cli_rs/0.155.0 (Debian 13; x86_64) xterm",
    session_id: "019b-conversation",
    "x-client-request-id": "019b-conversation",
  }),
  first: (model) => ({ ...lead(fixture("openai-responses", file)), model }),
  recorded: (model) => ({ ...withoutHosts(fixture("openai-responses", file)), model }),
  read(stream, request) {
    const events = eventsOf(stream);
    const failed = events.find(({ type }) => type === "response.failed" || type === "error");
    if (failed !== undefined) throw new Error(JSON.stringify(failed));
    if (events.at(-1)?.["type"] !== "response.completed") throw new Error("the stream did not complete");
    const items = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => fields(item));
    const calls = items.filter(({ type }) => String(type).endsWith("_call"));
    return {
      text: items
        .filter(({ type }) => type === "message")
        .flatMap(({ content }) => list(content).map(({ text }) => String(text)))
        .join(""),
      calls: calls.map(calledBy),
      next: (results) => ({
        ...request,
        input: [
          ...list(request["input"]),
          ...items.map(kept),
          ...calls.map((item, index) => answerTo(item, results[index] ?? "")),
        ],
      }),
    };
  },
  plan,
});

const PATCH = "*** Begin Patch\n*** End Patch\n";

/** Codex for older models: tools in their list, freeform, grouped and of the vendor's own shape. */
export const codex: Agent = codexLike(
  "Codex",
  "codex-request.json",
  (request) => ({
    ...request,
    input: list(request["input"]).slice(0, 2),
    parallel_tool_calls: true,
    tools: [...list(request["tools"]), { type: "local_shell" }, { type: "image_generation", output_format: "png" }],
  }),
  [
    { name: "shell", arguments: '{"command":["ls"]}', seen: { name: "shell", input: { command: ["ls"] } } },
    { name: "apply_patch", arguments: JSON.stringify({ input: PATCH }), seen: { name: "apply_patch", input: PATCH } },
    { name: "mcp__files__list", arguments: "{}", seen: { name: "mcp__files__/list", input: {} } },
    { name: "local_shell", arguments: '{"command":["pwd"]}', seen: { name: "local_shell", input: ["pwd"] } },
  ],
);

const SCRIPT = "text(await tools.exec_command({cmd: 'ls'}))";

/** Codex for its newest models: tools come with the input, and more are found by a search. */
export const codexLite: Agent = codexLike(
  "Codex (responses lite)",
  "codex-lite-request.json",
  ({ service_tier: _tier, ...request }) => ({ ...request, input: list(request["input"]).slice(0, 4) }),
  [
    {
      name: "functions__exec",
      arguments: JSON.stringify({ input: SCRIPT }),
      seen: { name: "functions/exec", input: SCRIPT },
    },
    { name: "tool_search", arguments: '{"query":"issues"}', seen: { name: "tool_search", input: { query: "issues" } } },
  ],
);

export const geminiCli: Agent = {
  name: "Gemini CLI",
  path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  headers: (key) => ({
    "x-goog-api-key": key,
    "x-goog-api-client": "google-genai-sdk/1.30.0 gl-node/v22.19.0",
    "user-agent": "GeminiCLI/0.31.0/gemini-3-pro-preview (linux; x64)",
  }),
  first(model) {
    const request = fixture("gemini", "cli-request.json");
    return { ...thinkingFor(request, model), contents: list(request["contents"]).slice(0, 3) };
  },
  recorded: (model) => thinkingFor(fixture("gemini", "cli-request.json"), model),
  read(stream, request) {
    const parts = eventsOf(stream).flatMap((event) => {
      if (event["error"] !== undefined) throw new Error(JSON.stringify(event));
      return list(fields(fields(list(event["candidates"])[0])["content"])["parts"]);
    });
    // Thoughts are shown and not stored; their signatures are on the calls.
    const keptParts = parts.filter((part) => part["thought"] !== true && part["text"] !== "");
    const calls = keptParts
      .filter((part) => part["functionCall"] !== undefined)
      .map((part) => fields(part["functionCall"]));
    return {
      text: keptParts.map((part) => String(part["text"] ?? "")).join(""),
      calls: calls.map(({ name, args }) => ({ name: String(name), input: args })),
      next: (results) => ({
        ...request,
        contents: [
          ...list(request["contents"]),
          { role: "model", parts: keptParts },
          {
            role: "user",
            parts: calls.map(({ name, id }, index) => ({
              functionResponse: {
                id: id ?? `${String(name)}-1763727600000-${index}`,
                name,
                response: { output: results[index] },
              },
            })),
          },
        ],
      }),
    };
  },
  plan: [
    {
      name: "list_directory",
      arguments: '{"path":"/repo"}',
      seen: { name: "list_directory", input: { path: "/repo" } },
    },
    {
      name: "run_shell_command",
      arguments: '{"command":"ls"}',
      seen: { name: "run_shell_command", input: { command: "ls" } },
    },
  ],
};

/** Levels for the third generation, a budget for the one before, as the agent's own model configurations have it. */
function thinkingFor(request: Fields, model: string): Fields {
  const own = fields(request["generationConfig"]);
  if (!model.startsWith("gemini-2.5")) return request;
  return { ...request, generationConfig: { ...own, thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 } } };
}
