/**
 * `npm run test:long -- agents`: the coding agents themselves (Codex over HTTP and over its socket, Claude Code, Gemini CLI, OpenCode), installed from
 * npm into a cache, each through the relay with upstreams of four formats: two calls of a tool, the conversation resumed, a run that is interrupted, an
 * error of the upstream. `npm run test:long -- agents` runs all; `node tools/run.mjs --development tools/agents.ts codex` those named. What each agent
 * held goes into docs/clients.md.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { type FakeUpstream, startFakeUpstream } from "../tests/fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../tests/fake-upstream/plan.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../tests/support/relay/harness.ts";
import { UPSTREAMS, writeRun } from "./agents-report.ts";

const CACHE = join(homedir(), ".cache", "turnpike-agents");
const KEY = `sk-${TEST_KEY}`;
/** An agent starts in seconds; a busy machine takes longer. */
const RUN_MS = 180_000;

/** An interrupted agent has gone after this long, or is ended. */
const INTERRUPTED_MS = 10_000;

/** Said by the fake upstream once it has the results of both calls. */
const END = "The work is finished.";
/** Commands that the agents run one after the other, and what each gives; the result does not stand in the command. */
const COMMANDS = [
  { command: "echo turnpike-$((40+2))", result: "turnpike-42" },
  { command: "echo gantry-$((50+5))", result: "gantry-55" },
] as const;
const LAST_RESULT = COMMANDS[1].result;
const REFUSAL = "this prompt is not taken today";

interface Place {
  url: string;
  home: string;
  folder: string;
}

interface Agent {
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

const AGENTS: readonly Agent[] = [
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

/** Whether the cache has exactly this package, so that no registry is asked for it. */
function isInstalled(wanted: string): boolean {
  const at = wanted.lastIndexOf("@");
  const path = join(CACHE, "node_modules", wanted.slice(0, at), "package.json");
  if (!existsSync(path)) return false;
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version === wanted.slice(at + 1);
}

function install(agents: readonly Agent[]): void {
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(join(CACHE, "package.json"))) writeFileSync(join(CACHE, "package.json"), "{}");
  const missing = new Set(agents.map((agent) => agent.package).filter((name) => !isInstalled(name)));
  if (missing.size === 0) return;
  const flags = ["--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"];
  execFileSync("npm", ["install", ...flags, ...missing], { cwd: CACHE, stdio: ["ignore", "ignore", "inherit"] });
}

/** A fresh home and folder for one agent. */
function newPlace(agent: Agent, url: string): Place {
  const root = mkdtempSync(join(tmpdir(), "turnpike-agent-"));
  const place = { url, home: join(root, "home"), folder: join(root, "work") };
  mkdirSync(place.home);
  mkdirSync(place.folder);
  for (const [name, text] of Object.entries(agent.files(place))) {
    const path = name.startsWith("./") ? join(place.folder, name) : join(place.home, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  return place;
}

interface Run {
  child: ChildProcess;
  /** Its exit code and all that it printed, once it is over. */
  ended: Promise<{ code: number; text: string }>;
}

/** Starts an agent in a group of its own, so that a signal reaches the programs that it starts, as from a terminal. */
function start(agent: Agent, place: Place, prompt: string, isResumed = false): Run {
  const [name = "", ...args] = agent.command(prompt, isResumed);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: place.home, IS_SANDBOX: "1", NO_COLOR: "1", ...agent.environment(place) };
  const path = join(CACHE, "node_modules", ".bin", name);
  const child = spawn(path, args, { cwd: place.folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), RUN_MS);
  let text = "";
  const collect = (piece: Buffer): void => void (text += piece.toString());
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const ended = new Promise<{ code: number; text: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, text });
    });
  });
  return { child, ended };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    // All of it has gone.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const offersTool = ({ tool }: Agent, { body }: SeenRequest): boolean => body.includes(tool.name);

/** What the upstream answers: a call for each command, then the end; a word where no tool was offered, for titles and the like. */
function answers(agent: Agent, seen: SeenRequest): Plan {
  if (!offersTool(agent, seen)) return { text: "Sum" };
  const next = COMMANDS.find(({ result }) => !seen.body.includes(result));
  if (next === undefined) return { text: END };
  const { name, arguments: argumentsOf } = agent.tool;
  return { text: "I look.", toolCalls: [{ name, arguments: JSON.stringify(argumentsOf(next.command)) }] };
}

