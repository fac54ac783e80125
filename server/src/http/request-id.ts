/** Request ids: a readable time first, so that they sort, then enough randomness to be unique over all processes. */
import { randomBytes } from "node:crypto";

const RANDOM_LENGTH = 14;
/** Each draw of randomness is split into so many ids; three bytes make four characters. */
const POOL_BYTES = (RANDOM_LENGTH * 512 * 3) / 4;
const SECOND_LENGTH = "2026-01-02T03:04:05".length;

let pool = "";
let used = 0;
let second = 0;
let secondText = "";

function timeText(nowMs: number): string {
  const ms = nowMs % 1000;
  if (nowMs - ms !== second) {
    second = nowMs - ms;
    secondText = new Date(nowMs).toISOString().slice(0, SECOND_LENGTH).replaceAll(/\D/g, "");
  }
  return secondText + String(ms).padStart(3, "0");
}

/** 17 digits of UTC time to the millisecond and 84 random bits: 31 characters. */
export function newRequestId(): string {
  if (used >= pool.length) {
    pool = randomBytes(POOL_BYTES).toString("base64url");
    used = 0;
  }
  const random = pool.slice(used, used + RANDOM_LENGTH);
  used += RANDOM_LENGTH;
  return timeText(Date.now()) + random;
}
