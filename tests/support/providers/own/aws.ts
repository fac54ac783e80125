/** Bedrock's runtime as its documentation has it: Claude behind a path with its id, in an envelope, signed, and streamed in AWS's frames. */
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { BUILT_IN_PROVIDERS } from "../../../../server/src/providers/registry.ts";
import { anthropicVendor } from "../../../fake-upstream/anthropic/anthropic.ts";
import { fieldsOf } from "../../clients/client-formats.ts";
import { type Hosted, type HostedFailure, type ReadHosted, type SendHosted, jsonIn, startHosted } from "../hosted.ts";
import type { OwnVendor, SeenVendorRequest } from "../own-vendor.ts";
import { signedBy } from "../sigv4.ts";

const [ACCESS, SECRET, REGION] = ["AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-west-2"] as const;
const MODEL = "claude-haiku-4-5-20251001";
const PATH = `/model/us.anthropic.${MODEL}-v1%3A0/`;
const AWS_STREAM = "application/vnd.amazon.eventstream";

const failure = (file: string, type: string, kind: HostedFailure["kind"]): HostedFailure => ({
  name: type,
  kind,
  status: Number.parseInt(file, 10),
  body: readFileSync(`${BUILT_IN_PROVIDERS}aws/fixtures/${file}.json`, "utf8"),
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
});

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

function frame(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const all = { ":content-type": "application/json", ...headers };
  return Buffer.from(
    codec.encode({
      headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, { type: "string", value }])),
      body: Buffer.from(JSON.stringify(payload)),
    }),
  );
}

const chunkOf = (event: string): Buffer => {
  const bytes = Buffer.from(/^data: (.*)$/m.exec(event)?.[1] ?? "").toString("base64");
  return frame({ ":event-type": "chunk", ":message-type": "event" }, { bytes, p: "abcdefgh" });
};

const FAILURES: readonly HostedFailure[] = [
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

function signatureFault({ method, path, headers, body }: SeenVendorRequest): string | undefined {
  const [host = "", date = ""] = [headers.host, String(headers["x-amz-date"])];
  const expected = signedBy(ACCESS, SECRET, REGION, "bedrock", { method, path, query: "", host, date, body });
  return headers.authorization === expected ? undefined : `the signature is not ${expected}`;
}

const read: ReadHosted = (request) => {
  const action = request.path.startsWith(PATH) ? request.path.slice(PATH.length) : "";
  const isStream = action === "invoke-with-response-stream";
  if (!isStream && action !== "invoke") return `there is no ${request.path}`;
  const { anthropic_version: version, ...json } = jsonIn(request);
  if (version !== "bedrock-2023-05-31") return "anthropic_version: Field required";
  const foreign = ["model", "stream", "service_tier"].find((name) => json[name] !== undefined);
  if (foreign !== undefined) return `${foreign}: Extra inputs are not permitted`;
  if (/"type":"url"/.test(request.body.toString("utf8"))) return "image.source.type: url is not supported";
  const fault = signatureFault(request);
  if (fault !== undefined) return fault;
  return {
    vendor: anthropicVendor,
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    json: { ...json, model: MODEL, stream: isStream },
    usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 64, output_tokens: 20 },
    asksThinking: ["enabled", "adaptive"].includes(String(fieldsOf(json["thinking"])["type"])),
  } satisfies Hosted;
};

/** Frames end in the middle of the bytes that are written at once. */
function sendFrames(response: ServerResponse, frames: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": AWS_STREAM });
  const bytes = Buffer.concat(frames);
  for (let from = 0; from < bytes.length; from += 777) response.write(bytes.subarray(from, from + 777));
  response.end();
}

const send: SendHosted = (response, { vendor, json }, seen, plan) => {
  if (json["stream"] !== true)
    return void response.writeHead(200, { "content-type": "application/json" }).end(vendor.whole(seen, plan));
  const events = [...vendor.frames(seen, plan), vendor.done(seen, plan)].join("").split("\n\n");
  sendFrames(response, events.filter((event) => event.includes("data: ")).map(chunkOf));
};

export const throttledFrame = (): Buffer =>
  frame(
    { ":exception-type": "throttlingException", ":message-type": "exception" },
    { message: "Too many requests, please wait before trying again." },
  );

export const vendor: OwnVendor = {
  name: "AWS Bedrock",
  type: 33,
  key: `${ACCESS}|${SECRET}|${REGION}`,
  model: MODEL,
  takesTools: true,
  takesPictures: true,
  thinks: true,
  takesSchemas: true,
  counted: { inputTokens: 164, outputTokens: 20, cacheReadTokens: 64 },
  failures: FAILURES,
  start: () => startHosted(FAILURES, read, send),
};
