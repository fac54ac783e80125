/** The coding agents that run against the relay: their packages, how each is configured and started, and the tool by which it runs a command. */
import { join } from "node:path";
import { TEST_KEY } from "../../tests/support/relay/harness.ts";

const KEY = `sk-${TEST_KEY}`;

export interface Place {
  url: string;
  home: string;
  folder: string;
}

export interface Agent {
  name: string;
  model: string;
  /** The package and its version, as npm names them. */
  package: string;
  /** Name of its shell and the arguments that run a command. */
  tool: { name: string; arguments: (command: string) => object };
  /** Files below its home, or its folder where a name begins with `./`. */
  files(place: Place): Readonly<Record<string, string>>;
  environment(place: Place): Readonly<Record<string, string>>;
  command(prompt: string, isResumed: boolean): readonly string[];
}

const codex = (hasSocket: boolean): Agent => ({
  name: hasSocket ? "Codex over its socket" : "Codex over HTTP",
  model: "gpt-5.5",
  package: "@openai/codex@0.171.0",
  tool: { name: "exec_command", arguments: (command) => ({ cmd: command }) },
  files: ({ url }) => ({
    "codex/config.toml": [
      'model = "gpt-5.5"',
      'model_provider = "turnpike"',
      "[model_providers.turnpike]",
      'name = "Turnpike"',
      `base_url = "${url}/v1"`,
      'env_key = "TURNPIKE_KEY"',
      'wire_api = "responses"',
      `supports_websockets = ${hasSocket}`,
    ].join("\n"),
  }),
  environment: ({ home }) => ({ CODEX_HOME: join(home, "codex"), TURNPIKE_KEY: KEY }),
  command: (prompt, isResumed) => [
    "codex",
    "exec",
    ...(isResumed ? ["resume", "--last"] : []),
    "--skip-git-repo-check",
    prompt,
  ],
});

export const AGENTS: readonly Agent[] = [
  codex(false),
  codex(true),
  {
    name: "Claude Code",
    model: "claude-sonnet-4-5",
    package: "@anthropic-ai/claude-code@2.1.332",
    tool: { name: "Bash", arguments: (command) => ({ command, description: "Adds" }) },
    files: () => ({}),
    environment: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    command: (prompt, isResumed) => [
      "claude",
      ...(isResumed ? ["--continue"] : []),
      "--model",
      "claude-sonnet-4-5",
      "--allowedTools",
      "Bash",
      "--print",
      prompt,
    ],
  },
  {
    name: "Gemini CLI",
    model: "gemini-2.5-pro",
    package: "@google/gemini-cli@0.61.0",
    tool: { name: "run_shell_command", arguments: (command) => ({ command }) },
    files: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
    environment: ({ url }) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    command: (prompt, isResumed) => [
      "gemini",
      ...(isResumed ? ["--resume", "latest"] : []),
      "--yolo",
      "--model",
      "gemini-2.5-pro",
      "--prompt",
      prompt,
    ],
  },
  {
    name: "OpenCode",
    model: "gpt-5.5",
    package: "opencode-ai@1.18.33",
    tool: { name: "bash", arguments: (command) => ({ command, description: "Adds" }) },
    files: ({ url }) => ({
      "./opencode.json": JSON.stringify({
        provider: {
          turnpike: {
            npm: "@ai-sdk/openai-compatible",
            name: "Turnpike",
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: { "gpt-5.5": { name: "gpt-5.5" } },
          },
        },
      }),
    }),
    environment: () => ({}),
    command: (prompt, isResumed) => [
      "opencode",
      "run",
      ...(isResumed ? ["--continue"] : []),
      "--model",
      "turnpike/gpt-5.5",
      prompt,
    ],
  },
];
