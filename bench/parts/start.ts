/** CPU of a call in the first 4 s and the first 20 s after a start, while the code is still being compiled, beside nginx that is warm. */
import type { Gateway } from "../gateways/gateway.ts";
import { wrkLoad } from "../load/wrk.ts";
import { readCpu } from "../machine/measure.ts";
import { record, recordFailures } from "../run/session.ts";
import type { Session } from "../run/session.ts";

const CONNECTIONS = 64;
const FIRST = 4;
const WHOLE = 20;
const cpuOfFirst = (seconds: number): string => `CPU per call in the first ${seconds} s, ${CONNECTIONS} connections`;
export const FIRST_SECONDS = cpuOfFirst(FIRST);
export const FIRST_TWENTY_SECONDS = cpuOfFirst(WHOLE);

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
  let calls = 0;
  for (const [untilSecond, seconds] of [
    [FIRST, FIRST],
    [WHOLE, WHOLE - FIRST],
  ] as const) {
    const result = await wrkLoad(subject, CONNECTIONS, seconds, session.folder);
    calls += result.calls;
    const cpu = readCpu(subject.processId).cpuMicroseconds - before.cpuMicroseconds;
    const origin = { part: "start", subject: subject.name, round } as const;
    record(session, { ...origin, what: cpuOfFirst(untilSecond), value: cpu / calls, unit: "µs" });
    recordFailures(session, `start, ${subject.name}, round ${round}`, result.failures);
  }
}
