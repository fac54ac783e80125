/** A disk whose fsync takes 5 ms: how much later the first and the last chunk of a stream come through Turnpike. */
import type { Gateway } from "../gateways/gateway.ts";
import { clientLoad } from "../load/load.ts";
import { record, recordFailures, warm } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import { buildSlowDisk } from "../machine/slow-disk.ts";

const STREAMS_PER_SECOND = 100;
const PACE = { chunks: 10, paceMs: 10 };
export const FIRST_CHUNK = "time to the first chunk with a 5 ms fsync, p99";
export const LAST_CHUNK = "time to the last chunk with a 5 ms fsync, p99";

/** Runs the provider alone and Turnpike on the slow disk once a round. Throws when the slow disk was not in force. */
export async function measureFsync(session: Session): Promise<void> {
  const disk = buildSlowDisk(session.folder);
  const slow = await session.freshTurnpike("slow-disk", disk.environment);
  await session.provider.setPace(PACE);
  await warm(session, [session.direct, slow], load);
  for (let round = 1; round <= session.plan.rounds; round += 1) {
    const delayedBefore = disk.delayedCalls();
    for (const subject of [session.direct, slow]) {
      await load(subject, session.plan.rewarmSeconds);
      await measureOne(session, subject, round);
    }
    const delayed = disk.delayedCalls() - delayedBefore;
    if (delayed === 0) throw new Error("no fsync was delayed: the slow disk was not in force");
    record(session, {
      part: "fsync",
      subject: slow.name,
      round,
      what: "delayed fsync calls",
      value: delayed,
      unit: "calls",
    });
  }
  await slow.stop();
}

async function measureOne(session: Session, subject: Gateway, round: number): Promise<void> {
  const result = await load(subject, session.plan.seconds);
  const origin = { part: "fsync", subject: subject.name, round, unit: "ms" } as const;
  record(session, { ...origin, what: FIRST_CHUNK, value: result.first.p99 });
  record(session, { ...origin, what: LAST_CHUNK, value: result.last.p99 });
  recordFailures(session, `fsync, ${subject.name}, round ${round}`, result.failures);
}

function load(subject: Gateway, seconds: number): ReturnType<typeof clientLoad> {
  return clientLoad(subject, {
    calls: STREAMS_PER_SECOND * seconds,
    intervalMs: 1000 / STREAMS_PER_SECOND,
    stream: true,
  });
}
