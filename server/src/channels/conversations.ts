/** The channel and key that each conversation used last: a bounded number in memory of each process, shared by the cache if there is one. */
import type { Cache } from "../cache/cache.ts";
import { LruMap } from "../util/lru.ts";

/** Conversations in memory, of 200 bytes or so each. */
const KEPT = 20_000;

export interface Holder {
  channelId: number;
  /** 0 where the channel has one key only. */
  keyId: number;
}

interface Entry extends Holder {
  untilMs: number;
  /** When it was shared last; 0 for never. */
  sharedMs: number;
}

/** A conversation is shared again once this part of its time is over, so that an active one is not forgotten. */
const SHARED_AGAIN = 0.5;

const textOf = ({ channelId, keyId }: Holder): string => (keyId === 0 ? `${channelId}` : `${channelId} ${keyId}`);

/** Undefined for what no process of this version writes. */
function holderIn(text: string | undefined): Holder | undefined {
  const [channelId = Number.NaN, keyId = 0, ...more] = (text ?? "").split(" ").map(Number);
  const isRight = [channelId, keyId].every(Number.isSafeInteger) && channelId > 0 && keyId >= 0 && more.length === 0;
  return isRight ? { channelId, keyId } : undefined;
}

export class Conversations {
  readonly #cache: Pick<Cache, "isShared" | "share" | "shared">;
  readonly #entries: LruMap<string, Entry>;

  constructor(cache: Pick<Cache, "isShared" | "share" | "shared">, kept = KEPT) {
    this.#cache = cache;
    this.#entries = new LruMap(kept);
  }

  /** Undefined where none is known: what this process does not know is looked up in the cache, where one is shared. */
  holderOf(key: string, nowMs: number): Holder | undefined | Promise<Holder | undefined> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && nowMs < entry.untilMs) return entry;
    return this.#cache.isShared ? this.#asked(key) : undefined;
  }

  async #asked(key: string): Promise<Holder | undefined> {
    return holderIn(await this.#cache.shared(`conversation:${key}`));
  }

  /** Notes who has the conversation now, for so many seconds. */
  note(key: string, { channelId, keyId }: Holder, seconds: number, nowMs: number): void {
    const before = this.#entries.get(key);
    const lifeMs = seconds * 1000;
    const isTold =
      before?.channelId === channelId && before.keyId === keyId && nowMs - before.sharedMs < lifeMs * SHARED_AGAIN;
    const isShared = this.#cache.isShared;
    const sharedMs = isShared && !isTold ? nowMs : (before?.sharedMs ?? 0);
    this.#entries.set(key, { channelId, keyId, untilMs: nowMs + lifeMs, sharedMs });
    if (isShared && !isTold) void this.#cache.share(`conversation:${key}`, textOf({ channelId, keyId }), seconds);
  }
}
