/**
 * Authenticates a request: a Bedrock API key as it is, or a signature of version 4
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
import { AwsV4Signer } from "aws4fetch";
import { keyParts } from "../key-parts.ts";
import type { OutgoingRequest } from "../outgoing.ts";
import { malformedKey } from "../provider-fault.ts";

const DEFAULT_REGION = "us-east-1";
/** A region becomes part of a host's name. */
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;

/** The region that a key ends in; the first one of AWS where it names none, and the key is refused before anything is sent. */
export function regionOf(key: string): string {
  const region = keyParts(key).at(-1) ?? "";
  return REGION.test(region) ? region : DEFAULT_REGION;
}

/** `20250102T030405Z`. */
const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, "");

interface Signing {
  accessKey: string;
  secretKey: string;
  region: string;
  service: string;
}

/** The headers of a signature, as a flat list. */
export async function signed(signing: Signing, request: OutgoingRequest, nowMs: number): Promise<string[]> {
  const { accessKey, secretKey, ...scope } = signing;
  const { method, url, body } = request;
  const signer = new AwsV4Signer({
    method,
    url,
    body: body.length === 0 ? null : new Uint8Array(body),
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    ...scope,
    datetime: timestamp(nowMs),
  });
  const { headers } = await signer.sign();
  return ["x-amz-date", headers.get("x-amz-date") ?? "", "authorization", headers.get("authorization") ?? ""];
}

/** The headers that authorise a request, as a flat list. Rejects with ProviderFault for a key that has not the parts it needs. */
export async function authorization(key: string, request: OutgoingRequest, nowMs: number): Promise<string[]> {
  const parts = keyParts(key);
  const [first = "", second = "", region = ""] = parts;
  if (parts.some((part) => part === "") || !REGION.test(parts.at(-1) ?? "") || parts.length < 2 || parts.length > 3)
    throw malformedKey("the key must be AccessKey|SecretKey|Region or API key|Region, with a region such as us-east-1");
  if (parts.length === 2) return ["authorization", `Bearer ${first}`];
  return signed({ accessKey: first, secretKey: second, region, service: "bedrock" }, request, nowMs);
}
