/** The tasks given to a coding agent at an endpoint: two calls of a tool, the conversation resumed, an interrupted run, and a refusal. Shared by both forms of the run (main.ts, tests/agents). */
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { type FakeUpstream, startFakeUpstream } from "../../tests/fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../../tests/fake-upstream/plan.ts";
import { newChannel, newWorld, startTestRelay, type TestRelay } from "../../tests/support/relay/harness.ts";
import { newPlace, removePlace, signalGroup, start } from "./process.ts";
import { type Agent, offersTool } from "./programs.ts";

/** An interrupted agent has gone after this long, or is ended. */
export const INTERRUPTED_MS = 10_000;

/** Said by the fake upstream once it has the results of both calls. */
const END = "The work is finished.";
/** Commands that the agents run one after the other, and what each gives; the result does not stand in the command, which is one that every agent allows. */
const COMMANDS = [
  { command: "printf turnpike-%d 42", result: "turnpike-42" },
  { command: "printf gantry-%d 55", result: "gantry-55" },
] as const;
const LAST_RESULT = COMMANDS[1].result;
/** The words in which the upstream refuses. */
export const REFUSAL = "this prompt is not taken today";

/** Where an agent is sent. */
export interface Endpoint {
  /** What stands behind it, or the endpoint itself. */
  upstream: FakeUpstream;
  url: string;
  /** For how long the next run may last, in milliseconds. */
  limitMs: () => number;
}

const isOfConversation = (agent: Agent, { body }: SeenRequest): boolean => offersTool(agent, body.toString());

/** What the upstream answers: a call for each command, then the end; a word where no tool was offered, for titles and the like. */
function answers(agent: Agent, seen: SeenRequest): Plan {
  if (!isOfConversation(agent, seen)) return { text: "Sum" };
  const next = COMMANDS.find(({ result }) => !seen.body.includes(result));
  if (next === undefined) return { text: END };
  const { name, arguments: argumentsOf } = agent.tool;
  return { text: "I look.", toolCalls: [{ name, arguments: JSON.stringify(argumentsOf(next.command)) }] };
}

export interface Conversation {
  /** Calls that its first prompt took; three where each tool was called once. */
  calls: number;
  hasEnded: boolean;
  /** The second prompt was answered by an upstream that was sent the results of the first. */
  isResumed: boolean;
  /** What it printed, to find the reason. */
  text: string;
}

/** A prompt that takes two calls of the tool, and a second prompt in a new process that resumes the conversation. */
export async function converse(agent: Agent, { upstream, url, limitMs }: Endpoint): Promise<Conversation> {
  upstream.plan((seen) => answers(agent, seen));
  const before = upstream.requests.length;
  const place = newPlace(agent, url);
  try {
    const first = await start(agent, place, "Add the numbers.", limitMs()).ended;
    const asked = upstream.requests.length;
    const resumed = await start(agent, place, "And once more?", limitMs(), true).ended;
    const later = upstream.requests.slice(asked);
    return {
      calls: upstream.requests.slice(before, asked).filter((seen) => isOfConversation(agent, seen)).length,
      hasEnded: first.text.includes(END),
      isResumed: resumed.text.includes(END) && later.some(({ body }) => body.includes(LAST_RESULT)),
      text: `${first.text}\n${resumed.text}`,
    };
  } finally {
    removePlace(place);
  }
}

/** Waits for something to hold; false once the time is over. */
export async function until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > endMs) return false;
    await setTimeoutPromise(50);
  }
  return true;
}

/** Interrupts an agent in the middle of an answer; true once the upstream has seen that, in time. */
export async function interrupt(agent: Agent, { upstream, url, limitMs }: Endpoint): Promise<boolean> {
  upstream.plan({ text: "word ".repeat(600), chunks: 600, chunkDelayMs: 100 });
  const before = upstream.requests.length;
  const place = newPlace(agent, url);
  const runMs = limitMs();
  const { child, ended } = start(agent, place, "Tell me a story.", runMs);
  const asked = (): SeenRequest | undefined =>
    upstream.requests.slice(before).find((seen) => isOfConversation(agent, seen));
  const hasGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    if (!(await until(() => asked() !== undefined || hasGone(), runMs)) || hasGone()) return false;
    signalGroup(child, "SIGINT");
    if (!(await until(hasGone, INTERRUPTED_MS))) signalGroup(child, "SIGKILL");
    return await until(() => asked()?.wasAborted === true, INTERRUPTED_MS);
  } finally {
    signalGroup(child, "SIGKILL");
    await ended;
    removePlace(place);
  }
}

export interface Refused {
  /** How often the agent asks, its own calls for titles and the like left out. */
  tries: number;
  /** What it printed. */
  text: string;
}

/** A prompt that the upstream refuses. */
export async function refuse(agent: Agent, { upstream, url, limitMs }: Endpoint): Promise<Refused> {
  upstream.plan({ status: 400, error: { message: REFUSAL, type: "invalid_request_error" } });
  const before = upstream.requests.length;
  const place = newPlace(agent, url);
  try {
    const { text } = await start(agent, place, "Add the numbers.", limitMs()).ended;
    const seen = upstream.requests.slice(before);
    return { tries: seen.filter((each) => isOfConversation(agent, each)).length, text };
  } finally {
    removePlace(place);
  }
}

/** Runs `act` with a relay whose one channel has an upstream of this type. */
export async function throughRelay<T>(
  agent: Agent,
  type: number,
  limitMs: () => number,
  act: (endpoint: Endpoint, relay: TestRelay) => Promise<T>,
): Promise<T> {
  const upstream = await startFakeUpstream({ validates: false });
  const world = newWorld();
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(agent.model, price);
  world.channels.push(newChannel({ type, baseUrl: upstream.url, models: new Set([agent.model]) }));
  const relay = await startTestRelay({ world });
  try {
    return await act({ upstream, url: relay.url, limitMs }, relay);
  } finally {
    await relay.close();
    await upstream.close();
  }
}

/** Runs `act` with the agent at its own vendor, without the relay: over HTTP, since the fake one has no socket. */
export async function atItsVendor<T>(
  { added: _socket, ...agent }: Agent,
  limitMs: () => number,
  act: (agent: Agent, endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  const upstream = await startFakeUpstream({ validates: false });
  try {
    return await act(agent, { upstream, url: upstream.url, limitMs });
  } finally {
    await upstream.close();
  }
}
