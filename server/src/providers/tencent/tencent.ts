/** Tencent's Hunyuan: channel type 23 (cloud.tencent.com/document/product/1729/104753, /105701, /111007). */
import type { FormatName } from "../../dialects/dialect.ts";
import { defined, listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { readCodedFailure, readFailure } from "../../dialects/neutral/failure.ts";
import { nearestInRatio, sizeText } from "../../dialects/neutral/image-sizes.ts";
import type { JsonObject, Warn } from "../../dialects/neutral/neutral.ts";
import { compatibleUrl, effortAsSwitch, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import { textsOf, vectorsAnswer, warnOfTask } from "../../dialects/openai-chat/operations/embeddings.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedPixels,
  warnOfSettings,
} from "../../dialects/openai-chat/operations/images.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { defineProvider } from "../define.ts";
import { malformedKey, keyParts } from "../provider-fault.ts";
import type {
  BeforeSend,
  Operation,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  Quirk,
  UpstreamErrorKind,
  UpstreamFailure,
} from "../provider.ts";
import { createDecoder, decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { authorization } from "./signature.ts";

/** Hunyuan's models (cloud.tencent.com/document/product/1729/104753). The vendor has no names for what its actions draw with. */
const models: readonly string[] = [
  "hunyuan-2.0-thinking-20251109",
  "hunyuan-2.0-instruct-20251111",
  "hunyuan-t1-latest",
  "hunyuan-turbos-latest",
  "hunyuan-turbos-vision",
  "hunyuan-standard",
  "hunyuan-standard-256K",
  "hunyuan-lite",
  "hunyuan-embedding",
  "hunyuan-image",
  "hunyuan-image-lite",
];

/** Draws at once; the other one works on a task. */
const isLite = (model: string): boolean => model.endsWith("-lite");

// Where Hunyuan is: one address for signed calls, whose action is a header, or OpenAI's paths (cloud.tencent.com/document/product/1729/101843,
// /111007).

const SIGNED_HOST = /^https:\/\/hunyuan\.tencentcloudapi\.com\/*$/;
const COMPATIBLE_BASE = "https://api.hunyuan.cloud.tencent.com/v1";
const VERSION = "2023-09-01";
/** Pictures are drawn in one region, which the call names (cloud.tencent.com/document/product/1729/105969, /108738). */
const REGION = ["x-tc-region", "ap-guangzhou"];

function actionOf({ operation, model }: ProviderCall): string[] {
  if (operation === "embeddings") return ["x-tc-action", "GetEmbedding"];
  if (operation !== "images") return ["x-tc-action", "ChatCompletions"];
  return ["x-tc-action", isLite(model) ? "TextToImageLite" : "SubmitHunyuanImageJob", ...REGION];
}

/** A key with bars signs; the default base URL stands for the compatible service where the key is an API key. */
function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
  if (keyParts(channel.key).length === 1) {
    const base = SIGNED_HOST.test(channel.baseUrl) ? COMPATIBLE_BASE : channel.baseUrl;
    return { url: compatibleUrl(base, call.path), headers: ["authorization", `Bearer ${channel.key}`] };
  }
  return {
    url: `${channel.baseUrl.replace(/\/+$/, "")}/`,
    headers: [...actionOf(call), "x-tc-version", VERSION],
  };
}

// Where Hunyuan's compatible service differs from OpenAI's chat completions (cloud.tencent.com/document/product/1729/111007).

const isCompatible = (_model: string, operation: Operation, dialect: FormatName): boolean =>
  operation === "chat" && dialect === "openai-chat";

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompatible, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompatible, patch: olderLimit },
  {
    reason: "the vendor's models think by their name, or by a field of the vendor's own",
    appliesTo: isCompatible,
    patch: (body) => effortAsSwitch(body, () => ({})),
  },
];

// Failures of Hunyuan, which come with a status of success (cloud.tencent.com/document/product/1729/101842; inside streams /105701, ErrorMsg).

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "FailedOperation.EngineRequestTimeout": "timeout",
  "FailedOperation.EngineServerLimitExceeded": "rate",
  "FailedOperation.FreeResourcePackExhausted": "quota",
  "FailedOperation.PartnerAccountUnSupport": "auth",
  "FailedOperation.ResourcePackExhausted": "quota",
  "FailedOperation.ServiceNotActivated": "auth",
  "FailedOperation.ServiceStop": "auth",
  "FailedOperation.ServiceStopArrears": "quota",
  "FailedOperation.UserUnAuthError": "auth",
  "OperationDenied.ImageIllegalDetected": "content",
  "OperationDenied.TextIllegalDetected": "content",
  // A stream that has begun has numbers instead.
  "4000": "overloaded",
  "4001": "timeout",
};

