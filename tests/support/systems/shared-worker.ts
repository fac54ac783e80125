/** A setup file of vitest for test files that share a worker: a file's processes end with it, and each password hash and each compressed script is made once. */
import crypto, { type Argon2Algorithm, type Argon2Parameters } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { callbackify, promisify } from "node:util";
import zlib, { type BrotliOptions } from "node:zlib";
import { afterAll } from "vitest";
import { killAll } from "./processes.ts";

/** Hashes of this worker, and those that are being computed, by what they are made of. */
const computed = new Map<string, Promise<NonSharedBuffer>>();

const textOf = (bytes: unknown): string =>
  typeof bytes === "string" ? bytes : Buffer.from(bytes as Uint8Array).toString("base64");

/** All that a hash depends on. */
const keyOf = (algorithm: string, { message, nonce, secret, associatedData, ...cost }: Argon2Parameters): string =>
  JSON.stringify([algorithm, [message, nonce, secret ?? "", associatedData ?? ""].map(textOf), cost]);

const argon2 = promisify(crypto.argon2);

/**
 * Node's argon2 (nodejs.org/api/crypto.html#cryptoargon2algorithm-parameters-callback) that remembers its results: the same password, salt and
 * cost always have the same hash, so what it gives is exactly argon2's. A login after the password was set, and each one after it, takes no
 * time, where a hash takes 30 ms of a processor. Servers that are processes of their own are without it.
 */
async function rememberedHash(algorithm: Argon2Algorithm, parameters: Argon2Parameters): Promise<NonSharedBuffer> {
  const key = keyOf(algorithm, parameters);
  const hash = computed.get(key) ?? argon2(algorithm, parameters);
  computed.set(key, hash);
  // Each has a copy, which it may overwrite.
  return Buffer.from(await hash);
}
const rememberingArgon2 = callbackify(rememberedHash);

/** Compressed files of this worker, and those that are being compressed, by their content and how. */
const compressed = new Map<string, Promise<NonSharedBuffer>>();
const brotli = promisify<Uint8Array, BrotliOptions, NonSharedBuffer>(zlib.brotliCompress);

/**
 * Node's brotliCompress that remembers its results: each server of a file compresses the console for its first visitor, which takes 400 ms
 * of a processor, and the result is always the same. Servers that are processes of their own are without it.
 */
async function rememberedBrotli(plain: Uint8Array, options: BrotliOptions): Promise<NonSharedBuffer> {
  const key = `${crypto.hash("sha256", plain)} ${JSON.stringify(options)}`;
  const made = compressed.get(key) ?? brotli(plain, options);
  compressed.set(key, made);
  return Buffer.from(await made);
}
const rememberingBrotli = callbackify(rememberedBrotli);

// vitest runs this file before each test file of a worker.
if (crypto.argon2.name !== rememberingArgon2.name) {
  crypto.argon2 = rememberingArgon2;
  Object.assign(zlib, { brotliCompress: rememberingBrotli });
  syncBuiltinESMExports();
}
afterAll(killAll);
