/** Leases in Redis, for limits on concurrency: each place is taken until it is released, or until its process died and no longer renews it. */
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { Lease } from "./cache.ts";

/** How long the place of a killed process stays taken, at most. */
const LEASE_MS = 45_000;
/** So often that two renewals may fail before a place is lost. */
const RENEW_EVERY_MS = 15_000;

/** KEYS: the sorted set of leases by expiry. ARGV: milliseconds of a lease, limit, id. Returns 1 if it was taken. */
const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

/** KEYS: the set. ARGV: milliseconds of a lease, ids. Leases that Redis lost are taken again above any limit: they are in use. */
const RENEW_SCRIPT = `
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

/** Sends a command to Redis; undefined if it does not respond. */
type Ask = <T>(command: () => Promise<T>) => Promise<T | undefined>;

export interface RedisLeasesOptions {
  client: Redis;
  ask: Ask;
  prefix: string;
  leaseMs?: number;
  renewEveryMs?: number;
}

export class RedisLeases {
  readonly #options: Required<RedisLeasesOptions>;
  /** This process's leases by key. */
  readonly #held = new Map<string, Set<string>>();
  /** Leases released while Redis did not respond. */
  #ended: Lease[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RedisLeasesOptions) {
    this.#options = { leaseMs: LEASE_MS, renewEveryMs: RENEW_EVERY_MS, ...options };
  }

  /** Takes a lease; if Redis does not respond it is granted all the same, and sent to Redis when it responds again. */
  async take(key: string, limit: number): Promise<Lease> {
    const { client, ask, prefix, leaseMs } = this.#options;
    const id = randomUUID();
    const answer = await ask(() => client.eval(TAKE_SCRIPT, 1, prefix + key, leaseMs, limit, id));
    // Only now: a renewal before would have taken a place that is refused.
    if (answer !== 0) this.#keep(key, id);
    if (answer === undefined) return { key, id, state: "unknown" };
    if (this.#ended.length > 0) void this.renew();
    return { key, id, state: answer === 0 ? "refused" : "held" };
  }

  async release(lease: Lease): Promise<void> {
    const { key, id, state } = lease;
    if (!this.#forget(key, id)) return;
    const { client, ask, prefix } = this.#options;
    const removed = await ask(() => client.zrem(prefix + key, id));
    if (removed === undefined && state === "held") this.#ended.push(lease);
  }

  #keep(key: string, id: string): void {
    const ids = this.#held.get(key);
    if (ids === undefined) this.#held.set(key, new Set([id]));
    else ids.add(id);
    this.#timer ??= setInterval(() => void this.renew(), this.#options.renewEveryMs).unref();
  }

  #forget(key: string, id: string): boolean {
    const ids = this.#held.get(key);
    if (ids?.delete(id) !== true) return false;
    if (ids.size === 0) this.#held.delete(key);
    if (this.#held.size === 0) this.close();
    return true;
  }

  /** Renews this process's leases in Redis, and deletes the released ones. */
  async renew(): Promise<void> {
    const { client, ask, prefix, leaseMs } = this.#options;
    const [all, ended] = [[...this.#held], this.#ended];
    this.#ended = [];
    if (ended.length > 0) await ask(() => Promise.all(ended.map(({ key, id }) => client.zrem(prefix + key, id))));
    if (all.length === 0) return;
    await ask(() => Promise.all(all.map(([key, ids]) => client.eval(RENEW_SCRIPT, 1, prefix + key, leaseMs, ...ids))));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
