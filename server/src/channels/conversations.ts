/** Which channel had a conversation last: so many in memory of each process, and told to the others by the cache where one is shared. */
import type { Cache } from "../cache/cache.ts";

/** Conversations in memory, of 200 bytes or so each. */
const KEPT = 20_000;

interface Entry {
  channelId: number;
  untilMs: number;
  /** When the others were told last; 0 for never. */
  sharedMs: number;
}

/** A conversation is shared again once this part of its time is over, so that one that goes on is not forgotten. */
const SHARED_AGAIN = 0.5;

export class Conversations {
  readonly #cache: Pick<Cache, "isShared" | "share" | "shared">;
  readonly #kept: number;
  /** The one used least lately is first. */
  readonly #entries = new Map<string, Entry>();

  constructor(cache: Pick<Cache, "isShared" | "share" | "shared">, kept = KEPT) {
    this.#cache = cache;
    this.#kept = kept;
  }

  /** Undefined where no channel is known: what this process does not know is asked of the others, where something is shared. */
  channelOf(key: string, nowMs: number): number | undefined | Promise<number | undefined> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && nowMs < entry.untilMs) return entry.channelId;
    return this.#cache.isShared ? this.#asked(key) : undefined;
  }

  async #asked(key: string): Promise<number | undefined> {
    const channelId = Number(await this.#cache.shared(`conversation:${key}`));
    return Number.isSafeInteger(channelId) && channelId > 0 ? channelId : undefined;
  }

  /** Notes who has the conversation now, for so many seconds. */
  note(key: string, channelId: number, seconds: number, nowMs: number): void {
    const before = this.#entries.get(key);
    const lifeMs = seconds * 1000;
    const isTold = before?.channelId === channelId && nowMs - before.sharedMs < lifeMs * SHARED_AGAIN;
    const isShared = this.#cache.isShared;
    const sharedMs = isShared && !isTold ? nowMs : (before?.sharedMs ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { channelId, untilMs: nowMs + lifeMs, sharedMs });
    if (this.#entries.size > this.#kept) this.#entries.delete(this.#entries.keys().next().value ?? key);
    if (isShared && !isTold) void this.#cache.share(`conversation:${key}`, String(channelId), seconds);
  }
}
