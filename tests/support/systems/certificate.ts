/** For tests over TLS: a certificate for 127.0.0.1 and localhost that signs itself, made anew each time (RFC 5280 section 4.1). */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
  /** PEM; also what a client has to trust. */
  cert: string;
  /** PEM. */
  key: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const BOOLEAN = 0x01;
/** Fields of a certificate that are identified by their number. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** One value in DER: tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  // The shortest form of a length is the only one: Go refuses others.
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

/** Object identifiers as they are encoded. */
const ECDSA_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const ALTERNATIVE_NAMES = Buffer.from("0603551d11", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");

const TRUE = der(BOOLEAN, Buffer.from([255]));
const NAME = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from("localhost")))));
const DAY_MS = 86_400_000;

const utcTime = (ms: number): Buffer =>
  der(UTC_TIME, Buffer.from(`${new Date(ms).toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`));

const extensions = (): Buffer =>
  der(
    EXTENSIONS,
    der(
      SEQUENCE,
      der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE))),
      der(
        SEQUENCE,
        ALTERNATIVE_NAMES,
        der(
          OCTET_STRING,
          der(SEQUENCE, der(DNS_NAME, Buffer.from("localhost")), der(IP_ADDRESS, Buffer.from([127, 0, 0, 1]))),
        ),
      ),
    ),
  );

/** Lines of 64 characters and no empty one behind a last that is full, which readers refuse (RFC 7468 section 2). */
const pem = (label: string, bytes: Buffer): string => {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
};

/** Makes one that holds from yesterday to tomorrow. */
export function makeCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const algorithm = der(SEQUENCE, ECDSA_SHA256);
  const now = Date.now();
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1]), randomBytes(8)),
    algorithm,
    NAME,
    der(SEQUENCE, utcTime(now - DAY_MS), utcTime(now + DAY_MS)),
    NAME,
    publicKey,
    extensions(),
  );
  const signature = sign("sha256", signed, createPrivateKey(privateKey));
  const certificate = der(SEQUENCE, signed, algorithm, der(BIT_STRING, Buffer.from([0]), signature));
  return { cert: pem("CERTIFICATE", certificate), key: privateKey };
}
