/** Coding agents of the terminal: their configuration files and environment, as their vendors document them. Pure. */
import { type Connection, type Program, atHome, json, versioned } from "./program.ts";
import { tomlString, yamlString } from "./quoting.ts";

const CLAUDE = /^(?:anthropic\/)?claude/i;
const GPT = /^(?:openai\/)?(?:gpt|o\d|codex)/i;

/** Name of the variable that Codex reads the key from. */
const CODEX_KEY = "TURNPIKE_API_KEY";

const claudeEnvironment = ({ origin, key, model }: Connection) =>
  [
    ["ANTHROPIC_BASE_URL", origin],
    ["ANTHROPIC_AUTH_TOKEN", key],
    ["ANTHROPIC_MODEL", model],
    // Smaller jobs (titles, summaries) go to a model of their own, which this token may not have.
    ["ANTHROPIC_DEFAULT_HAIKU_MODEL", model],
  ] as const;

const codexConfig = (connection: Connection): string =>
  [
    `model = ${tomlString(connection.model)}`,
    'model_provider = "turnpike"',
    "",
    "[model_providers.turnpike]",
    'name = "Turnpike"',
    `base_url = ${tomlString(versioned(connection))}`,
    `env_key = "${CODEX_KEY}"`,
    'wire_api = "responses"',
  ].join("\n");

const geminiEnvironment = ({ origin, key, model }: Connection) =>
  [
    ["GOOGLE_GEMINI_BASE_URL", origin],
    ["GEMINI_API_KEY", key],
    ["GEMINI_MODEL", model],
  ] as const;

/** Anthropic's own package for Claude models, so that their cache markers are sent. */
function openCodeProvider(connection: Connection) {
  const { key, model } = connection;
  const npm = CLAUDE.test(model) ? "@ai-sdk/anthropic" : "@ai-sdk/openai-compatible";
  const options = { baseURL: versioned(connection), apiKey: key };
  return { npm, name: "Turnpike", options, models: { [model]: { name: model } } };
}

const aiderConfig = (connection: Connection): string =>
  [
    `openai-api-base: ${yamlString(versioned(connection))}`,
    `openai-api-key: ${yamlString(connection.key)}`,
    `model: ${yamlString(`openai/${connection.model}`)}`,
  ].join("\n");

const CLAUDE_CODE: Program = {
  id: "claude-code",
  title: "Claude Code",
  kind: "agent",
  family: "messages",
  page: "https://code.claude.com/docs/en/llm-gateway",
  prefers: CLAUDE,
  install: "npm install -g @anthropic-ai/claude-code",
  files: [
    {
      paths: atHome(".claude/settings.json"),
      content: (connection) => json({ env: Object.fromEntries(claudeEnvironment(connection)) }),
    },
  ],
  environment: claudeEnvironment,
  isEnvironmentEnough: true,
  run: () => "claude",
  userAgent: /^claude-(?:cli|code)\//i,
};

const CODEX: Program = {
  id: "codex",
  title: "Codex",
  kind: "agent",
  family: "responses",
  page: "https://developers.openai.com/codex/config-reference",
  prefers: GPT,
  install: "npm install -g @openai/codex",
  files: [{ paths: atHome(".codex/config.toml"), content: codexConfig }],
  environment: ({ key }) => [[CODEX_KEY, key]],
  run: () => "codex",
  userAgent: /^codex[_-][\w-]+\//i,
};

const GEMINI_CLI: Program = {
  id: "gemini-cli",
  title: "Gemini CLI",
  kind: "agent",
  family: "gemini",
  page: "https://geminicli.com/docs/get-started/authentication/",
  prefers: /gemini/i,
  install: "npm install -g @google/gemini-cli",
  files: [
    {
      paths: atHome(".gemini/settings.json"),
      content: () => json({ security: { auth: { selectedType: "gemini-api-key" } } }),
    },
  ],
  environment: geminiEnvironment,
  run: ({ model }, quote) => `gemini --model ${quote(model)}`,
  userAgent: /^GeminiCLI/i,
};

const OPEN_CODE: Program = {
  id: "opencode",
  title: "OpenCode",
  kind: "agent",
  family: "chat",
  page: "https://opencode.ai/docs/providers/",
  install: "npm install -g opencode-ai",
  files: [
    {
      // The file of the person, not ./opencode.json, which is committed with a project (https://opencode.ai/docs/config): it holds the key.
      paths: atHome(".config/opencode/opencode.json"),
      content: (connection) =>
        json({
          $schema: "https://opencode.ai/config.json",
          provider: { turnpike: openCodeProvider(connection) },
        }),
    },
  ],
  run: ({ model }, quote) => `opencode --model ${quote(`turnpike/${model}`)}`,
  userAgent: /^opencode\//i,
};

const AIDER: Program = {
  id: "aider",
  title: "Aider",
  kind: "agent",
  family: "chat",
  page: "https://aider.chat/docs/llms/openai-compat.html",
  install: "python -m pip install aider-install && aider-install",
  files: [{ paths: atHome(".aider.conf.yml"), content: aiderConfig }],
  environment: (connection) => [
    ["OPENAI_API_BASE", versioned(connection)],
    ["OPENAI_API_KEY", connection.key],
  ],
  isEnvironmentEnough: true,
  run: ({ model }, quote) => `aider --model ${quote(`openai/${model}`)}`,
};

export const CODING_AGENTS: readonly Program[] = [CLAUDE_CODE, CODEX, GEMINI_CLI, OPEN_CODE, AIDER];
