/** CPU of servers under the same load in turns of seconds: the machine changes by the second, and so do all subjects of a round. */
import type { Gateway } from "../gateways/gateway.ts";
import { wrkLoad } from "../load/wrk.ts";
import { readFineCpu } from "../machine/measure.ts";

const CONNECTIONS = 64;

/** A load on a subject: what it counted, and how much of it failed. */
type Load = () => Promise<{ count: number; failures: number }>;

/** The subjects of a round; every other round begins with the last one. */
export const inTurn = <T>(subjects: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? subjects : subjects.toReversed();

/** Calls without streaming over 64 connections, for so long. */
export const callsFor =
  (subject: Gateway, seconds: number, folder: string): Load =>
  async () => {
    const { calls: count, failures } = await wrkLoad(subject, CONNECTIONS, seconds, folder);
    return { count, failures };
  };

/** CPU of the subject for each thing that the load counts, in microseconds. Throws where one failed. */
export async function cpuOfEach(subject: Gateway, load: Load): Promise<number> {
  const before = readFineCpu(subject.processId);
  const { count, failures } = await load();
  if (failures > 0) throw new Error(`${failures} calls of ${subject.name} failed`);
  return (readFineCpu(subject.processId) - before) / count;
}
