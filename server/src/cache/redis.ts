/** The cache in Redis. When Redis is down or frozen, every call falls back on this process's memory within the command timeout. */
import { EventEmitter } from "node:events";
import { Redis } from "ioredis";
import type { Cache, WindowCount } from "./cache.ts";
import { createMemoryCache, type MemoryCache } from "./memory.ts";
import { RedisLeases, type RedisLeasesOptions } from "./redis-leases.ts";
import { type Place, slotMsOf, SLOTS } from "./sliding-window.ts";

// The sliding window in Redis: the same slots as sliding-window.ts, as the fields of a hash, by the clock of Redis.

/** KEYS: the hash. ARGV: milliseconds of a slot, limit, slots, 1 for a peek. Returns taken or free (0 or 1), milliseconds to wait, slot, places left, milliseconds until all are free. */
const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slotMs, limit, slots = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local current = math.floor(now / slotMs)
local fields = redis.call('HGETALL', KEYS[1])
local total, kept, newest = 0, {}, current
for index = 1, #fields, 2 do
  local slot, count = tonumber(fields[index]), tonumber(fields[index + 1])
  if slot < current - slots or slot > current + slots then
    redis.call('HDEL', KEYS[1], fields[index])
  else
    total = total + count
    kept[#kept + 1] = { slot, count }
  end
end
if total < limit then
  if ARGV[4] == '1' then return { 1, 0, current, limit - total, 0 } end
  redis.call('HINCRBY', KEYS[1], string.format('%d', current), 1)
  redis.call('PEXPIRE', KEYS[1], (slots + 1) * slotMs)
  return { 1, 0, current, limit - total - 1, (current + slots + 1) * slotMs - now }
end
table.sort(kept, function(left, right) return left[1] < right[1] end)
local over = total - limit + 1
if #kept > 0 then newest = kept[#kept][1] end
local resetMs = (newest + slots + 1) * slotMs - now
for _, entry in ipairs(kept) do
  over = over - entry[2]
  if over <= 0 then return { 0, (entry[1] + slots + 1) * slotMs - now, current, 0, resetMs } end
end
return { 0, slotMs, current, 0, resetMs }`;

/** KEYS: the hash. ARGV: slot. A slot outside of the window is not changed. */
const GIVE_BACK_SCRIPT = `
local count = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if count > 0 then redis.call('HINCRBY', KEYS[1], ARGV[1], -1) end
return count`;

/** Rejects if Redis does. */
async function takeInRedis(
  client: Redis,
  key: string,
  windowMs: number,
  limit: number,
): Promise<Omit<Place, "ownSlot">> {
  const answer = (await client.eval(TAKE_SCRIPT, 1, key, slotMsOf(windowMs), limit, SLOTS, 0)) as unknown[];
  const [isTaken, retryMs, slot, remaining, resetMs] = answer.map(Number) as [number, number, number, number, number];
  return { isTaken: isTaken === 1, retryMs, slot, remaining, resetMs, isShared: true };
}

/** Milliseconds until a place is free; 0 if one is. Rejects if Redis does. */
async function peekInRedis(client: Redis, key: string, windowMs: number, limit: number): Promise<number> {
  const answer = (await client.eval(TAKE_SCRIPT, 1, key, slotMsOf(windowMs), limit, SLOTS, 1)) as unknown[];
  return Number(answer[0]) === 1 ? 0 : Math.max(1, Number(answer[1]));
}

const releaseSlotInRedis = (client: Redis, key: string, slot: number): Promise<unknown> =>
  client.eval(GIVE_BACK_SCRIPT, 1, key, slot);

export interface RedisOptions {
  url: string;
  /** Prefix of every key and channel; one for each installation that uses this Redis. */
  prefix?: string;
  /** Called once when Redis stops responding and once when it responds again. */
  onChange?: (isAnswering: boolean, reason: string) => void;
  /** How many processes share the limits; while Redis does not respond each uses an equal part of them. */
  processCount?: () => number;
  /** For tests: the timeout after which Redis counts as frozen. */
  commandTimeoutMs?: number;
  /** For tests: how long leases last and how often they are renewed. */
  leases?: Pick<RedisLeasesOptions, "leaseMs" | "renewEveryMs">;
}

const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;
/** How long no call asks Redis after it failed; then one call does. */
const PAUSE_MS = 1_000;
const PREFIX = "turnpike:";

/** The prefix of an installation's keys and channels, which separates installations on one Redis. */
export const prefixOf = (installationId: string): string => `${PREFIX}${installationId}:`;

/** Increments and sets the window's expiry atomically: a counter without an expiry would refuse forever. */
const COUNT_SCRIPT = `
local amount = tonumber(ARGV[1])
if amount == 0 then
  return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1])}
