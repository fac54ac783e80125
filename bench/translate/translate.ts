/**
 * `npm run bench -- translate [--quick]`: the cost of translating streams, beside streams that pass through and beside the provider alone, at 200
 * and 1,000 open streams. Prints the numbers and writes them into docs/benchmarks.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MODEL } from "../provider/answers.ts";
import { type BenchmarkChannel, type Turnpike, plainChannel, startTurnpike } from "../gateways/turnpike.ts";
import { readFineCpu } from "../machine/measure.ts";
import type { Sample, Unit } from "../run/sample.ts";
import { withSection } from "../run/sections.ts";
import { rotated } from "../run/session.ts";
import { quantile } from "../run/statistics.ts";
import { type Client, type StreamShape, type Upstream, startClient, startUpstream } from "./processes.ts";
import {
  type Pair,
  type Subject,
  HEADING,
  LEVELS,
  MAIN_PAIR,
  PAIRS,
  addedTable,
  cpuPerEvent,
  eventDelay,
  firstChunk,
  section,
  translateTargets,
} from "./report.ts";
import { CHAT_ONLY_MODEL, type ClientFormat, MESSAGES_MODEL } from "./wire.ts";

const ROUNDS = 3;
/** In each round and at each level the subjects stream alternately, so many times. */
const TURNS = 3;
const TURN_MS = 1_000;
/** Time for tokens in flight when a measurement ends. */
const DRAIN_MS = 100;
const OPEN_INTERVAL_MS = 4;
const SINGLE: StreamShape = { paceMs: 100, eventsPerWrite: 1 };
const BURST: StreamShape = { paceMs: 200, eventsPerWrite: 8 };
/** Enough events to have compiled what an event needs. */
const WARM: StreamShape = { paceMs: 20, eventsPerWrite: 1 };
const WARM_STREAMS = 100;
const WARM_MS = 2_000;

/** What is called, and how, for each of the translated pairs. */
const CALLS: Readonly<Record<Pair, { format: ClientFormat; model: string; shape: StreamShape }>> = {
  "Anthropic client, OpenAI upstream": { format: "messages", model: MODEL, shape: SINGLE },
  "Anthropic client, OpenAI upstream, 8 events in each write": { format: "messages", model: MODEL, shape: BURST },
  "Responses client, OpenAI upstream": { format: "responses", model: CHAT_ONLY_MODEL, shape: SINGLE },
  "Gemini client, OpenAI upstream": { format: "gemini", model: MODEL, shape: SINGLE },
  "OpenAI client, Anthropic upstream": { format: "chat", model: MESSAGES_MODEL, shape: SINGLE },
};

/** One subject with a provider of its own, and a gateway of its own unless it is called directly. */
interface Lane {
  readonly subject: Subject;
  readonly upstream: Upstream;
  readonly port: number;
  readonly turnpike: Turnpike | undefined;
}

/** What one lane streams during a round. */
interface Load {
  readonly lane: Lane;
  readonly client: Client;
  readonly format: ClientFormat;
  readonly model: string;
  /** Tokens that the provider had sent before. */
  readonly sentBefore: number;
}

const channels = (port: number): BenchmarkChannel[] => [
  plainChannel(port),
  { type: 8, baseUrl: `http://127.0.0.1:${port}/v1/chat/completions`, model: CHAT_ONLY_MODEL },
  { type: 14, baseUrl: `http://127.0.0.1:${port}`, model: MESSAGES_MODEL },
];

async function startLane(subject: Subject, folder: string): Promise<Lane> {
  const { port, upstream } = await startUpstream();
  if (subject === "direct") return { subject, upstream, port, turnpike: undefined };
  const turnpike = await startTurnpike(port, join(folder, subject), {}, [], channels(port));
  return { subject, upstream, port, turnpike };
}

class TranslateBench {
  readonly samples: Sample[] = [];
  readonly failures: string[] = [];