/** The kind of all codes of a family, by its first word. */
const FAMILIES: Readonly<Record<string, UpstreamErrorKind>> = {
  AuthFailure: "auth",
  UnauthorizedOperation: "auth",
  FailedOperation: "overloaded",
  InternalError: "overloaded",
  InvalidAction: "invalid",
  InvalidParameter: "invalid",
  InvalidParameterValue: "invalid",
  InvalidRequest: "invalid",
  LimitExceeded: "rate",
  MissingParameter: "invalid",
  OperationDenied: "auth",
  RequestLimitExceeded: "rate",
  RequestSizeLimitExceeded: "invalid",
  ResourceInsufficient: "quota",
  ResourceNotFound: "invalid",
  ResourceUnavailable: "quota",
  UnknownParameter: "invalid",
  UnsupportedOperation: "invalid",
};

const kindOf = (code: string): UpstreamErrorKind | undefined =>
  ownOf(KINDS, code) ?? ownOf(FAMILIES, code.split(".")[0] ?? "");

function read(parsed: unknown): { message: string; code: string } {
  const inStream = objectOf(objectOf(parsed)["ErrorMsg"]);
  const { Error: error, JobErrorMsg, JobErrorCode } = objectOf(objectOf(parsed)["Response"]);
  const { Message, Code } = objectOf(error);
  return {
    message: textOf(Message) || textOf(inStream["Msg"]) || textOf(JobErrorMsg),
    code: String(Code ?? inStream["Code"] ?? JobErrorCode ?? ""),
  };
}

const isOwn = (body: string): boolean => body.includes('"Response"') || body.includes('"ErrorMsg"');

/** The compatible service fails as OpenAI does. */
const failure = (status: number, body: string): UpstreamFailure =>
  isOwn(body) ? readCodedFailure(status, body, read, kindOf) : readFailure(status, body);

/** Quotes inside an answer's text are escaped, so these names are keys. */
const isFailure = (text: string): boolean => /"(?:Error|ErrorMsg)"\s*:\s*\{|"JobErrorCode"\s*:\s*"[^"]/.test(text);

/** Formats of Hunyuan's chat by the key: a pair of secrets signs the vendor's own, an API key has OpenAI's. */
const dialectsOf = (_model: string, { key }: ProviderChannel): readonly FormatName[] =>
  keyParts(key).length > 1 ? ["vendor"] : ["openai-chat"];

// Hunyuan's own format (cloud.tencent.com/document/product/1729/105701), put together from the request and the answer.

const own = vendorFormat({ encodeRequest, decodeAnswer, createDecoder });

const format = () => own;

// Hunyuan's vectors and pictures for a key that signs (cloud.tencent.com/document/product/1729/102832, /105969, /105970, /108738); an API key
// has OpenAI's paths.

const isFor = (key: string): boolean => keyParts(key).length > 1;

const MAX_INPUTS = 200;

const embeddings: VendorOperation = {
  isFor,
  path: () => "/",
  encodeRequest: ({ fields }, warn) => {
    for (const name of ["dimensions", "user"])
      if (fields[name] !== undefined && fields[name] !== null) warn(name, "this model has no such parameter");
    warnOfTask(fields, warn);
    return { InputList: textsOf(fields, MAX_INPUTS) };
  },
  decodeAnswer: (answer, { fields }) => {
    const { Data, Usage } = objectOf(answer["Response"]);
    if (!Array.isArray(Data)) return undefined;
    const vectors = listOf(Data).map((entry) => objectOf(entry)["Embedding"]);
    const { PromptTokens, TotalTokens } = objectOf(Usage);
    return vectorsAnswer(vectors, fields, numberOf(PromptTokens) ?? numberOf(TotalTokens) ?? 0);
  },
};

/** The sizes it draws, the square first. */
const SIZES = [
  [1024, 1024],
  [768, 768],
  [768, 1024],
  [1024, 768],
  [720, 1280],
  [1280, 720],
  [768, 1280],
  [1280, 768],
].map(([width = 0, height = 0]) => ({ width, height }));

function resolution(fields: JsonObject, warn: Warn): string | undefined {
  const size = wantedPixels(fields);
  if (size === undefined) return undefined;
  const same = SIZES.find(({ width, height }) => width === size.width && height === size.height);
  const drawn = same ?? nearestInRatio(SIZES, size);
  if (same === undefined) warn("size", `the model draws ${sizeText(drawn)} in place of ${sizeText(size)}`);
  return `${drawn.width}:${drawn.height}`;
}

