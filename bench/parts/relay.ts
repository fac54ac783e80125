/** CPU of the gateway per call without streaming, at 64 and 256 connections: nginx, Portkey and Turnpike in alternation. */
import type { Gateway } from "../gateways/gateway.ts";
import { readCpu } from "../machine/measure.ts";
import { record, recordFailures, rotated, warm } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import { wrkLoad } from "../load/wrk.ts";

/** Runs every subject at every number of connections, once a round. */
export async function measureRelay(session: Session): Promise<void> {
  const subjects = [await session.nginx(), await session.portkey(), await session.turnpike()];
  const load = (subject: Gateway, seconds: number) => wrkLoad(subject, 64, seconds, session.folder);
  await warm(session, subjects, load);
  for (let round = 1; round <= session.plan.rounds; round += 1) {
    for (const subject of rotated(subjects, round)) {
      await load(subject, session.plan.rewarmSeconds);
      for (const connections of session.plan.connections) await measureOne(session, subject, connections, round);
    }
  }
}

async function measureOne(session: Session, subject: Gateway, connections: number, round: number): Promise<void> {
  const before = readCpu(subject.processId);
  const result = await wrkLoad(subject, connections, session.plan.seconds, session.folder);
  const cpu = readCpu(subject.processId).cpuMicroseconds - before.cpuMicroseconds;
  const origin = { part: "relay", subject: subject.name, round } as const;
  record(session, { ...origin, what: cpuPerCall(connections), value: cpu / result.calls, unit: "µs" });
  record(session, {
    ...origin,
    what: `calls a second, ${connections} connections`,
    value: result.callsPerSecond,
    unit: "calls/s",
  });
  recordFailures(session, `relay, ${subject.name}, ${connections} connections, round ${round}`, result.failures);
}

/** The name of this part's main measurement. */
export function cpuPerCall(connections: number): string {
  return `CPU per call, ${connections} connections`;
}
