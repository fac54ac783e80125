/** Bedrock's runtime as its documentation has it: Claude behind a path with its id, in an envelope, signed, and streamed in AWS's frames. */
import { anthropicVendor } from "../../../fake-upstream/anthropic/anthropic.ts";
import { fieldsOf, listOf } from "../../clients/client-formats.ts";
import { BEDROCK_FAILURES, BEDROCK_KEY, frame, sendFrames, signatureFault } from "../bedrock.ts";
import { type Hosted, type ReadHosted, type SendHosted, jsonIn, startHosted } from "../hosted.ts";
import type { OwnVendor } from "../own-vendor.ts";

const MODEL = "claude-haiku-4-5-20251001";
const PATH = `/model/us.anthropic.${MODEL}-v1%3A0/`;
/** Of the flags that clients name by default, those that the platform has (its page "Anthropic Claude Messages API", anthropic_beta). */
const BETAS = ["interleaved-thinking-2025-05-14", "context-management-2025-06-27", "effort-2025-11-24"];

const chunkOf = (event: string): Buffer => {
  const bytes = Buffer.from(/^data: (.*)$/m.exec(event)?.[1] ?? "").toString("base64");
  return frame({ ":event-type": "chunk", ":message-type": "event" }, { bytes, p: "abcdefgh" });
};

const read: ReadHosted = (request) => {
  const action = request.path.startsWith(PATH) ? request.path.slice(PATH.length) : "";
  const isStream = action === "invoke-with-response-stream";
  if (!isStream && action !== "invoke") return `there is no ${request.path}`;
  const { anthropic_version: version, anthropic_beta: betas = [], ...json } = jsonIn(request);
  if (version !== "bedrock-2023-05-31") return "anthropic_version: Field required";
  const unknown = listOf(betas).find((beta) => !BETAS.includes(String(beta)));
  if (unknown !== undefined) return "invalid beta flag";
  const foreign = ["model", "stream", "service_tier"].find((name) => json[name] !== undefined);
  if (foreign !== undefined) return `${foreign}: Extra inputs are not permitted`;
  if (/"type":"url"/.test(request.body.toString("utf8"))) return "image.source.type: url is not supported";
  const fault = signatureFault(request);
  if (fault !== undefined) return fault;
  return {
    vendor: anthropicVendor,
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01", "anthropic-beta": listOf(betas).join() },
    json: { ...json, model: MODEL, stream: isStream },
    usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 64, output_tokens: 20 },
    asksThinking: ["enabled", "adaptive"].includes(String(fieldsOf(json["thinking"])["type"])),
  } satisfies Hosted;
};

const send: SendHosted = (response, { vendor, json }, seen, plan) => {
  if (json["stream"] !== true)
    return void response.writeHead(200, { "content-type": "application/json" }).end(vendor.whole(seen, plan));
  const events = [...vendor.frames(seen, plan), vendor.done(seen, plan)].join("").split("\n\n");
  sendFrames(response, events.filter((event) => event.includes("data: ")).map(chunkOf));
};

export const vendor: OwnVendor = {
  name: "AWS Bedrock",
  type: 33,
  key: BEDROCK_KEY,
  model: MODEL,
  takesTools: true,
  takesPictures: true,
  thinks: true,
  takesSchemas: true,
  counted: { inputTokens: 164, outputTokens: 20, cacheReadTokens: 64 },
  failures: BEDROCK_FAILURES,
  start: () => startHosted(BEDROCK_FAILURES, read, send),
};
