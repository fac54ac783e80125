/**
 * `npm run test:long -- agents`: the coding agents themselves (Codex over HTTP and over its socket, Claude Code, Gemini CLI, OpenCode), installed from
 * npm into a cache, each through the relay with upstreams of four formats: a call of a tool, the conversation resumed, an error of the upstream.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeUpstream, startFakeUpstream } from "../tests/fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../tests/fake-upstream/plan.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../tests/support/relay/harness.ts";

const PACKAGES = [
  "@openai/codex@0.171.0",
  "@anthropic-ai/claude-code@2.1.332",
  "@google/gemini-cli@0.61.0",
  "opencode-ai@1.18.33",
];
const CACHE = join(homedir(), ".cache", "turnpike-agents");
const KEY = `sk-${TEST_KEY}`;
/** An agent starts in seconds; a busy machine takes longer. */
const RUN_MS = 180_000;

/** Upstreams by their format: the type of a channel. */
const UPSTREAMS = [
  ["chat and Responses", 1],
  ["messages", 14],
  ["gemini", 24],
  ["chat alone", 43],
] as const;

/** Said by the fake upstream once it has the result of the tool. */
const END = "The work is finished.";
const SUM = "echo turnpike-$((40+2))";
const RESULT = "turnpike-42";
const REFUSAL = "this prompt is not taken today";

interface Place {
  url: string;
  home: string;
  folder: string;
}

interface Agent {
  name: string;
  model: string;
  /** Name of its shell and the arguments that run a command. */
  tool: { name: string; arguments: string };
  /** Files below its home, or its folder where a name begins with `./`. */
  files(place: Place): Readonly<Record<string, string>>;
  environment(place: Place): Readonly<Record<string, string>>;
  command(prompt: string, isResumed: boolean): readonly string[];
}

const codex = (hasSocket: boolean): Agent => ({
  name: hasSocket ? "Codex over its socket" : "Codex over HTTP",
  model: "gpt-5.5",
  tool: { name: "exec_command", arguments: JSON.stringify({ cmd: SUM }) },
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
    tool: { name: "Bash", arguments: JSON.stringify({ command: SUM, description: "Adds" }) },
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
    tool: { name: "run_shell_command", arguments: JSON.stringify({ command: SUM }) },
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
    tool: { name: "bash", arguments: JSON.stringify({ command: SUM, description: "Adds" }) },
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

function install(): void {
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(join(CACHE, "package.json"))) writeFileSync(join(CACHE, "package.json"), "{}");
  const flags = ["--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"];
  execFileSync("npm", ["install", ...flags, ...PACKAGES], { cwd: CACHE, stdio: ["ignore", "ignore", "inherit"] });
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

/** Runs an agent to its end; gives its exit code and all that it printed. */
function run(agent: Agent, place: Place, prompt: string, isResumed: boolean): Promise<{ code: number; text: string }> {
  const [name = "", ...args] = agent.command(prompt, isResumed);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: place.home, IS_SANDBOX: "1", NO_COLOR: "1", ...agent.environment(place) };
  const child = spawn(join(CACHE, "node_modules", ".bin", name), args, {
    cwd: place.folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS,
  });
  let text = "";
  const collect = (piece: Buffer): void => void (text += piece.toString());
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, text }));
  });
}

/** What the upstream answers: the call of the tool, then the end; a word where no tool was offered, for titles and the like. */
function answers({ tool }: Agent, seen: SeenRequest): Plan {
  const body = seen.body.toString();
  if (!body.includes(tool.name)) return { text: "Sum" };
  return body.includes(RESULT) ? { text: END } : { text: "I look.", toolCalls: [tool] };
}

/** How often an agent asks an upstream that refuses it, its own calls for titles and the like left out. */
async function triesOf(agent: Agent, upstream: FakeUpstream, url: string): Promise<{ tries: number; text: string }> {
  upstream.plan({ status: 400, error: { message: REFUSAL, type: "invalid_request_error" } });
  const before = upstream.requests.length;
  const place = newPlace(agent, url);
  const { text } = await run(agent, place, "Add the numbers.", false);
  rmSync(join(place.home, ".."), { recursive: true, force: true });
  const seen = upstream.requests.slice(before);
  return { tries: seen.filter(({ body }) => body.includes(agent.tool.name)).length, text };
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
  const first = await run(agent, place, "Add the numbers.", false);
  const asked = upstream.requests.length;
  const resumed = await run(agent, place, "And once more?", true);
  const later = upstream.requests.slice(asked).map(({ body }) => body.toString());
  const refused = await triesOf(agent, upstream, relay.url);
  const { tries } = refused;
  rmSync(join(place.home, ".."), { recursive: true, force: true });
  const checks: Check[] = [
    ["its tool was called, and the result was answered", first.text.includes(END)],
    [
      "the conversation goes on with what was said",
      resumed.text.includes(END) && later.some((body) => body.includes(RESULT)),
    ],
    ["an upstream's refusal is shown in its words", refused.text.includes(REFUSAL)],
    [`a refusal is asked again no more than at its vendor (${tries} tries, there ${direct})`, tries <= direct],
    ["nothing is held any more", relay.billing.holds.size === 0],
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

install();
let [passed, failed] = [0, 0];
for (const agent of AGENTS.filter(({ name }) => isNamed(name, process.argv.slice(2)))) {
  const direct = await directTries(agent);
  for (const [format, type] of UPSTREAMS) {
    for (const [what, holds] of await runPair(agent, type, direct)) {
      process.stdout.write(`${holds ? "ok    " : "FAILED"}  ${agent.name}, upstream of ${format}: ${what}\n`);
      if (holds) passed += 1;
      else failed += 1;
    }
  }
}
process.stdout.write(`agents: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
