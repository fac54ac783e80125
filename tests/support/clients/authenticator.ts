/** A software authenticator (Web Authentication, 6 and 8.7): creates ES256 passkeys and signs challenges, correctly or with a chosen fault. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";

interface Lie {
  origin?: string;
  rpId?: string;
  challenge?: string;
  isVerified?: boolean;
  /** Counter of the signature. */
  counter?: number;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const encoded = (bytes: Buffer): string => bytes.toString("base64url");

const PRESENT = 1;
const VERIFIED = 4;
const HAS_KEY = 64;

/** CBOR (RFC 8949) of the few shapes an attestation has. */
function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborInteger = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);

function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return cborMap([
    [cborInteger(1), cborInteger(2)],
    [cborInteger(3), cborInteger(-7)],
    [cborInteger(-1), cborInteger(1)],
    [cborInteger(-2), cborBytes(Buffer.from(x, "base64url"))],
    [cborInteger(-3), cborBytes(Buffer.from(y, "base64url"))],
  ]);
}

/** One key of a site. */
export class SoftPasskey {
  readonly id = encoded(randomBytes(16));
  readonly #pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #site: { origin: string; rpId: string };
  counter = 0;

  constructor(origin: string) {
    this.#site = { origin, rpId: new URL(origin).hostname };
  }

  #data(flags: number, { rpId = this.#site.rpId, isVerified = true, counter = this.counter }: Lie): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags | PRESENT | (isVerified ? VERIFIED : 0)]), count]);
  }

  #client(type: string, challenge: string, lie: Lie): Buffer {
    return Buffer.from(
      JSON.stringify({
        type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? this.#site.origin,
        crossOrigin: false,
      }),
    );
  }

  /** The answer to a challenge for a new key. */
  create(challenge: string, lie: Lie = {}) {
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.from([0, id.length]);
    const parts = [this.#data(HAS_KEY, lie), Buffer.alloc(16), length, id, coseKey(this.#pair.publicKey)];
    const attestation = cborMap([
      [cborText("fmt"), cborText("none")],
      [cborText("attStmt"), cborMap([])],
      [cborText("authData"), cborBytes(Buffer.concat(parts))],
    ]);
    const clientDataJSON = encoded(this.#client("webauthn.create", challenge, lie));
    const response = { clientDataJSON, attestationObject: encoded(attestation), transports: ["internal"] };
    return { id: this.id, rawId: this.id, type: "public-key" as const, response, clientExtensionResults: {} };
  }

  /** The answer to a challenge for a key that is there; the counter increases by one. */
  get(challenge: string, lie: Lie = {}) {
    this.counter += 1;
    const authenticatorData = this.#data(0, lie);
    const client = this.#client("webauthn.get", challenge, lie);
    const signed = Buffer.concat([authenticatorData, createHash("sha256").update(client).digest()]);
    const response = {
      clientDataJSON: encoded(client),
      authenticatorData: encoded(authenticatorData),
      signature: encoded(sign("sha256", signed, this.#pair.privateKey)),
    };
    return { id: this.id, rawId: this.id, type: "public-key" as const, response, clientExtensionResults: {} };
  }
}
