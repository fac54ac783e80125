/**
 * `npm run test:long -- agents`: the coding agents themselves (Codex over HTTP and over its socket, Claude Code, Gemini CLI, OpenCode, two providers of
 * the AI SDK), each through the relay with upstreams of four formats: what acts.ts has them do, and after each fault of FAULTS no more calls than at the
 * agent's own vendor. `node tools/run.mjs --development tools/agents/main.ts codex` runs those named. What each held goes into docs/clients.md.
 */
import {
  atItsVendor,
  converse,
  type Endpoint,
  interrupt,
  INTERRUPTED_MS,
  REFUSAL,
  refuse,
  throughRelay,
  until,
} from "./acts.ts";
import { isNoWorse, type Outcome, outcomeOf, outcomeText } from "./compare.ts";
import { FAULTS } from "./faults.ts";
import { installPrograms } from "./install.mjs";
import { type Agent, AGENTS, versionOf } from "./programs.ts";
import { UPSTREAMS, writeFaults, writeRun } from "./report.ts";

/** An agent starts in seconds; a busy machine takes longer. */
const limitMs = (): number => 180_000;

/** Agents that run side by side. */
const AT_ONCE = 4;

/** What an agent does at an endpoint that refuses it, and after each fault. */
interface Behaviour {
  tries: number;
  outcomes: readonly Outcome[];
}

async function outcomesOf(agent: Agent, endpoint: Endpoint): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const fault of FAULTS) outcomes.push(await outcomeOf(agent, fault, endpoint));
  return outcomes;
}

const directly = (agent: Agent): Promise<Behaviour> =>
  atItsVendor(agent, limitMs, async (itself, endpoint) => {
    const { tries } = await refuse(itself, endpoint);
    return { tries, outcomes: await outcomesOf(itself, endpoint) };
  });

type Check = readonly [what: string, holds: boolean];

/** After each fault the agent fares as at its vendor. */
function faultChecks(outcomes: readonly Outcome[], { outcomes: direct }: Behaviour): Check[] {
  return FAULTS.map(({ name, waitMs }, index) => {
    const [here, there] = [outcomes[index], direct[index]] as [Outcome, Outcome];
    const seen = `${outcomeText(here)}, there ${outcomeText(there)}`;
    const waits = `waited ${Math.round(here.waitMs)} ms, there ${Math.round(there.waitMs)}`;
    const holds = isNoWorse(here, there, waitMs);
    if (!holds) process.stderr.write(`${name}:\n${here.text}\n`);
    return [`${name}: it fares no worse than at its vendor (${seen}; ${waits})`, holds];
  });
}

async function checksOf(
  agent: Agent,
  endpoint: Endpoint,
  isNothingHeld: () => boolean,
  direct: number,
): Promise<Check[]> {
  const conversation = await converse(agent, endpoint);
  const isInterrupted = await interrupt(agent, endpoint);
  const { tries, text } = await refuse(agent, endpoint);
  const checks: Check[] = [
    [
      `its tool was called twice, and the results were answered (${conversation.calls} calls)`,
      conversation.hasEnded && conversation.calls === 3,
    ],
    ["the conversation goes on with what was said", conversation.isResumed],
    ["an interrupted run ends at its upstream", isInterrupted],
    ["an upstream's refusal is shown in its words", text.includes(REFUSAL)],
    [`a refusal is asked again no more than at its vendor (${tries} tries, there ${direct})`, tries <= direct],
    ["nothing is held any more", await until(isNothingHeld, INTERRUPTED_MS)],
  ];
  if (checks.some(([, holds]) => !holds)) process.stderr.write(`${conversation.text}\n${text}\n`);
  return checks;
}

interface PairRun {
  checks: readonly Check[];
  outcomes: readonly Outcome[];
  faultChecks: readonly Check[];
}

const runPair = (agent: Agent, type: number, direct: Behaviour): Promise<PairRun> =>
  throughRelay(agent, type, limitMs, async (endpoint, relay) => {
    const checks = await checksOf(agent, endpoint, () => relay.billing.holds.size === 0, direct.tries);
    const outcomes = await outcomesOf(agent, endpoint);
    return { checks, outcomes, faultChecks: faultChecks(outcomes, direct) };
  });

/** Agents and upstreams whose names contain a word of the command line, or all. */
const isNamed = (name: string, words: readonly string[]): boolean =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));

const named = AGENTS.filter(({ name }) => isNamed(name, process.argv.slice(2)));
installPrograms();
let [passed, failed] = [0, 0];

/** Runs an agent with upstreams of every format and writes what it held into the document. */
async function runAgent(agent: Agent): Promise<void> {
  const direct = await directly(agent);
  const held: string[] = [];
  const outcomes: (readonly Outcome[])[] = [];
  for (const [format, type] of UPSTREAMS) {
    const run = await runPair(agent, type, direct);
    for (const [what, holds] of [...run.checks, ...run.faultChecks]) {
      process.stdout.write(`${holds ? "ok    " : "FAILED"}  ${agent.name}, upstream of ${format}: ${what}\n`);
      if (holds) passed += 1;
      else failed += 1;
    }
    held.push(`${run.checks.filter(([, holds]) => holds).length} of ${run.checks.length}`);
    outcomes.push(run.outcomes);
  }
  writeRun({ name: agent.name, package: versionOf(agent), held });
  writeFaults(agent.name, direct.outcomes, outcomes);
}

/** Most of a run is the programs' own waiting after faults, so some of them run side by side. */
async function runInTurn(left: Agent[]): Promise<void> {
  for (let agent = left.shift(); agent !== undefined; agent = left.shift()) await runAgent(agent);
}

const waiting = [...named];
await Promise.all(Array.from({ length: AT_ONCE }, () => runInTurn(waiting)));
process.stdout.write(`agents: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
