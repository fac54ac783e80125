/** The retry budget of a call: as many channels as option RetryTimes says, and of a channel each key that may answer. Tries are counted here alone. */
import type { KeyChoice } from "../../channels/key-choice.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { RelayContext } from "../call/context.ts";
import type { Trace } from "../call/trace.ts";

interface CountedCall {
  readonly context: Pick<RelayContext, "snapshot" | "keyChoice">;
  readonly trace: Pick<Trace, "tried">;
}

export class RetryBudget {
  readonly #trace: Pick<Trace, "tried">;
  readonly #keyChoice: KeyChoice;
  readonly #retries: number;
  #uncountedTries = 0;
  #triedKeys: Set<number> | undefined = undefined;
  #isKeyFault = false;

  /** By the options of this moment. */
  constructor({ context, trace }: CountedCall) {
    this.#trace = trace;
    this.#keyChoice = context.keyChoice;
    this.#retries = context.snapshot.options.RetryTimes;
  }

  /** Keys that were tried, of channels with several; undefined before the first. */
  get triedKeys(): ReadonlySet<number> | undefined {
    return this.#triedKeys;
  }

  /** A try begins with this key of a channel that has several. */
  keyTaken(keyId: number): void {
    (this.#triedKeys ??= new Set()).add(keyId);
  }

  /** The last try failed for the sake of its key alone, so that another key of the channel may answer. */
  keyFailed(): void {
    this.#isKeyFault = true;
  }

  /** The last try was none of its channel: it only found that it lacks a format, or that a token of ours has ended. */
  uncount(): void {
    this.#uncountedTries += 1;
  }

  /** True where the channel is to be tried again with another of its keys: a refused key is no try of its channel. */
  takesAnotherKey({ keys }: SnapshotChannel): boolean {
    const isKeyFault = this.#isKeyFault;
    this.#isKeyFault = false;
    if (!isKeyFault || keys === undefined || this.#triedKeys === undefined) return false;
    if (!this.#keyChoice.hasReady(keys, this.#triedKeys, performance.now())) return false;
    this.uncount();
    return true;
  }

  /** True once no further channel may be tried. Channels whose formats could not express the request were not tried. */
  get isSpent(): boolean {
    return this.#trace.tried.length - this.#uncountedTries > this.#retries;
  }
}
