/** Plays a program's first calls through a transport and reports each result, in browser and command alike. Pure but for its parameters. */
import { callsOf, type Patient, type SentCall, socketUrl } from "./calls.ts";
import { type Heard, observe, type Observation, type Silence, silent } from "./observation.ts";
import { type Finding, findingOf, isEnd } from "./rules.ts";

export interface Transport {
  /** Sends a call and reads its whole answer; a redirect is not followed. */
  send: (call: SentCall) => Promise<Heard | { silence: Silence; ms: number }>;
  /** Status of a handshake, 101 where it was taken, 0 where it failed unheard; absent where this place cannot open one. */
  openSocket?: (url: string, key: string) => Promise<{ status: number; ms: number }>;
  /** Unix milliseconds. */
  nowMs: () => number;
}

export interface Result {
  observation: Observation;
  finding: Finding;
}

async function observed(call: SentCall, patient: Patient, transport: Transport): Promise<Observation> {
  const about = { step: call.step, url: call.url, family: patient.family };
  const heard = await transport.send(call);
  return "silence" in heard ? silent(about, heard.silence, heard.ms) : observe(about, heard, transport.nowMs());
}

async function socketObserved(url: string, patient: Patient, open: NonNullable<Transport["openSocket"]>) {
  const { status, ms } = await open(url, patient.key);
  return { ...silent({ step: "socket", url, family: patient.family }, "unreachable", ms), status };
}

/**
 * Plays the calls one after the other, until one shows what all that follow would.
 * @param onResult called with each as it is known
 */
export async function examine(
  patient: Patient,
  transport: Transport,
  onResult: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = [];
  const note = (observation: Observation): boolean => {
    const result = { observation, finding: findingOf(observation, patient.model) };
    results.push(result);
    onResult(result);
    return isEnd(result.finding, observation);
  };
  for (const call of callsOf(patient)) if (note(await observed(call, patient, transport))) return results;
  const url = socketUrl(patient);
  if (url !== undefined && transport.openSocket !== undefined)
    note(await socketObserved(url, patient, transport.openSocket));
  return results;
}
