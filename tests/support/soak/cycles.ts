/** Streams that their clients abort in the middle, in every pair of formats by rotation; counted, and compared before and after. */
import { request } from "node:http";
import type { Plan } from "../../fake-upstream/plan.ts";
import { seededChance } from "../clients/calls.ts";
import { type ClientFormat, CLIENT_FORMATS } from "../clients/client-formats.ts";
import type { Footprint } from "../systems/measured-server.ts";
import { type SoakScene, startSoakScene } from "./scene.ts";
import { UPSTREAM_FORMATS } from "../clients/upstream-formats.ts";

const LANES = 48;
/** About what the longest of these streams have, so that few of them end before their client disconnects. */
const MOST_BYTES = 6_000;

const MAX_EXTRA_DESCRIPTORS = 10;
/** Resident memory after the run to that before it. */
const MAX_GROWTH = 1.1;

export interface SoakResult {
  cycles: number;
  before: Footprint;
  after: Footprint;
  /** Requests that reached the upstream during the whole run. */
  upstreamCount: number;
  /** Requests that the upstream has not been rid of at the end. */
  upstreamOpen: number;
  wrongValues: number;
}

/** Answers of varying length and pace; the same in each run. */
function plans(): () => Plan {
  const chance = seededChance(20_261_121);
  return () => {
    const words = 20 + chance(60);
    const usesReasoning = chance(4) === 0;
    return {
      text: "word ".repeat(words),
      chunks: 4 + chance(12),
      chunkDelayMs: chance(6),
      ...(usesReasoning ? { reasoning: "a thought " } : {}),
      ...(chance(3) === 0 ? { pieceBytes: 50 + chance(300) } : {}),
    };
  };
}

/** Opens a stream and aborts it after so many bytes, or reads to the end if it has fewer. Throws if the server refuses. */
function abortedStream(
  { url, key }: SoakScene,
  format: ClientFormat,
  model: string,
  afterBytes: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url + format.path(model, true), {
      method: "POST",
      agent: false,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    });
    call.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? resolve() : reject(error)));
    call.on("close", resolve);
    call.on("response", (answer) => {
      let seen = 0;
      if (answer.statusCode !== 200) reject(new Error(`the server answered ${answer.statusCode}`));
      answer.on("error", () => undefined); // our own leaving
      answer.on("data", (piece: Buffer) => {
        seen += piece.length;
        if (seen >= afterBytes) call.destroy();
      });
    });
    call.end(JSON.stringify(format.body(model, true, "a".repeat(400))));
  });
}

const CLIENTS = CLIENT_FORMATS.length;

/** Makes so many cycles, rotating through the sixteen pairs. */
async function makeCycles(scene: SoakScene, count: number, chance: (bound: number) => number): Promise<void> {
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < count) {
      const turn = started;
      started += 1;
      const format = CLIENT_FORMATS[turn % CLIENTS];
      const target = UPSTREAM_FORMATS[Math.floor(turn / CLIENTS) % UPSTREAM_FORMATS.length];
      if (format === undefined || target === undefined) throw new Error("there is no such pair");
      await abortedStream(scene, format, target.model, chance(MOST_BYTES));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** How often a run measures between its beginning and its end. */
const STEPS = 5;

/**
 * Runs `warmUp` cycles, measures, runs `cycles` more, and measures again; `tell` gets every measurement. The warm-up is for the code to
 * be compiled, the pools to be filled and the heap to find its size.
 */
export async function soak(
  cycles: number,
  warmUp: number,
  tell?: (done: number, seen: Footprint) => void,
): Promise<SoakResult> {
  const scene = await startSoakScene(plans());
  const chance = seededChance(5_000);
  const measured = async (done: number): Promise<Footprint> => {
    await scene.untilQuiet();
    const seen = await scene.measure();
    tell?.(done, seen);
    return seen;
  };
  try {
    await makeCycles(scene, warmUp, chance);
    const before = await measured(0);
    // Measurements between are not reported.
    const step = Math.ceil(cycles / (tell === undefined ? 1 : STEPS));
    let after = before;
    for (let done = 0; done < cycles; done += step) {
      const count = Math.min(step, cycles - done);
      await makeCycles(scene, count, chance);
      after = await measured(done + count);
    }
    const { count: upstreamCount, openCount: upstreamOpen } = scene.upstream;
    return { cycles, before, after, upstreamCount, upstreamOpen, ...(await scene.close()) };
  } catch (error) {
    await scene.close();
    throw error;
  }
}

/** What a run broke of its promises, one line each; empty where nothing. */
export function soakFaults({ before, after, upstreamOpen, wrongValues }: SoakResult): string[] {
  const faults: string[] = [];
  const more = after.descriptors - before.descriptors;
  if (more > MAX_EXTRA_DESCRIPTORS) faults.push(`${more} more descriptors are open`);
  const growth = after.residentBytes / before.residentBytes;
  if (growth > MAX_GROWTH) faults.push(`resident memory is ${growth.toFixed(2)} times what it was`);
  if (upstreamOpen > 0) faults.push(`${upstreamOpen} calls are open at the upstream`);
  if (wrongValues > 0) faults.push(`${wrongValues} values of the ledger are wrong`);
  return faults;
}