const NOT_TAKEN = ["quality", "user", "background", "output_format", "output_compression", "moderation"];

/** Styles of OpenAI's models; the vendor's own are numbers and other names. */
const OPENAI_STYLES: ReadonlySet<unknown> = new Set(["vivid", "natural"]);

const wantsBytes = (fields: JsonObject): boolean => fields["response_format"] === "b64_json";

/** Only the one that draws at once takes the form of its picture, and only the other makes several. */
function ownFields(fields: JsonObject): JsonObject {
  if (isLite(textOf(fields["model"]))) return { RspImgType: wantsBytes(fields) ? "base64" : "url" };
  return { Num: wantedPictures(fields), Revise: fields["revise"], Seed: fields["seed"] };
}

const images: VendorOperation = {
  isFor,
  givesAddresses: true,
  path: () => "/",
  encodeRequest: ({ fields }, warn) => {
    inOnePiece(fields);
    atMostPictures(fields, isLite(textOf(fields["model"])) ? 1 : 4);
    const style = OPENAI_STYLES.has(fields["style"]) ? undefined : fields["style"];
    warnOfSettings(fields, style === undefined ? [...NOT_TAKEN, "style"] : NOT_TAKEN, warn);
    return defined({
      Prompt: fields["prompt"],
      NegativePrompt: fields["negative_prompt"],
      Style: style,
      Resolution: resolution(fields, warn),
      LogoAdd: fields["logo_add"],
      ...ownFields(fields),
    });
  },
  decodeAnswer: (answer, { fields }) => {
    const { ResultImage: result } = objectOf(answer["Response"]);
    if (Array.isArray(result)) return pictureAnswer(result.map(textOf));
    const picture = textOf(result);
    return picture !== "" && wantsBytes(fields) ? { data: [{ b64_json: picture }] } : pictureAnswer([picture]);
  },
  polling: {
    next(answer, first) {
      const { JobId } = objectOf(first["Response"]);
      const { JobStatusCode } = objectOf(answer["Response"]);
      const isUnderWay = answer === first || JobStatusCode === "1" || JobStatusCode === "2";
      if (typeof JobId !== "string" || !isUnderWay) return undefined;
      return { headers: { "x-tc-action": "QueryHunyuanImageJob" }, body: { JobId } };
    },
    everyMs: 1_000,
    limitMs: 300_000,
  },
};

// Signs a request of Hunyuan's own format; one with an API key is sent unchanged.

const HOST = "hunyuan.tencentcloudapi.com";

/** The vendor's host that was called, or the one behind a proxy of the operator. */
function signedHost(url: string): string {
  const { host } = new URL(url);
  return host.endsWith(".tencentcloudapi.com") ? host : HOST;
}

function headerOf(headers: readonly string[], name: string): string {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? "" : (headers[at + 1] ?? "");
}

const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const parts = keyParts(key);
  if (parts.length === 1) return request;
  const [, secretId = "", secretKey = ""] = parts;
  if (parts.length !== 3 || secretId === "" || secretKey === "")
    throw malformedKey("the key must be AppId|SecretId|SecretKey, or an API key");
  const timestampSeconds = Math.floor(nowMs / 1000);
  const { headers, body, url } = request;
  const signed = [
    ["content-type", headerOf(headers, "content-type")],
    ["host", signedHost(url)],
    ["x-tc-action", headerOf(headers, "x-tc-action")],
  ] as const;
  const value = authorization({ secretId, secretKey, service: "hunyuan", timestampSeconds, headers: signed, body });
  return { ...request, headers: [...headers, "x-tc-timestamp", String(timestampSeconds), "authorization", value] };
};

export const tencent = defineProvider({
  id: 23,
  slug: "tencent",
  name: "Tencent Hunyuan",
  defaultBaseUrl: "https://hunyuan.tencentcloudapi.com",
  keyHint: "AppId|SecretId|SecretKey, or sk-...",
  keyForms: [["AppId", "SecretId", "SecretKey"], ["APIKey"]],
  // A pair of secrets signs requests of the vendor's own format, an API key has the compatible service (`dialectsOf`).
  dialects: ["vendor", "openai-chat"],
  operations: ["chat", "embeddings", "images"],
  mark: { glyph: "H", colour: "#0055e9" },
  models,
  endpoint,
  quirks,
  failure,
  isFailure,
  format,
  dialectsOf,
  ownOperations: { embeddings, images },
  beforeSend,
});
