/** A setup file of vitest for test files that share a worker: a file's processes end with it, and each password hash is computed once. */
import crypto, { type Argon2Algorithm, type Argon2Parameters } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll } from "vitest";
import { killAll } from "./processes.ts";

type Derived = (error: Error | null, key: NonSharedBuffer) => void;

/** Hashes of this worker, and those that are being computed, by what they are made of. */
const computed = new Map<string, Promise<NonSharedBuffer>>();

const textOf = (bytes: unknown): string =>
  typeof bytes === "string" ? bytes : Buffer.from(bytes as Uint8Array).toString("base64");

/** All that a hash depends on. */
const keyOf = (algorithm: string, { message, nonce, secret, associatedData, ...cost }: Argon2Parameters): string =>
  JSON.stringify([algorithm, [message, nonce, secret ?? "", associatedData ?? ""].map(textOf), cost]);

const { argon2 } = crypto;

/**
 * Node's argon2 (nodejs.org/api/crypto.html#cryptoargon2algorithm-parameters-callback) that remembers its results: the same password, salt and
 * cost always have the same hash, so what it gives is exactly argon2's. A login after the password was set, and each one after it, takes no
 * time, where a hash takes 30 ms of a processor. Servers that are processes of their own are without it.
 */
function rememberingArgon2(algorithm: Argon2Algorithm, parameters: Argon2Parameters, done: Derived): void {
  const key = keyOf(algorithm, parameters);
  const compute = (): Promise<NonSharedBuffer> =>
    new Promise((resolve, reject) => {
      argon2(algorithm, parameters, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
    });
  const hash = computed.get(key) ?? compute();
  computed.set(key, hash);
  // Each has a copy, which it may overwrite.
  hash.then(
    (bytes) => done(null, Buffer.from(bytes)),
    (error: Error) => done(error, Buffer.alloc(0)),
  );
}

// vitest runs this file before each test file of a worker.
if (crypto.argon2.name !== rememberingArgon2.name) {
  crypto.argon2 = rememberingArgon2;
  syncBuiltinESMExports();
}
afterAll(killAll);