  async #startLoad(lane: Lane, pair: Pair, shape: StreamShape): Promise<Load> {
    const { format, model } = lane.subject === "translated" ? CALLS[pair] : { format: "chat" as const, model: MODEL };
    return { lane, client: startClient(), format, model, sentBefore: await lane.upstream.ask(shape) };
  }

  async #open({ lane, client, format, model }: Load, streams: number): Promise<number[]> {
    const { port, headers } = lane.turnpike ?? { port: lane.port, headers: {} };
    await lane.upstream.ask("go");
    const call = { port, headers, format, model, streams, intervalMs: OPEN_INTERVAL_MS };
    const { milliseconds } = await client.ask(call);
    await lane.upstream.ask("pause");
    return milliseconds;
  }

  /** Streams for a while; CPU microseconds of the gateway for each event, and the delays of the events in milliseconds. */
  async #turn({ lane, client }: Load, milliseconds: number): Promise<{ cpu: number; delays: number[] }> {
    const { turnpike, upstream } = lane;
    const cpuSoFar = (): number => (turnpike === undefined ? Number.NaN : readFineCpu(turnpike.processId));
    await client.ask("delays");
    const [cpuBefore, sentBefore] = [cpuSoFar(), await upstream.ask("go")];
    await delay(milliseconds);
    const sent = await upstream.ask("pause");
    await delay(DRAIN_MS);
    const cpu = (cpuSoFar() - cpuBefore) / (sent - sentBefore);
    return { cpu, delays: (await client.ask("delays")).milliseconds };
  }

  /** Ends the streams; everything that was sent must have come, and every stream must have ended well. */
  async #finish({ lane, client, sentBefore }: Load): Promise<void> {
    const sent = (await lane.upstream.ask("finish")) - sentBefore;
    const { words, failures } = await client.ask("close");
    await client.stop();
    if (failures > 0) this.#fail(`${lane.subject}: ${failures} streams failed`);
    else if (words !== sent) this.#fail(`${lane.subject}: ${words} of ${sent} events arrived`);
  }

  /** Streams enough to have compiled what an event needs; no numbers. */
  async warm(lane: Lane, pair: Pair): Promise<void> {
    const load = await this.#startLoad(lane, pair, WARM);
    await this.#open(load, WARM_STREAMS);
    await this.#turn(load, WARM_MS);
    await this.#finish(load);
  }

  /** One round: at each level all lanes open what is missing and then stream alternately. */
  async round(lanes: readonly Lane[], pair: Pair, levels: readonly number[], round: number): Promise<void> {
    const loads: Load[] = [];
    for (const lane of rotated(lanes, round)) loads.push(await this.#startLoad(lane, pair, CALLS[pair].shape));
    let open = 0;
    for (const streams of levels) {
      for (const load of loads) {
        const firsts = await this.#open(load, streams - open);
        for (const share of [50, 99] as const)
          this.#record(load, round, firstChunk(pair, streams, share), quantile(firsts, share / 100), "ms");
      }
      for (let turn = 1; turn <= TURNS; turn += 1) await this.#turns(loads, pair, streams, round, turn);
      open = streams;
    }
    for (const load of loads) await this.#finish(load);
  }

  async #turns(loads: readonly Load[], pair: Pair, streams: number, round: number, turn: number): Promise<void> {
    for (const load of rotated(loads, turn)) {
      const { cpu, delays } = await this.#turn(load, TURN_MS);
      const number = (round - 1) * TURNS + turn;
      if (!Number.isNaN(cpu)) this.#record(load, number, cpuPerEvent(pair, streams), cpu, "µs");
      this.#record(load, number, eventDelay(pair, streams), quantile(delays, 0.99), "ms");
    }
  }

  #record({ lane: { subject } }: Load, round: number, what: string, value: number, unit: Unit): void {
    this.samples.push({ part: "translate", what, subject, round, value, unit });
    process.stdout.write(
      `  ${String(round).padStart(2)}  ${subject.padEnd(12)} ${what}: ${value.toFixed(2)} ${unit}\n`,
    );
  }

  #fail(line: string): void {
    this.failures.push(line);
    process.stdout.write(`  FAILED  ${line}\n`);
  }

  /** Stops a lane's processes and looks at its ledger. */
  async close({ subject, upstream, turnpike }: Lane): Promise<void> {
    await turnpike?.stop();
    if (turnpike?.books().balanced === false) this.#fail(`the ledger of the ${subject} Turnpike does not balance`);
    await upstream.stop();
  }
}

async function measureAll(bench: TranslateBench, folder: string, rounds: number): Promise<void> {
  const direct = await startLane("direct", folder);
  const pass = await startLane("pass-through", folder);
  const translated = await startLane("translated", folder);
  await bench.warm(pass, MAIN_PAIR);
  for (const pair of PAIRS) {
    await bench.warm(translated, pair);
    const isMain = pair === MAIN_PAIR;
    const lanes = isMain ? [direct, pass, translated] : [pass, translated];
    const levels = isMain ? LEVELS : LEVELS.slice(0, 1);
    for (let round = 1; round <= (isMain ? rounds : 1); round += 1) await bench.round(lanes, pair, levels, round);
  }
  for (const lane of [direct, pass, translated]) await bench.close(lane);
}

/** Measures, prints, and writes the section unless `--quick` asks for one round; false where streams failed. `lines` say where and when. */
export async function measureTranslate(
  folder: string,
  args: readonly string[],
  lines: readonly string[],
  document: URL,
): Promise<boolean> {
  const isQuick = args.includes("--quick");
  const bench = new TranslateBench();
  await measureAll(bench, folder, isQuick ? 1 : ROUNDS);
  const { samples, failures } = bench;
  process.stdout.write(`\n${translateTargets(samples)}\n\n${addedTable(samples)}\n`);
  if (!isQuick) {
    const text = section(samples, lines, failures);
    writeFileSync(document, withSection(readFileSync(document, "utf8"), HEADING, text));
  }
  return failures.length === 0;
}
