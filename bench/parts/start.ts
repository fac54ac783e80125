/** CPU of a call in the first 4 s after a start, while the code is still being compiled, beside nginx that is warm. */
import type { Gateway } from "../gateways/gateway.ts";
import { wrkLoad } from "../load/wrk.ts";
import { readCpu } from "../machine/measure.ts";
import { record, recordFailures } from "../run/session.ts";
import type { Session } from "../run/session.ts";

const CONNECTIONS = 64;
const SECONDS = 4;
export const FIRST_SECONDS = "CPU per call in the first 4 s, 64 connections";

/** Starts a fresh process a round. */
export async function measureStart(session: Session): Promise<void> {
  const nginx = await session.nginx();
  await wrkLoad(nginx, CONNECTIONS, session.plan.rewarmSeconds, session.folder);
  for (let round = 1; round <= session.plan.rounds; round += 1) {
    await measureOne(session, nginx, round);
    const fresh = await session.freshTurnpike(`start-${round}`);
    await measureOne(session, fresh, round);
    await fresh.stop();
  }
}

async function measureOne(session: Session, subject: Gateway, round: number): Promise<void> {
  const before = readCpu(subject.processId);
  const { calls, failures } = await wrkLoad(subject, CONNECTIONS, SECONDS, session.folder);
  const cpu = readCpu(subject.processId).cpuMicroseconds - before.cpuMicroseconds;
  record(session, {
    part: "start",
    subject: subject.name,
    round,
    what: FIRST_SECONDS,
    value: cpu / calls,
    unit: "µs",
  });
  recordFailures(session, `start, ${subject.name}, round ${round}`, failures);
}
