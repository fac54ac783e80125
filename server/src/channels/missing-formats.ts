/** Which wire formats a channel was seen not to serve; in memory of each process, forgotten after an hour and when the channel is edited. */

/** Ours: a server that was updated to serve the format is asked again after this. */
const MEMORY_MS = 3_600_000;

export class MissingFormats {
  /** By the channel as it is in the snapshot: an edited one is another object. */
  readonly #channels = new WeakMap<object, Map<string, number>>();
  /** False until something was seen, which spares the hot path its questions. */
  hasRecords = false;

  /** `format` is a name, or a name and a model where only that model lacks it. `nowMs` counts from any fixed moment. */
  note(channel: object, format: string, nowMs: number): void {
    this.hasRecords = true;
    let formats = this.#channels.get(channel);
    if (formats === undefined) this.#channels.set(channel, (formats = new Map()));
    formats.set(format, nowMs + MEMORY_MS);
  }

  isMissing(channel: object, format: string, nowMs: number): boolean {
    return nowMs < (this.#channels.get(channel)?.get(format) ?? 0);
  }
}
