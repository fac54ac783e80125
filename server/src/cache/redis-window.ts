/** The sliding window in Redis: the same slots as sliding-window.ts, as the fields of a hash, by the clock of Redis. */
import type { Redis } from "ioredis";
import { type Place, SLOTS, slotMsOf } from "./sliding-window.ts";

/** KEYS: the hash. ARGV: milliseconds of a slot, limit, slots, 1 to look only. Gives taken or room (0 or 1), milliseconds to wait, slot. */
const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slotMs, limit, slots = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local current = math.floor(now / slotMs)
local fields = redis.call('HGETALL', KEYS[1])
local total, kept = 0, {}
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
  if ARGV[4] == '1' then return { 1, 0, current } end
  redis.call('HINCRBY', KEYS[1], string.format('%d', current), 1)
  redis.call('PEXPIRE', KEYS[1], (slots + 1) * slotMs)
  return { 1, 0, current }
end
table.sort(kept, function(left, right) return left[1] < right[1] end)
local over = total - limit + 1
for _, entry in ipairs(kept) do
  over = over - entry[2]
  if over <= 0 then return { 0, (entry[1] + slots + 1) * slotMs - now, current } end
end
return { 0, slotMs, current }`;

/** KEYS: the hash. ARGV: slot. A slot that has left the window already is left alone. */
const GIVE_BACK_SCRIPT = `
local count = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if count > 0 then redis.call('HINCRBY', KEYS[1], ARGV[1], -1) end
return count`;

/** Rejects where Redis does. */
export async function takeInRedis(
  client: Redis,
  key: string,
  windowMs: number,
  limit: number,
): Promise<Omit<Place, "ownSlot">> {
  const answer = (await client.eval(TAKE_SCRIPT, 1, key, slotMsOf(windowMs), limit, SLOTS, 0)) as unknown[];
  return { isTaken: Number(answer[0]) === 1, retryMs: Number(answer[1]), slot: Number(answer[2]), isShared: true };
}

/** Milliseconds until there is room; 0 where there is some. Rejects where Redis does. */
export async function peekInRedis(client: Redis, key: string, windowMs: number, limit: number): Promise<number> {
  const answer = (await client.eval(TAKE_SCRIPT, 1, key, slotMsOf(windowMs), limit, SLOTS, 1)) as unknown[];
  return Number(answer[0]) === 1 ? 0 : Math.max(1, Number(answer[1]));
}

export const releaseSlotInRedis = (client: Redis, key: string, slot: number): Promise<unknown> =>
  client.eval(GIVE_BACK_SCRIPT, 1, key, slot);