/** Interrupts an agent in the middle of an answer; true once the upstream has heard of it, in time. */
async function reachesUpstream(agent: Agent, upstream: FakeUpstream, url: string): Promise<boolean> {
  upstream.plan({ text: "word ".repeat(600), chunks: 600, chunkDelayMs: 100 });
  const before = upstream.requests.length;
  const place = newPlace(agent, url);
  const { child, ended } = start(agent, place, "Tell me a story.");
  const asked = (): SeenRequest | undefined => upstream.requests.slice(before).find((seen) => offersTool(agent, seen));
  try {
    if (!(await until(() => asked() !== undefined, RUN_MS))) return false;
    signalGroup(child, "SIGINT");
    if (!(await until(() => child.exitCode !== null || child.signalCode !== null, INTERRUPTED_MS)))
      signalGroup(child, "SIGKILL");
    return await until(() => asked()?.wasAborted === true, INTERRUPTED_MS);
  } finally {
    signalGroup(child, "SIGKILL");
    await ended;
    rmSync(join(place.home, ".."), { recursive: true, force: true });
  }
}

/** Waits for something to hold; false once the time is over. */
async function until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > endMs) return false;
    await setTimeoutPromise(50);
  }
  return true;
}

/** How often an agent asks an upstream that refuses it, its own calls for titles and the like left out. */
async function triesOf(agent: Agent, upstream: FakeUpstream, url: string): Promise<{ tries: number; text: string }> {
  upstream.plan({ status: 400, error: { message: REFUSAL, type: "invalid_request_error" } });
  const before = upstream.requests.length;
  const place = newPlace(agent, url);
  const { text } = await start(agent, place, "Add the numbers.").ended;
  rmSync(join(place.home, ".."), { recursive: true, force: true });
  const seen = upstream.requests.slice(before);
  return { tries: seen.filter((each) => offersTool(agent, each)).length, text };
}

/** The same of an agent that asks its own vendor, without the relay. */
async function directTries(agent: Agent): Promise<number> {
  const upstream = await startFakeUpstream({ validates: false });
  try {
    return (await triesOf(agent, upstream, upstream.url)).tries;
  } finally {
    await upstream.close();
  }
}

type Check = readonly [what: string, holds: boolean];

async function checksOf(agent: Agent, upstream: FakeUpstream, relay: TestRelay, direct: number): Promise<Check[]> {
  upstream.plan((seen) => answers(agent, seen));
  const place = newPlace(agent, relay.url);
  const first = await start(agent, place, "Add the numbers.").ended;
  const asked = upstream.requests.length;
  const turns = upstream.requests.filter((seen) => offersTool(agent, seen)).length;
  const resumed = await start(agent, place, "And once more?", true).ended;
  const later = upstream.requests.slice(asked);
  const isInterrupted = await reachesUpstream(agent, upstream, relay.url);
  const refused = await triesOf(agent, upstream, relay.url);
  const { tries } = refused;
  rmSync(join(place.home, ".."), { recursive: true, force: true });
  const checks: Check[] = [
    [`its tool was called twice, and the results were answered (${turns} calls)`, first.text.includes(END) && turns === 3],
    [
      "the conversation goes on with what was said",
      resumed.text.includes(END) && later.some(({ body }) => body.includes(LAST_RESULT)),
    ],
    ["an interrupted run ends at its upstream", isInterrupted],
    ["an upstream's refusal is shown in its words", refused.text.includes(REFUSAL)],
    [`a refusal is asked again no more than at its vendor (${tries} tries, there ${direct})`, tries <= direct],
    ["nothing is held any more", await until(() => relay.billing.holds.size === 0, INTERRUPTED_MS)],
  ];
  if (checks.some(([, holds]) => !holds)) process.stderr.write(`${first.text}\n${resumed.text}\n${refused.text}\n`);
  return checks;
}

async function runPair(agent: Agent, type: number, direct: number): Promise<Check[]> {
  const upstream = await startFakeUpstream({ validates: false });
  const world = newWorld();
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(agent.model, price);
  world.channels.push(newChannel({ type, baseUrl: upstream.url, models: new Set([agent.model]) }));
  const relay = await startTestRelay({ world });
  try {
    return await checksOf(agent, upstream, relay, direct);
  } finally {
    await relay.close();
    await upstream.close();
  }
}

/** Agents and upstreams whose names contain a word of the command line, or all. */
const isNamed = (name: string, words: readonly string[]): boolean =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));

const named = AGENTS.filter(({ name }) => isNamed(name, process.argv.slice(2)));
install(named);
let [passed, failed] = [0, 0];
for (const agent of named) {
  const direct = await directTries(agent);
  const held: string[] = [];
  for (const [format, type] of UPSTREAMS) {
    const checks = await runPair(agent, type, direct);
    for (const [what, holds] of checks)
      process.stdout.write(`${holds ? "ok    " : "FAILED"}  ${agent.name}, upstream of ${format}: ${what}\n`);
    const good = checks.filter(([, holds]) => holds).length;
    held.push(`${good} of ${checks.length}`);
    passed += good;
    failed += checks.length - good;
  }
  writeRun({ name: agent.name, package: agent.package, held });
}
process.stdout.write(`agents: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
