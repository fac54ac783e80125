/** Latency that a gateway adds to a call at 200 calls a second, started on schedule regardless of the answers. */
import { join } from "node:path";
import type { Gateway } from "../gateways/gateway.ts";
import { clientLoad } from "../load/load.ts";
import { medianFdatasyncMs } from "../machine/disk.ts";
import { record, recordFailures, rotated, warm } from "../run/session.ts";
import type { Session } from "../run/session.ts";

const CALLS_PER_SECOND = 200;
export const CALL_P50 = "time of a call at 200 calls/s, p50";
export const FDATASYNC = "one write of 4 KiB with fdatasync, p50";
export const CALL_P99 = "time of a call at 200 calls/s, p99";

/** Runs the provider alone, nginx and Turnpike once a round. */
export async function measureLatency(session: Session): Promise<void> {
  const subjects = [session.direct, await session.nginx(), await session.turnpike()];
  await warm(session, subjects, load);
  for (let round = 1; round <= session.plan.rounds; round += 1) {
    const disk = medianFdatasyncMs(join(session.folder, "turnpike"));
    record(session, { part: "latency", subject: "disk", round, what: FDATASYNC, value: disk, unit: "ms" });
    for (const subject of rotated(subjects, round)) {
      await load(subject, session.plan.rewarmSeconds);
      await measureOne(session, subject, round);
    }
  }
}

async function measureOne(session: Session, subject: Gateway, round: number): Promise<void> {
  const result = await load(subject, session.plan.seconds);
  const origin = { part: "latency", subject: subject.name, round, unit: "ms" } as const;
  record(session, { ...origin, what: CALL_P50, value: result.last.p50 });
  record(session, { ...origin, what: CALL_P99, value: result.last.p99 });
  recordFailures(session, `latency, ${subject.name}, round ${round}`, result.failures);
}

function load(subject: Gateway, seconds: number): ReturnType<typeof clientLoad> {
  return clientLoad(subject, { calls: CALLS_PER_SECOND * seconds, intervalMs: 1000 / CALLS_PER_SECOND, stream: false });
}
