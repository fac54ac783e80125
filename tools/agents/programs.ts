/**
 * The coding agents that run against the relay: their packages, how each is started, and the tool by which it runs a command. Each is configured by what
 * the page that connects programs says: by its setup script where it has one, else by its files and variables.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled, installScript } from "../../contract/src/connect/install-script.ts";
import type { Connection } from "../../contract/src/connect/program.ts";
import { programOf } from "../../contract/src/connect/programs.ts";
import { TEST_KEY } from "../../tests/support/relay/harness.ts";

const KEY = `sk-${TEST_KEY}`;

export interface Place {
  url: string;
  home: string;
  folder: string;
}

export interface Agent {
  name: string;
  /** Its row in the table of programs; absent where it is none, but a program of ours that uses a library. */
  id?: string;
  model: string;
  /** The packages and their versions, as npm names them; the first one is what runs. */
  packages: readonly [string, ...string[]];
  /** Name of its shell and the arguments that run a command. */
  tool: { name: string; arguments: (command: string) => object };
  /** Lines that are added to a file below its home. */
  added?: readonly [path: string, text: string];
  /** Variables beside those of the page. */
  environment?: Readonly<Record<string, string>>;
  /** Its command, by name or path, and the arguments; `node` is the Node that runs this. */
  command(prompt: string, isResumed: boolean, place: Place): readonly string[];
}

const connectionOf = ({ model }: Agent, { url }: Place): Connection => ({
  origin: url,
  key: KEY,
  model,
  operation: "chat",
});

/** Writes what the page says to write, into the agent's home; throws where its script fails. */
export function configure(agent: Agent, place: Place): void {
  const connection = connectionOf(agent, place);
  const write = (path: string, text: string, flag = "w"): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag });
  };
  const { id = "" } = agent;
  if (isInstalled(id)) {
    const { PATH = "" } = process.env;
    execFileSync("sh", { input: installScript(id, "sh", connection), env: { PATH, HOME: place.home } });
  } else {
    for (const { paths, content } of programOf(id)?.files ?? [])
      write(join(place.home, paths.unix.replace("~/", "")), content(connection));
  }
  if (agent.added !== undefined) write(join(place.home, agent.added[0]), agent.added[1], "a");
}

/** The variables it runs with, those of the page among them unless its script wrote them. */
export function environmentOf(agent: Agent, place: Place): Record<string, string> {
  const { id = "" } = agent;
  const own = programOf(id)?.environment?.(connectionOf(agent, place)) ?? [];
  return { ...(isInstalled(id) ? {} : Object.fromEntries(own)), ...agent.environment };
}

const codex = (hasSocket: boolean): Agent => ({
  name: hasSocket ? "Codex over its socket" : "Codex over HTTP",
  id: "codex",
  model: "gpt-5.5",
  packages: ["@openai/codex@0.171.0"],
  tool: { name: "exec_command", arguments: (command) => ({ cmd: command }) },
  // The file ends with the provider's table.
  ...(hasSocket ? { added: [".codex/config.toml", "supports_websockets = true\n"] as const } : {}),
  command: (prompt, isResumed) => [
    "codex",
    "exec",
    ...(isResumed ? ["resume", "--last"] : []),
    "--skip-git-repo-check",
    prompt,
  ],
});

/** Packages that the cache has for all of them. */
export const CACHE = join(homedir(), ".cache", "turnpike-agents");

const aiSdk = (provider: "openai" | "google", title: string, model: string, version: string): Agent => ({
  name: `AI SDK, ${title}`,
  model,
  packages: [`@ai-sdk/${provider}@${version}`, "ai@7.0.173"],
  tool: { name: "run_in_shell", arguments: (command) => ({ command }) },
  environment: { AI_SDK_KEY: KEY },
  command: (prompt, isResumed, { url }) => [
    "node",
    fileURLToPath(new URL("ai-sdk.mjs", import.meta.url)),
    CACHE,
    provider,
    url,
    model,
    isResumed ? "resumed" : "new",
    prompt,
  ],
});

export const AGENTS: readonly Agent[] = [
  codex(false),
  codex(true),
  {
    name: "Claude Code",
    id: "claude-code",
    model: "claude-sonnet-4-5",
    packages: ["@anthropic-ai/claude-code@2.1.332"],
    tool: { name: "Bash", arguments: (command) => ({ command, description: "Adds" }) },
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    command: (prompt, isResumed) => [
      // Installed without its script, which would put its binary into the place of its command.
      "node",
      join(CACHE, "node_modules", "@anthropic-ai", "claude-code", "cli-wrapper.cjs"),
      ...(isResumed ? ["--continue"] : []),
      "--allowedTools",
      "Bash",
      "--print",
      prompt,
    ],
  },
  {
    name: "Gemini CLI",
    id: "gemini-cli",
    model: "gemini-2.5-pro",
    packages: ["@google/gemini-cli@0.61.0"],
    tool: { name: "run_shell_command", arguments: (command) => ({ command }) },
    environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
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
    id: "opencode",
    model: "gpt-5.5",
    packages: ["opencode-ai@1.18.33"],
    tool: { name: "bash", arguments: (command) => ({ command, description: "Adds" }) },
    command: (prompt, isResumed) => [
      // The binary of this machine, which the script of the package would put into the place of its command.
      join(CACHE, "node_modules", `opencode-${process.platform}-${process.arch}`, "bin", "opencode"),
      "run",
      ...(isResumed ? ["--continue"] : []),
      "--model",
      "turnpike/gpt-5.5",
      prompt,
    ],
  },
  aiSdk("openai", "OpenAI", "gpt-5.5", "4.0.118"),
  aiSdk("google", "Google", "gemini-2.5-pro", "4.0.121"),
];
