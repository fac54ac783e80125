/**
 * `npm run test:long -- agents`: the coding agents themselves (Codex over HTTP and over its socket, Claude Code, Gemini CLI, OpenCode), installed from
 * npm into a cache, each through the relay with upstreams of four formats: two calls of a tool, the conversation resumed, a run that is interrupted, an
 * error of the upstream. `node tools/run.mjs --development tools/agents/main.ts codex` runs those named. What each held goes into docs/clients.md.
 */
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { type FakeUpstream, startFakeUpstream } from "../../tests/fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../../tests/fake-upstream/plan.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../../tests/support/relay/harness.ts";
import { install, newPlace, removePlace, RUN_MS, signalGroup, start } from "./process.ts";
import { type Agent, AGENTS } from "./programs.ts";
import { UPSTREAMS, writeRun } from "./report.ts";

/** An interrupted agent has gone after this long, or is ended. */
const INTERRUPTED_MS = 10_000;

/** Said by the fake upstream once it has the results of both calls. */
const END = "The work is finished.";
/** Commands that the agents run one after the other, and what each gives; the result does not stand in the command, which is one that every agent allows. */
const COMMANDS = [
  { command: "printf turnpike-%d 42", result: "turnpike-42" },
  { command: "printf gantry-%d 55", result: "gantry-55" },
] as const;
const LAST_RESULT = COMMANDS[1].result;
const REFUSAL = "this prompt is not taken today";

/** By the name in quotes, which stands nowhere but in a list of tools. */
const offersTool = ({ tool }: Agent, { body }: SeenRequest): boolean => body.includes(`"${tool.name}"`);

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
  const hasGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    if (!(await until(() => asked() !== undefined || hasGone(), RUN_MS)) || hasGone()) return false;
    signalGroup(child, "SIGINT");
    if (!(await until(hasGone, INTERRUPTED_MS))) signalGroup(child, "SIGKILL");
    return await until(() => asked()?.wasAborted === true, INTERRUPTED_MS);
  } finally {
    signalGroup(child, "SIGKILL");
    await ended;
    removePlace(place);
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
  removePlace(place);
  const seen = upstream.requests.slice(before);
  return { tries: seen.filter((each) => offersTool(agent, each)).length, text };
}

/** The same of an agent that asks its own vendor, without the relay: over HTTP, since the fake one has no socket. */
async function directTries({ added: _socket, ...agent }: Agent): Promise<number> {
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
  removePlace(place);
  const checks: Check[] = [
    [
      `its tool was called twice, and the results were answered (${turns} calls)`,
      first.text.includes(END) && turns === 3,
    ],
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
  writeRun({ name: agent.name, package: agent.packages[0], held });
}
process.stdout.write(`agents: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
