/** Ids of requests: readable time first, so that they sort, then enough chance that no two processes ever make the same. */
import { randomFillSync } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const RANDOM_LENGTH = 14;
const POOL_BYTES = RANDOM_LENGTH * 512;

const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;
let lastMs = 0;
let lastText = "";

function timeText(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastText = new Date(nowMs).toISOString().replaceAll(/\D/g, "");
  }
  return lastText;
}

/** 17 digits of UTC time to the millisecond and 84 random bits: 31 characters. */
export function newRequestId(): string {
  if (used >= POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  let text = timeText(Date.now());
  for (const byte of pool.subarray(used, used + RANDOM_LENGTH)) text += ALPHABET.charAt(byte & 63);
  used += RANDOM_LENGTH;
  return text;
}
