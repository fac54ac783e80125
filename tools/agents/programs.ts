/**
 * The coding agents that run against the relay: their packages, how each is started, and the tool by which it runs a command. Each is configured by what
 * the page that connects programs says: by its setup script where it has one, else by its files and variables.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled, installScript } from "../../contract/src/connect/install-script.ts";
import type { Connection } from "../../contract/src/connect/program.ts";
import { programOf } from "../../contract/src/connect/programs.ts";
import { TEST_KEY } from "../../tests/support/relay/harness.ts";
import { programsFolder } from "./install.mjs";

const KEY = `sk-${TEST_KEY}`;
const PROGRAMS = programsFolder();
const MACHINE = `${process.platform}-${process.arch}`;
/** A script compiled once is not compiled again: it is half of the start of Gemini CLI. */
const COMPILED = { NODE_COMPILE_CACHE: join(PROGRAMS, "compiled") };
/** The installation is of packages that name their binary for this machine; their own scripts, which would put it into the place of their command, do not run. */
const inPackages = (...path: string[]): string => join(PROGRAMS, "node_modules", ...path);
/** What runs without a window must end by itself: a script of the page, in milliseconds. */
const CONFIGURE_MS = 30_000;

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
  /** Its package, by the name that packages/package.json has. */
  package: string;
  /** Name of its shell and the arguments that run a command. */
  tool: { name: string; arguments: (command: string) => object };
  /** Lines that are added to a file below its home. */
  added?: readonly [path: string, text: string];
  /** Variables beside those of the page. */
  environment?: Readonly<Record<string, string>>;
  /** The path of its program and the arguments. */
  command(prompt: string, isResumed: boolean, place: Place): readonly string[];
}

/** Whether a call is one of the conversation itself: by the name of the shell in quotes, which stands nowhere but in a list of tools. */
export const offersTool = ({ tool }: Agent, body: string): boolean => body.includes(`"${tool.name}"`);

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
    const input = installScript(id, "sh", connection);
    execFileSync("sh", { input, env: { PATH, HOME: place.home }, timeout: CONFIGURE_MS });
  } else {
    for (const { paths, content } of programOf(id)?.files ?? [])
      write(join(place.home, paths.unix.replace("~/", "")), content(connection));
  }
  if (agent.added !== undefined) write(join(place.home, agent.added[0]), agent.added[1], "a");
}

/** The agent of this name. Throws where there is none. */
export function agentNamed(name: string): Agent {
  const agent = AGENTS.find((each) => each.name === name);
  if (agent === undefined) throw new Error(`No agent is named ${name}`);
  return agent;
}

/** Name and version of an agent's package, as npm has them. Throws where packages/package.json does not name it. */
export function versionOf({ package: name }: Agent): string {
  const text = readFileSync(new URL("packages/package.json", import.meta.url), "utf8");
  const { dependencies, optionalDependencies } = JSON.parse(text) as Record<string, Record<string, string>>;
  const version = { ...dependencies, ...optionalDependencies }[name];
  if (version === undefined) throw new Error(`tools/agents/packages/package.json does not name ${name}`);
  return `${name}@${version}`;
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
  package: "@openai/codex",
  tool: { name: "exec_command", arguments: (command) => ({ cmd: command }) },
  // The file ends with the provider's table.
  ...(hasSocket ? { added: [".codex/config.toml", "supports_websockets = true\n"] as const } : {}),
  command: (prompt, isResumed) => [
    process.execPath,
    inPackages("@openai", "codex", "bin", "codex.js"),
    "exec",
    ...(isResumed ? ["resume", "--last"] : []),
    "--skip-git-repo-check",
    prompt,
  ],
});

const aiSdk = (provider: "openai" | "google", title: string, model: string): Agent => ({
  name: `AI SDK, ${title}`,
  model,
  package: `@ai-sdk/${provider}`,
  tool: { name: "run_in_shell", arguments: (command) => ({ command }) },
  environment: { AI_SDK_KEY: KEY, ...COMPILED },
  command: (prompt, isResumed, { url }) => [
    process.execPath,
    fileURLToPath(new URL("ai-sdk.mjs", import.meta.url)),
    PROGRAMS,
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
    package: "@anthropic-ai/claude-code",
    tool: { name: "Bash", arguments: (command) => ({ command, description: "Adds" }) },
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    command: (prompt, isResumed) => [
      inPackages("@anthropic-ai", `claude-code-${MACHINE}`, "claude"),
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
    package: "@google/gemini-cli",
    tool: { name: "run_shell_command", arguments: (command) => ({ command }) },
    // It starts itself a second time for more memory, unless it is spared that.
    environment: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true", ...COMPILED },
    command: (prompt, isResumed) => [
      process.execPath,
      inPackages("@google", "gemini-cli", "bundle", "gemini.js"),
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
    package: `opencode-${MACHINE}`,
    tool: { name: "bash", arguments: (command) => ({ command, description: "Adds" }) },
    // Reading its catalogue of other providers' models takes half of a start, and fetching a newer one longer.
    environment: {
      OPENCODE_MODELS_PATH: fileURLToPath(new URL("packages/models.json", import.meta.url)),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    command: (prompt, isResumed) => [
      inPackages(`opencode-${MACHINE}`, "bin", "opencode"),
      "run",
      ...(isResumed ? ["--continue"] : []),
      "--model",
      "turnpike/gpt-5.5",
      prompt,
    ],
  },
  aiSdk("openai", "OpenAI", "gpt-5.5"),
  aiSdk("google", "Google", "gemini-2.5-pro"),
];
