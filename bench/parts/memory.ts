/** Resident memory of a fresh Turnpike: idle after its start, and for each of 500 open streams. */
import { setTimeout as delay } from "node:timers/promises";
import { readResidentBytes } from "../machine/measure.ts";
import { record, recordFailures } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import { STREAMS, streamLoad } from "./streams.ts";

const SAMPLE_INTERVAL_MS = 100;
/** Enough calls to have compiled and loaded what a call needs, which is no cost of a single stream. */
const WARM_STREAMS = 20;
export const IDLE_MEMORY = "resident memory, idle";
export const STREAM_MEMORY = "resident memory per open stream, highest seen with 500";

/** Starts a fresh process a round. */
export async function measureMemory(session: Session): Promise<void> {
  for (let round = 1; round <= session.plan.rounds; round += 1) await measureOne(session, round);
}

async function measureOne(session: Session, round: number): Promise<void> {
  const subject = await session.freshTurnpike(`memory-${round}`);
  await delay(session.plan.idleSeconds * 1000);
  const origin = { part: "memory", subject: subject.name, round } as const;
  record(session, { ...origin, what: IDLE_MEMORY, value: readResidentBytes(subject.processId) / 1e6, unit: "MB" });
  await streamLoad(session, subject, WARM_STREAMS, 1);
  const before = readResidentBytes(subject.processId);
  const { highest, failures } = await highestWhile(
    subject.processId,
    streamLoad(session, subject, STREAMS, session.plan.seconds),
  );
  record(session, { ...origin, what: STREAM_MEMORY, value: (highest - before) / STREAMS / 1024, unit: "kB" });
  recordFailures(session, `memory, round ${round}`, failures);
  await subject.stop();
}

async function highestWhile(
  processId: number,
  load: ReturnType<typeof streamLoad>,
): Promise<{ highest: number; failures: number }> {
  let highest = 0;
  const timer = setInterval(() => {
    highest = Math.max(highest, readResidentBytes(processId));
  }, SAMPLE_INTERVAL_MS);
  try {
    const { failures } = await load;
    return { highest, failures };
  } finally {
    clearInterval(timer);
  }
}
