/** Coding agents by the `user-agent` they send, and the headers by which each says what it is: those go on to an upstream of the agent's own format. */
import type { IncomingHttpHeaders } from "node:http";

interface CodingAgent {
  /** How its `user-agent` begins. */
  userAgent: RegExp;
  /** Names in small letters; one that ends in `*` stands for all that begin so. */
  headers: readonly string[];
}

/** What the SDKs of OpenAI and Anthropic say of the program's machine (github.com/anthropics/anthropic-sdk-typescript, src/internal/detect-platform.ts). */
const SDK_HEADERS = ["x-stainless-*"];

/**
 * None of these names who calls: keys, cookies and ids of accounts are not among them. `anthropic-version` and `anthropic-beta` go on for
 * every client, as data of Anthropic's manifest.
 */
const AGENTS: readonly CodingAgent[] = [
  // Claude Code (code.claude.com/docs/en/llm-gateway).
  {
    userAgent: /^claude-(?:cli|code)\//i,
    headers: [
      ...SDK_HEADERS,
      "x-app",
      "anthropic-dangerous-direct-browser-access",
      "x-claude-code-session-id",
      "x-client-request-id",
    ],
  },
  // Codex (github.com/openai/codex, codex-rs/login/src/auth/default_client.rs and codex-rs/core/src/client.rs).
  {
    userAgent: /^codex[_-][\w-]+\//i,
    headers: [
      "originator",
      "version",
      "session_id",
      "session-id",
      "conversation_id",
      "thread-id",
      "x-client-request-id",
      "x-codex-*",
      "x-openai-subagent",
      "openai-beta",
    ],
  },
  // Gemini CLI (github.com/google-gemini/gemini-cli, packages/core/src/core/contentGenerator.ts).
  { userAgent: /^GeminiCLI/i, headers: ["x-goog-api-client"] },
  // OpenCode (github.com/anomalyco/opencode, packages/opencode/src/session/llm.ts).
  {
    userAgent: /^opencode\//i,
    headers: [...SDK_HEADERS, "originator", "session_id", "x-session-affinity", "x-parent-session-id", "x-opencode-*"],
  },
];

const isAmong = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));

/** The client's headers that say which coding agent it is, its `user-agent` among them; none for any other client. */
export function agentHeaders(headers: IncomingHttpHeaders): readonly (readonly [name: string, value: string])[] {
  const userAgent = headers["user-agent"] ?? "";
  const agent = AGENTS.find((each) => each.userAgent.test(userAgent));
  if (agent === undefined) return [];
  const own = Object.entries(headers).filter(([name]) => isAmong(agent.headers, name));
  return [["user-agent", userAgent], ...own.map(([name, value]) => [name, String(value)] as const)];
}