end
local count = redis.call('INCRBY', KEYS[1], amount)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {count, left}`;

interface Breaker {
  /** True if Redis may be asked now. After a failure only the first caller gets true. */
  mayTry(): boolean;
  succeeded(): void;
  failed(error: unknown): void;
  readonly isClosed: boolean;
}

function createBreaker(onChange: (isAnswering: boolean, reason: string) => void): Breaker {
  let isClosed = true;
  let retryAt = 0;
  return {
    get isClosed() {
      return isClosed;
    },
    mayTry: () => {
      if (isClosed) return true;
      if (Date.now() < retryAt) return false;
      retryAt = Date.now() + PAUSE_MS;
      return true;
    },
    succeeded: () => {
      if (isClosed) return;
      isClosed = true;
      onChange(true, "Redis answers again");
    },
    failed: (error) => {
      retryAt = Date.now() + PAUSE_MS;
      if (!isClosed) return;
      isClosed = false;
      onChange(false, error instanceof Error ? error.message : String(error));
    },
  };
}

function connect(url: string, commandTimeout: number): Redis {
  const client = new Redis(url, {
    commandTimeout,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    // Without a connection a command fails at once instead of waiting for one.
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  client.on("error", () => undefined); // Each command rejects with its error, where it is counted.
  return client;
}

/** Messages arrive on a separate connection: one that subscribes cannot send other commands. */
function connectSubscriber(url: string, prefix: string, messages: EventEmitter): Redis {
  const client = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  client.on("error", () => undefined); // It reconnects by itself; changes whose messages were lost are found by polling.
  client.on("message", (channel: string, message: string) => messages.emit(channel.slice(prefix.length), message));
  return client;
}

type Ask = <T>(command: () => Promise<T>) => Promise<T | undefined>;

const sharedTexts = (client: Redis, prefix: string, ask: Ask): Pick<Cache, "share" | "shared"> => ({
  share: async (key, text, seconds) => {
    await ask(() => client.set(`${prefix}shared:${key}`, text, "EX", seconds));
  },
  shared: async (key) => (await ask(() => client.get(`${prefix}shared:${key}`))) ?? undefined,
});

/** Windows in Redis, and in this process's memory while Redis does not respond. */
function sharedWindows(
  client: Redis,
  prefix: string,
  ask: Ask,
  memory: MemoryCache,
): Pick<Cache, "take" | "peek" | "releaseSlot"> {
  const keyOf = (key: string, windowSeconds: number): string => `${prefix}window:${windowSeconds}:${key}`;
  return {
    async take(key, windowSeconds, limit) {
      const place = await ask(() => takeInRedis(client, keyOf(key, windowSeconds), windowSeconds * 1000, limit));
      if (place === undefined) return memory.take(key, windowSeconds, limit);
      // So that this process continues from its own count when Redis is lost.
      const ownSlot = place.isTaken ? memory.adoptPlace(key, windowSeconds) : 0;
      return { ...place, ownSlot };
    },
    async peek(key, windowSeconds, limit) {
      const retryMs = await ask(() => peekInRedis(client, keyOf(key, windowSeconds), windowSeconds * 1000, limit));
      return retryMs ?? memory.peek(key, windowSeconds, limit);
    },
    async releaseSlot(key, windowSeconds, place) {
      await memory.releaseSlot(key, windowSeconds, place);
      if (place.isShared) await ask(() => releaseSlotInRedis(client, keyOf(key, windowSeconds), place.slot));
    },
  };
}

/** Opens the shared cache. Returns at once, whether Redis responds or not. */
export function createRedisCache({
  url,
  prefix = PREFIX,
  onChange = () => undefined,
  processCount,
  commandTimeoutMs = COMMAND_TIMEOUT_MS,
  leases: terms,
}: RedisOptions): Cache {
  const client = connect(url, commandTimeoutMs);
  const messages = new EventEmitter();
  messages.setMaxListeners(0);
  const subscriber = connectSubscriber(url, prefix, messages);
  const memory = createMemoryCache(processCount === undefined ? {} : { processCount });
  const breaker = createBreaker(onChange);
  let isClosed = false;

  const ask: Ask = async (command) => {
    if (isClosed || client.status !== "ready" || !breaker.mayTry()) return undefined;
    try {
      const answer = await command();
      breaker.succeeded();
      return answer;
    } catch (error) {
      breaker.failed(error);
      return undefined;
    }
  };
  const leases = new RedisLeases({ client, ask, prefix: `${prefix}open:`, ...terms });
  // A new connection has just completed its handshake; it may be to a restarted, empty Redis.
  client.on("ready", () => {
    breaker.succeeded();
    void leases.renew();
  });
  client.on("close", () => {
    if (!isClosed) breaker.failed(new Error("The connection to Redis is closed"));
  });
  const increment = async (key: string, windowSeconds: number, limit: number, amount = 1): Promise<WindowCount> => {
    const answer = await ask(() => client.eval(COUNT_SCRIPT, 1, prefix + key, amount, windowSeconds * 1000));
    if (!Array.isArray(answer)) return memory.increment(key, windowSeconds, limit, amount);
    const left = Number(answer[1]);
    const known = { count: Number(answer[0]), resetMs: left < 0 ? windowSeconds * 1000 : left };
    if (amount > 0) memory.adopt(key, known);
    return known;
  };
  return {
    increment,
    ...sharedWindows(client, prefix, ask, memory),
    lease: (key, limit) => leases.take(key, limit),
    release: (lease) => leases.release(lease),
    ...sharedTexts(client, prefix, ask),
    publish: async (channel, message) => {
      const receivers = await ask(() => client.publish(prefix + channel, message));
      if (receivers === undefined) messages.emit(channel, message); // This process at least receives its own message.
    },
    subscribe: (channel, listener) => {
      messages.on(channel, listener);
      // Refused only by a closing connection; ioredis subscribes again after every reconnect.
      subscriber.subscribe(prefix + channel).catch(() => undefined);
      return () => messages.off(channel, listener);
    },
    get isShared() {
      return breaker.isClosed && client.status === "ready";
    },
    close: async () => {
      isClosed = true;
      leases.close();
      client.disconnect();
      subscriber.disconnect();
      await memory.close();
      messages.removeAllListeners();
    },
  };
}
