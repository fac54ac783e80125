/** The doctor in this browser, loaded with its first run: the calls, the rules, and a transport over the page's own fetch. */
import type { Patient } from "../../../../../contract/src/doctor/calls.ts";
import { examine, type Result } from "../../../../../contract/src/doctor/examine.ts";
import { httpTransport } from "../../../../../contract/src/doctor/http-transport.ts";

// Without handshakes of sockets: a browser cannot put the key into their head.
const transport = httpTransport((url, init) => fetch(url, init), {
  nowMs: Date.now,
  tickMs: () => performance.now(),
});

/** Plays the calls of a program's family from this page. @param onResult called with each as it is known */
export const examineHere = (patient: Patient, onResult: (result: Result) => void): Promise<Result[]> =>
  examine(patient, transport, onResult);
