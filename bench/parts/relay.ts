/** CPU of the gateway per call without streaming, at 64 and 256 connections and with a long prompt: nginx, Portkey and Turnpike in alternation. */
import type { Gateway } from "../gateways/gateway.ts";
import { readCpu } from "../machine/measure.ts";
import { record, recordFailures, rotated, warm } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import { wrkLoad } from "../load/wrk.ts";

/** As much as a coding agent sends after some turns. */
const LONG_PROMPT_BYTES = 100_000;
const LONG_PROMPT_CONNECTIONS = 16;

/** Runs every subject at every number of connections, and with the long prompt, once a round. */
export async function measureRelay(session: Session): Promise<void> {
  const subjects = [await session.nginx(), await session.portkey(), await session.turnpike()];
  const load = (subject: Gateway, seconds: number) => wrkLoad(subject, 64, seconds, session.folder);
  await warm(session, subjects, load);
  for (let round = 1; round <= session.plan.rounds; round += 1) {
    for (const subject of rotated(subjects, round)) {
      await load(subject, session.plan.rewarmSeconds);
      for (const connections of session.plan.connections)
        await measureOne(session, subject, round, { connections, promptBytes: 0 });
      await measureOne(session, subject, round, {
        connections: LONG_PROMPT_CONNECTIONS,
        promptBytes: LONG_PROMPT_BYTES,
      });
    }
  }
}

/** How many clients call at a time, and how long their prompts are. */
interface Calls {
  readonly connections: number;
  readonly promptBytes: number;
}

async function measureOne(session: Session, subject: Gateway, round: number, calls: Calls): Promise<void> {
  const { connections, promptBytes } = calls;
  const before = readCpu(subject.processId);
  const result = await wrkLoad(subject, connections, session.plan.seconds, session.folder, promptBytes);
  const cpu = readCpu(subject.processId).cpuMicroseconds - before.cpuMicroseconds;
  const origin = { part: "relay", subject: subject.name, round } as const;
  const form = promptBytes === 0 ? `${connections} connections` : LONG_PROMPT;
  record(session, { ...origin, what: `CPU per call, ${form}`, value: cpu / result.calls, unit: "µs" });
  record(session, { ...origin, what: `calls a second, ${form}`, value: result.callsPerSecond, unit: "calls/s" });
  recordFailures(session, `relay, ${subject.name}, ${form}, round ${round}`, result.failures);
}

const LONG_PROMPT = `a prompt of ${LONG_PROMPT_BYTES / 1000} kB`;

/** The name of this part's main measurement. */
export const cpuPerCall = (connections: number): string => `CPU per call, ${connections} connections`;

export const CPU_LONG_PROMPT = `CPU per call, ${LONG_PROMPT}`;
