/** The tasks of every client library through the relay, against every kind of upstream; docs/compatibility.md is generated from it. */
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";

/** The client's input of one turn, beside the earlier ones. */
export interface Turn {
  /** Text of the user; empty if only tool results go back. */
  text: string;
  hasImage?: boolean;
  /** Results of the calls of the reply before, in their order. */
  results?: readonly string[];
  offersTools?: boolean;
  /** The answer shall have the form of ANSWER_SCHEMA. */
  isStructured?: boolean;
  thinks?: boolean;
  isStream: boolean;
}

export interface Reply {
  text: string;
  calls: readonly { name: string; input: unknown }[];
  /** Thinking as the library shows it; empty where it shows none. */
  thinking: string;
  inputTokens: number;
  outputTokens: number;
}

/** A conversation as an application holds it: the library's own messages, sent back as they came. */
export interface Conversation {
  ask(turn: Turn): Promise<Reply>;
}

export interface Client {
  /** As the document names it, with the endpoint it calls. */
  name: string;
  /** Thinking of a turn goes back with the next one. */
  keepsThinking: boolean;
  open(url: string, key: string, model: string): Conversation;
}

export const SYSTEM = "Be brief.";
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const MAX_TOKENS = 4096;
export const THINKING_TOKENS = 1024;

export const WEATHER = {
  name: "get_weather",
  description: "Weather of a city.",
  schema: {
    type: "object" as const,
    properties: { city: { type: "string" as const } },
    required: ["city"],
    additionalProperties: false,
  },
};

export const ANSWER_NAME = "weather_report";
export const ANSWER_SCHEMA = {
  type: "object" as const,
  properties: { degrees: { type: "number" as const } },
  required: ["degrees"],
  additionalProperties: false,
};

/** The upstreams, with a model whose rules the fake upstream knows, and one that thinks. */
export const UPSTREAMS = [
  { name: "openai-chat", title: "OpenAI chat", type: 1, model: "gpt-4o", thinker: "deepseek-reasoner" },
  { name: "openai-responses", title: "OpenAI Responses", type: 1, model: "gpt-5.4", thinker: "gpt-5.4" },
  {
    name: "anthropic-messages",
    title: "Anthropic",
    type: 14,
    model: "claude-sonnet-4-5",
    thinker: "claude-sonnet-4-5",
  },
  { name: "gemini", title: "Gemini", type: 24, model: "gemini-2.5-flash", thinker: "gemini-2.5-flash" },
] as const satisfies readonly { name: DialectName; title: string; type: number; model: string; thinker: string }[];

export type Upstream = (typeof UPSTREAMS)[number];

/** What is tried, in the order of the document's columns. */
export const SCENARIOS = ["text", "stream", "picture", "structured", "tools", "thinking"] as const;
export type Scenario = (typeof SCENARIOS)[number];

const EXPLAINED: Readonly<Record<Scenario, string>> = {
  text: "an answer in one piece, its words and its usage",
  stream: "the same in events, as the library puts them together",
  picture: "a picture in the question",
  structured: "an answer in the form of a JSON schema",
  tools: "two calls at once, their results sent back, whole and streamed",
  thinking: "thinking before a call, sent back with its signature in the next turn, whole and streamed",
};

/**
 * `lost`: works, but the library itself drops the thinking of earlier turns. `refused`: the library drops it and the upstream insists
 * on it, with the gateway and without.
 */
export type Outcome = "works" | "lost" | "refused";

/** Lines of a table whose columns are as wide as their widest cell, the first row being its head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const [head = "", ...body] = rows.map((row) => line(row.map((text, column) => text.padEnd(widths[column] ?? 0))));
  return [head, line(widths.map((width) => "-".repeat(width))), ...body];
}

/** The document, made from what was seen; `operations` are the lines of its last parts. */
export function compatibilityDocument(
  clients: readonly Client[],
  seen: ReadonlyMap<string, Outcome>,
  operations: readonly string[],
): string {
  const cell = (client: Client, upstream: Upstream, scenario: Scenario): string =>
    ({ works: "yes", lost: "yes¹", refused: "no²", "": "-" })[seen.get(keyOf(client, upstream, scenario)) ?? ""];
  const tables = UPSTREAMS.flatMap((upstream) => [
    `## ${upstream.title} upstream`,
    "",
    ...table([
      ["client", ...SCENARIOS],
      ...clients.map((client) => [client.name, ...SCENARIOS.map((each) => cell(client, upstream, each))]),
    ]),
    "",
  ]);
  return [
    "# Which client works with which upstream",
    "",
    "Written by `tests/sdk/matrix.test.ts`, which drives the official libraries through the relay against upstreams that check",
    "every request as strictly as their vendor documents it. After a change: `UPDATE_COMPATIBILITY=1` and that test.",
    "",
    ...SCENARIOS.map((scenario) => `- **${scenario}**: ${EXPLAINED[scenario]}`),
    "",
    "¹ The library does not send thinking back, so the upstream goes on without that of earlier turns.",
    "² The library does not send thinking back, and DeepSeek, the upstream that thinks in this format, refuses that: also without the",
    "gateway, for both speak the same format.",
    "",
    ...tables,
    ...operations,
    "",
    "## Coding agents",
    "",
    "`tests/sdk/agents.test.ts` sends what Claude Code, Codex (also its leaner form of Responses) and Gemini CLI send by default, with their",
    "tools over two turns and with conversations begun elsewhere, to each of the four upstreams: every one is answered, and what an",
    "upstream has no place for is named in the header `turnpike-warnings`. Where chat completions cannot express a call, such as a search",
    "that is forced, a channel that also serves Responses is asked in that format.",
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

export const keyOf = (client: Client, upstream: Upstream, scenario: Scenario): string =>
  `${client.name} ${upstream.name} ${scenario}`;
