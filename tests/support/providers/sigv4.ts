/**
 * AWS's signature of version 4, computed step by step as documented, as a reference for ours
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
import { createHash, createHmac } from "node:crypto";

export interface SignedParts {
  method: string;
  /** As it travels: an encoded character is encoded once more for the signature. */
  path: string;
  query: string;
  host: string;
  /** `20150830T123600Z`. */
  date: string;
  body: Buffer;
}

const hash = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: Buffer | string, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** The value of the header Authorization, with host and date signed. */
export function signedBy(accessKey: string, secretKey: string, region: string, service: string, parts: SignedParts) {
  const { method, path, query, host, date, body } = parts;
  const day = date.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const headers = `host:${host}\nx-amz-date:${date}\n`;
  const request = [method, encoded, query, headers, "host;x-amz-date", hash(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope, hash(request)].join("\n");
  const key = [region, service, "aws4_request"].reduce(hmac, hmac(`AWS4${secretKey}`, day));
  const signature = hmac(key, text).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
}
