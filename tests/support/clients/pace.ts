/** Synchronises an upstream in one process with its client, so that a test knows what was delivered when something happens. */
import { CLIENT_FORMATS, eventsIn, wordsIn } from "./client-formats.ts";

/**
 * Lets the upstream send a piece only when the client has the one before, as tokens come more slowly than they travel: on a machine
 * that is busy two pieces would be under way at the moment of disconnecting, and it would be unknown which of them was delivered.
 */
export class Pace {
  #sent = 0;
  #received = 0;
  #wake: (() => void) | undefined;

  /** For the upstream: waits until everything it sent has come, for ever where the client left before. */
  readonly beforeFrame = async (frame: string): Promise<void> => {
    while (this.#received < this.#sent) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#sent += wordsOfFrame(frame);
  };

  /** For the client: `received` characters have come. */
  came(received: number): void {
    this.#received = received;
    this.#wake?.();
  }
}

/** Characters of the answer in a frame of any vendor. */
const wordsOfFrame = (frame: string): number =>
  Math.max(...CLIENT_FORMATS.map((format) => wordsIn(format, eventsIn(frame)).length));
