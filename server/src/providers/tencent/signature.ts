/** Tencent Cloud's signature TC3-HMAC-SHA256 over a request to its root (cloud.tencent.com/document/api/213/30654). */
import { createHash, createHmac } from "node:crypto";

const ALGORITHM = "TC3-HMAC-SHA256";

export interface SignedRequest {
  secretId: string;
  secretKey: string;
  /** Name of the product, such as `cvm`. */
  service: string;
  /** Unix time in seconds; the vendor takes five minutes to either side. */
  timestampSeconds: number;
  /** The headers that are signed, names in lower case and in alphabetical order. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
}

const hash = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const keyed = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The value of the Authorization header. */
export function authorization(request: SignedRequest): string {
  const { secretId, secretKey, service, timestampSeconds, headers, body } = request;
  const names = headers.map(([name]) => name).join(";");
  const lines = headers.map(([name, value]) => `${name}:${value.toLowerCase()}\n`).join("");
  const canonical = ["POST", "/", "", lines, names, hash(body)].join("\n");
  const date = new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const signed = [ALGORITHM, timestampSeconds, scope, hash(canonical)].join("\n");
  const key = keyed(keyed(keyed(`TC3${secretKey}`, date), service), "tc3_request");
  const signature = keyed(key, signed).toString("hex");
  return `${ALGORITHM} Credential=${secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
