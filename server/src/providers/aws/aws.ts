/** Amazon Bedrock: channel type 33 (docs.aws.amazon.com/bedrock/latest/userguide). */
import { AwsV4Signer } from "aws4fetch";
import { BEDROCK_SERVERS, cloudBetas, cloudBody } from "../../dialects/anthropic-messages/vendors/cloud.ts";
import {
  CLAUDE_QUIRKS,
  claudeName,
  withSiteSettings,
} from "../../dialects/anthropic-messages/vendors/site-settings.ts";
import type { FormatName } from "../../dialects/dialect.ts";
import { listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure } from "../../dialects/neutral/failure.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { defineProvider } from "../define.ts";
import type { OutgoingRequest } from "../outgoing.ts";
import { malformedKey, keyParts } from "../provider-fault.ts";
import type {
  AnswerHeaders,
  BeforeSend,
  Operation,
  Provider,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  Quirk,
  UpstreamErrorKind,
  UpstreamFailure,
} from "../provider.ts";
import { createDecoder, decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { foundationId, isClaude, isNameless, modelId, models, nameOf, traitsOf } from "./models.ts";

// Who is asking: a Bedrock API key as it is, or a signature of version 4 (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).

const DEFAULT_REGION = "us-east-1";
/** A region becomes part of a host's name. */
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;

/** The region that a key ends in; the first one of AWS where it names none, and the key is refused before anything is sent. */
function regionOf(key: string): string {
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
async function authorization(key: string, request: OutgoingRequest, nowMs: number): Promise<string[]> {
  const parts = keyParts(key);
  const [first = "", second = "", region = ""] = parts;
  if (parts.some((part) => part === "") || !REGION.test(parts.at(-1) ?? "") || parts.length < 2 || parts.length > 3)
    throw malformedKey("the key must be AccessKey|SecretKey|Region or API key|Region, with a region such as us-east-1");
  if (parts.length === 2) return ["authorization", `Bearer ${first}`];
  return signed({ accessKey: first, secretKey: second, region, service: "bedrock" }, request, nowMs);
}

// Where a call goes at Bedrock: the runtime of the key's region, the model in the path (docs.aws.amazon.com/bedrock/latest/APIReference,
// InvokeModel, Converse, CountTokens and those that stream). A colon in an id travels encoded, as it is signed.

/** Claude is invoked in its own format, all others are called by Converse. */
function actionOf({ dialect, isStream }: ProviderCall): string {
  if (dialect === "vendor") return isStream ? "converse-stream" : "converse";
  return isStream ? "invoke-with-response-stream" : "invoke";
}

function pathOf(call: ProviderCall, region: string): string {
  const { operation, model } = call;
  if (operation === "models") return "/foundation-models?byOutputModality=TEXT";
  // Profiles of areas cannot count.
  if (operation === "count_tokens") return `/model/${encodeURIComponent(foundationId(model))}/count-tokens`;
  return `/model/${encodeURIComponent(modelId(model, region))}/${actionOf(call)}`;
}

function endpoint({ baseUrl, key }: ProviderChannel, call: ProviderCall): ProviderRequest {
  const region = regionOf(key);
  const host = call.operation === "models" ? "bedrock" : "bedrock-runtime";
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const base = baseUrl === "" ? `https://${host}.${region}.${domain}` : baseUrl.replace(/\/+$/, "");
  return { url: base + pathOf(call, region), headers: [] };
}

// What the site's settings make of requests for Claude, and what Bedrock has elsewhere.

// Other makers' models have names of their own that end in -thinking.
const modelName: NonNullable<Provider["modelName"]> = (model, options) =>
  isClaude(model) ? claudeName(model, options) : model;

const prepare: NonNullable<Provider["prepare"]> = (request, site) =>
  isClaude(request.model) ? withSiteSettings(request, site) : request;

const quirks: readonly Quirk[] = [
  BEDROCK_SERVERS,
  ...CLAUDE_QUIRKS.map((quirk): Quirk => ({
    ...quirk,
    appliesTo: (model, operation, dialect) => isClaude(model) && quirk.appliesTo(model, operation, dialect),
  })),
  {
    reason: "Bedrock takes no tier of service in the body",
    appliesTo: (model, operation) => operation === "chat" && isClaude(model),
    patch: (body) => (body["service_tier"] === undefined ? {} : { remove: ["service_tier"] }),
  },
];

// Failures of Bedrock, known by their names: in a header, as `__type`, or as the name of an event in a stream
// (docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html, .../APIReference/API_runtime_ResponseStream.html).

/** Status where an event names none, and the kind where the status does not say it. */
const NAMES: Readonly<Record<string, readonly [status: number, kind: UpstreamErrorKind]>> = {
  AccessDenied: [403, "auth"],
  UnrecognizedClient: [403, "auth"],
  InvalidSignature: [403, "auth"],
  IncompleteSignature: [400, "auth"],
  ExpiredToken: [403, "auth"],
  InvalidClientTokenId: [403, "auth"],
  MissingAuthenticationToken: [403, "auth"],
  OptInRequired: [403, "auth"],
  NotAuthorized: [400, "auth"],
  FTUFormNotFilled: [404, "auth"],
  Throttling: [429, "rate"],
  ServiceQuotaExceeded: [400, "quota"],
  ModelNotReady: [429, "overloaded"],
  ModelTimeout: [408, "timeout"],
  ModelError: [424, "overloaded"],
  ModelStreamError: [424, "overloaded"],
  InternalServer: [500, "overloaded"],
  InternalFailure: [500, "overloaded"],
  ServiceUnavailable: [503, "overloaded"],
  Validation: [400, "invalid"],
  ResourceNotFound: [404, "invalid"],
};

/** Failures of the account rather than the request: another channel may answer. */
const OF_THE_ACCOUNT =
  /model identifier is invalid|on-demand throughput|operation not allowed|end of its life|access to the model/i;

/** Other makers' models say so of a body that is Claude's (github.com/lobehub/lobehub/issues/5203). */
const OF_ANOTHER_MAKER = /extraneous key \[anthropic_version\]/;

/** `ThrottlingException:http://...` and `throttlingException` as `ThrottlingException`. */
function nameIn(body: string, header: unknown): string {
  const found = typeof header === "string" ? header : textOf(parseObject(body)?.["__type"]);
  const name = found.replace(/^.*#/, "").split(":", 1)[0]?.trim() ?? "";
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function failure(status: number, body: string, headers: AnswerHeaders = {}): UpstreamFailure {
  const name = nameIn(body, headers["x-amzn-errortype"]);
  const known = ownOf(NAMES, name.replace(/(?:Exception|Error)?$/, "")) ?? ownOf(NAMES, name.replace(/Exception$/, ""));
  const read = readFailure(status, body, (parsed) => {
    const { message, Message } =
      typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
    return { message: textOf(message) || textOf(Message), type: "", code: name, status: known?.[0] ?? 0 };
  });
  const kind = known?.[1] ?? (read.status === 424 ? "overloaded" : read.kind);
  const isOfAccount = name.startsWith("ResourceNotFound") || OF_THE_ACCOUNT.test(read.message);
  const isRetryable = isOfAccount || !["invalid", "content", "timeout"].includes(kind);
  return { ...read, kind, isRetryable, ...(OF_ANOTHER_MAKER.test(read.message) ? { missingFormat: "model" } : {}) };
}

/** An exception inside a stream: its event is named after it, and its data ends in that name (upstream/framing.ts). */
const isFailure = (text: string): boolean => /^event: (\w+)\ndata: .*"__type":"\1"\}\s*$/.test(text);

// The format of a model: Claude's own, and for all others the one that Bedrock gives them.

/** What does not say who made it is asked as Claude first. */
const dialectsOf = (model: string): readonly FormatName[] => {
  if (isNameless(model)) return ["anthropic-messages", "vendor"];
  return isClaude(model) ? ["anthropic-messages"] : ["vendor"];
};

/** Bedrock's own format, Converse (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html), put together from the request and the answer. */
const format = (_channel: ProviderChannel, model: string) =>
  vendorFormat({
    takesCacheMarks: true,
    encodeRequest,
    decodeAnswer,
    createDecoder: () => createDecoder(traitsOf(model).streamsWholeInput),
  });

// Bedrock's last step: Claude's body in its envelope, then its signature
// (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html).

const BEDROCK_VERSION = "bedrock-2023-05-31";

const beforeSend: BeforeSend = async (request, { key }, call, { nowMs }) => {
  const isInvoked = call.operation === "chat" && call.dialect !== "vendor";
  const { betas, warnings } = isInvoked ? cloudBetas(call, "Bedrock") : { betas: [], warnings: [] };
  const body = isInvoked
    ? cloudBody(request.body, { version: BEDROCK_VERSION, dropped: ["model", "stream"], betas })
    : request.body;
  const ready = { ...request, body };
  const headers = [...request.headers, ...(await authorization(key, ready, nowMs))];
  return { ...ready, headers, ...(warnings.length === 0 ? {} : { warnings }) };
};

/** Counting tokens at Bedrock: the call that would be made, in base64 (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html). */
const ownOperations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  count_tokens: {
    // The endpoint makes it, which knows the channel.
    path: () => "",
    encodeRequest({ fields: { model: _model, stream: _stream, ...fields } }) {
      // A call needs a bound, which counts for nothing here.
      const call = { max_tokens: 1, ...fields, anthropic_version: BEDROCK_VERSION };
      return { input: { invokeModel: { body: Buffer.from(JSON.stringify(call)).toString("base64") } } };
    },
    decodeAnswer({ inputTokens }) {
      const tokens = numberOf(inputTokens);
      return tokens === undefined ? undefined : { input_tokens: tokens };
    },
  },
};

/** Bedrock's list of models, by the names that stand for an id with its area (docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html). */
const modelNames: NonNullable<Provider["modelNames"]> = ({ modelSummaries }) => {
  const ids = listOf(modelSummaries).map((summary) => textOf(objectOf(summary)["modelId"]));
  return [...new Set(ids.filter((id) => id !== "").map(nameOf))];
};

export const aws = defineProvider({
  id: 33,
  slug: "aws",
  name: "AWS Bedrock",
  // Claude has Anthropic's format, all others have Bedrock's own (`dialectsOf`).
  dialects: ["anthropic-messages", "vendor"],
  defaultBaseUrl: "",
  keyHint: "AccessKey|SecretKey|us-east-1",
  keyForms: [
    ["AccessKey", "SecretKey", "Region"],
    ["API key", "Region"],
  ],
  fields: [
    {
      name: "base_url",
      label: "optionalBaseUrl",
      isRequired: false,
      placeholder: "https://bedrock-runtime.us-east-1.amazonaws.com",
    },
  ],
  operations: ["chat", "count_tokens", "models"],
  fetchedMedia: ["image", "file"],
  supportsStreamUsage: false,
  forwardedHeaders: ["anthropic-beta"],
  mark: { glyph: "B", colour: "#ff9900" },
  models,
  endpoint,
  quirks,
  modelName,
  prepare,
  failure,
  isFailure,
  modelNames,
  format,
  dialectsOf,
  ownOperations,
  beforeSend,
});
