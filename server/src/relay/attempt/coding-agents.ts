/** Coding agents by the `user-agent` they send, and the headers by which each says what it is: those go on to an upstream of the agent's own format. */
import type { IncomingHttpHeaders } from "node:http";
import { programOfUserAgent } from "../../../../contract/src/connect/programs.ts";

/** What the SDKs of OpenAI and Anthropic say of the program's machine (github.com/anthropics/anthropic-sdk-typescript, src/internal/detect-platform.ts). */
const SDK_HEADERS = ["x-stainless-*"];

/**
 * By the program's id; names in small letters, and one that ends in `*` stands for all that begin so. None of these names who calls: keys, cookies and ids of accounts are not among them. `anthropic-version` and `anthropic-beta` go on for
 * every client, as data of Anthropic's manifest.
 */
const HEADERS: ReadonlyMap<string, readonly string[]> = new Map([
  // code.claude.com/docs/en/llm-gateway
  [
    "claude-code",
    [
      ...SDK_HEADERS,
      "x-app",
      "anthropic-dangerous-direct-browser-access",
      "x-claude-code-session-id",
      "x-client-request-id",
    ],
  ],
  // github.com/openai/codex, codex-rs/login/src/auth/default_client.rs and codex-rs/core/src/client.rs
  [
    "codex",
    [
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
  ],
  // github.com/google-gemini/gemini-cli, packages/core/src/core/contentGenerator.ts
  ["gemini-cli", ["x-goog-api-client"]],
  // github.com/anomalyco/opencode, packages/opencode/src/session/llm.ts
  [
    "opencode",
    [...SDK_HEADERS, "originator", "session_id", "x-session-affinity", "x-parent-session-id", "x-opencode-*"],
  ],
]);

const isAmong = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));

/** The client's headers that say which coding agent it is, its `user-agent` among them; none for any other client. */
export function agentHeaders(headers: IncomingHttpHeaders): readonly (readonly [name: string, value: string])[] {
  const userAgent = headers["user-agent"] ?? "";
  const names = HEADERS.get(programOfUserAgent(userAgent));
  if (names === undefined) return [];
  const own = Object.entries(headers).filter(([name]) => isAmong(names, name));
  return [["user-agent", userAgent], ...own.map(([name, value]) => [name, String(value)] as const)];
}
