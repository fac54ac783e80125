/** Shared by the fakes of Bedrock: keys, frames, signatures and failures (tests/fixtures/providers/aws/source.txt has the pages). */
import type { ServerResponse } from "node:http";
import { EventStreamCodec } from "@smithy/core/event-streams";
import type { HostedFailure } from "./hosted.ts";
import type { SeenVendorRequest } from "./own-vendor.ts";
import { signedBy } from "./sigv4.ts";
import { providerFixture } from "./fixtures.ts";

const [ACCESS, SECRET, REGION] = ["AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-west-2"] as const;
const AWS_STREAM = "application/vnd.amazon.eventstream";

/** A channel's key, whose region has its models behind `us.`. */
export const BEDROCK_KEY = `${ACCESS}|${SECRET}|${REGION}`;

const failure = (file: string, type: string, kind: HostedFailure["kind"]): HostedFailure => ({
  name: type,
  kind,
  status: Number.parseInt(file, 10),
  body: providerFixture("aws", `${file}.json`),
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
});

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

/** One frame of an event stream. */
export function frame(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const all = { ":content-type": "application/json", ...headers };
  return Buffer.from(
    codec.encode({
      headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, { type: "string", value }])),
      body: Buffer.from(JSON.stringify(payload)),
    }),
  );
}

/** Its documented failures. */
export const BEDROCK_FAILURES: readonly HostedFailure[] = [
  failure("403-denied", "AccessDeniedException", "auth"),
  failure("403-client", "UnrecognizedClientException", "auth"),
  failure("403-signature", "InvalidSignatureException", "auth"),
  failure("429-throttled", "ThrottlingException", "rate"),
  failure("400-quota", "ServiceQuotaExceededException", "quota"),
  failure("400-validation", "ValidationException", "invalid"),
  failure("408-timeout", "ModelTimeoutException", "timeout"),
  failure("424-model", "ModelErrorException", "overloaded"),
  failure("500-server", "InternalServerException", "overloaded"),
  failure("503-unavailable", "ServiceUnavailableException", "overloaded"),
];

/** What is wrong with who asks; undefined where nothing is. */
export function signatureFault({ method, path, headers, body }: SeenVendorRequest): string | undefined {
  const [host = "", date = ""] = [headers.host, String(headers["x-amz-date"])];
  const expected = signedBy(ACCESS, SECRET, REGION, "bedrock", { method, path, query: "", host, date, body });
  return headers.authorization === expected ? undefined : `the signature is not ${expected}`;
}

/** Frames end in the middle of the bytes that are written at once. */
export function sendFrames(response: ServerResponse, frames: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": AWS_STREAM });
  const bytes = Buffer.concat(frames);
  for (let from = 0; from < bytes.length; from += 777) response.write(bytes.subarray(from, from + 777));
  response.end();
}

/** The exception of an account that asks too often. */
export const throttledFrame = (): Buffer =>
  frame(
    { ":exception-type": "throttlingException", ":message-type": "exception" },
    { message: "Too many requests, please wait before trying again." },
  );
