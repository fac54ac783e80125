/** 100 and 500 streams of 20 chunks a second: CPU of the gateway per relayed chunk, and how late the chunks come. */
import type { Gateway } from "../gateways/gateway.ts";
import { clientLoad } from "../load/load.ts";
import type { LoadResult } from "../load/load.ts";
import { readCpu } from "../machine/measure.ts";
import { record, recordFailures, rotated, warm } from "../run/session.ts";
import type { Session } from "../run/session.ts";

export const STREAMS = 500;
/** Where chunks come one by one: a gateway reads, and writes, less at a time than of 500. */
const FEW_STREAMS = 100;
const WARM_STREAMS = 100;
const PACE_MS = 50;
const CHUNKS_PER_SECOND = 1000 / PACE_MS;
/** The streams begin one after the other within a second, as callers do, and not all in the same instant. */
const RAMP_MS = 1_000;

const cpuPerChunk = (streams: number): string => `CPU per relayed chunk, ${streams} streams`;
const chunkDelay = (streams: number): string =>
  `delay of a chunk, ${streams} streams x ${CHUNKS_PER_SECOND} chunks/s, p99`;
export const CPU_PER_CHUNK = cpuPerChunk(STREAMS);
export const CPU_PER_CHUNK_OF_FEW = cpuPerChunk(FEW_STREAMS);
export const CHUNK_DELAY = chunkDelay(STREAMS);

/** Runs the provider alone, nginx and Turnpike once a round. */
export async function measureStreams(session: Session): Promise<void> {
  const subjects = [session.direct, await session.nginx(), await session.turnpike()];
  const load = (subject: Gateway, seconds: number) => streamLoad(session, subject, WARM_STREAMS, seconds);
  await warm(session, subjects, load);
  for (let round = 1; round <= session.plan.rounds; round += 1) {
    for (const subject of rotated(subjects, round)) {
      await load(subject, session.plan.rewarmSeconds);
      for (const streams of [FEW_STREAMS, STREAMS]) await measureOne(session, subject, streams, round);
    }
  }
}

async function measureOne(session: Session, subject: Gateway, streams: number, round: number): Promise<void> {
  const before = readCpu(subject.processId);
  const result = await streamLoad(session, subject, streams, session.plan.seconds);
  const cpu = readCpu(subject.processId).cpuMicroseconds - before.cpuMicroseconds;
  const origin = { part: "streams", subject: subject.name, round } as const;
  if (subject.name !== "direct")
    record(session, { ...origin, what: cpuPerChunk(streams), value: cpu / result.chunks, unit: "µs" });
  record(session, { ...origin, what: chunkDelay(streams), value: result.chunkDelay.p99, unit: "ms" });
  record(session, { ...origin, what: `chunks received, ${streams} streams`, value: result.chunks, unit: "chunks" });
  recordFailures(session, `streams, ${subject.name}, ${streams} streams, round ${round}`, result.failures);
}

/** Runs a number of streams of some seconds each; throws when a chunk was lost on the way although every stream ended well. */
export async function streamLoad(
  session: Pick<Session, "provider">,
  subject: Gateway,
  streams: number,
  seconds: number,
): Promise<LoadResult> {
  const chunks = CHUNKS_PER_SECOND * seconds;
  await session.provider.setPace({ chunks, paceMs: PACE_MS });
  const result = await clientLoad(subject, { calls: streams, intervalMs: RAMP_MS / streams, stream: true });
  if (result.failures === 0 && result.chunks !== streams * chunks) {
    throw new Error(`${subject.name} delivered ${result.chunks} of ${streams * chunks} chunks`);
  }
  return result;
}
