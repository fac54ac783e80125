/**
 * Failures of Bedrock, told by their names: in a header, as `__type`, or as the name of an event in a stream
 * (docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html, .../APIReference/API_runtime_ResponseStream.html).
 */
import { ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { AnswerHeaders, UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** Status where an event names none, and the kind where the status does not tell it. */
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

/** Of what the account may call rather than of the request: another channel may answer. */
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

export function failure(status: number, body: string, headers: AnswerHeaders = {}): UpstreamFailure {
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
export const isFailure = (text: string): boolean => /^event: (\w+)\ndata: .*"__type":"\1"\}\s*$/.test(text);
