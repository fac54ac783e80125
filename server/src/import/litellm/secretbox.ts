/** NaCl's secretbox (XSalsa20 and Poly1305), opening only: how LiteLLM seals what its database holds. Node.js has no XSalsa20. */
import { timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const BLOCK_BYTES = 64;
const ROUNDS = 20;

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** Four indexes of each quarter round, columns then rows. */
const QUARTERS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];

function twentyRounds(state: Int32Array): void {
  const at = (index: number): number => state[index] ?? 0;
  for (let round = 0; round < ROUNDS; round += 2)
    for (const [a, b, c, d] of QUARTERS) {
      state[b] = at(b) ^ rotate(at(a) + at(d), 7);
      state[c] = at(c) ^ rotate(at(b) + at(a), 9);
      state[d] = at(d) ^ rotate(at(c) + at(b), 13);
      state[a] = at(a) ^ rotate(at(d) + at(c), 18);
    }
}

/** "expand 32-byte k" */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

/** The words of a block before its rounds: constants, key, and 16 bytes of nonce and counter. */
function initialWords(key: Buffer, input: Buffer): Int32Array {
  const words = (bytes: Buffer, from: number, count: number): number[] =>
    Array.from({ length: count }, (_, index) => bytes.readInt32LE(from + 4 * index));
  return Int32Array.from([
    SIGMA[0],
    ...words(key, 0, 4),
    SIGMA[1],
    ...words(input, 0, 4),
    SIGMA[2],
    ...words(key, 16, 4),
    SIGMA[3],
  ]);
}

/** HSalsa20: a key for the rest of the nonce. */
function derivedKey(key: Buffer, nonce: Buffer): Buffer {
  const state = initialWords(key, nonce);
  twentyRounds(state);
  const out = Buffer.alloc(KEY_BYTES);
  for (const [place, index] of [0, 5, 10, 15, 6, 7, 8, 9].entries()) out.writeInt32LE(state[index] ?? 0, 4 * place);
  return out;
}

function keyStream(key: Buffer, nonce: Buffer, length: number): Buffer {
  const out = Buffer.alloc(Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES);
  for (let block = 0; block * BLOCK_BYTES < length; block += 1) {
    const input = Buffer.alloc(16);
    nonce.copy(input);
    input.writeBigUInt64LE(BigInt(block), 8);
    const first = initialWords(key, input);
    const state = first.slice();
    twentyRounds(state);
    for (const [index, word] of state.entries())
      out.writeInt32LE((word + (first[index] ?? 0)) | 0, block * BLOCK_BYTES + 4 * index);
  }
  return out.subarray(0, length);
}

const littleEndian = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);

const PRIME = (1n << 130n) - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** The one-time authenticator of RFC 8439. */
function poly1305(key: Buffer, message: Buffer): Buffer {
  const [r, s] = [littleEndian(key.subarray(0, 16)) & CLAMP, littleEndian(key.subarray(16, 32))];
  let sum = 0n;
  for (let from = 0; from < message.length; from += 16) {
    const part = message.subarray(from, from + 16);
    sum = ((sum + littleEndian(part) + (1n << BigInt(8 * part.length))) * r) % PRIME;
  }
  const tag = (sum + s) & ((1n << 128n) - 1n);
  return Buffer.from(tag.toString(16).padStart(32, "0"), "hex").reverse();
}

/**
 * Opens nonce (24 bytes), tag (16) and text under a key of 32 bytes.
 * @returns undefined where the key is another one or a bit was changed
 */
export function openSecretbox(key: Buffer, sealed: Buffer): Buffer | undefined {
  if (key.length !== KEY_BYTES || sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const text = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  const stream = keyStream(derivedKey(key, nonce.subarray(0, 16)), nonce.subarray(16), KEY_BYTES + text.length);
  if (!timingSafeEqual(poly1305(stream.subarray(0, KEY_BYTES), text), tag)) return undefined;
  return Buffer.from(text.map((byte, index) => byte ^ (stream[KEY_BYTES + index] ?? 0)));
}
