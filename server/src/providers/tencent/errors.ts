/** Failures of Hunyuan, which come with a status of success (cloud.tencent.com/document/product/1729/101842; inside streams /105701, ErrorMsg). */
import { objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { readCodedFailure, readFailure } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

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
  // Numbers stand in a stream that has begun.
  "4000": "overloaded",
  "4001": "timeout",
};

/** What stands for all codes of a family, by its first word. */
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
export const failure = (status: number, body: string): UpstreamFailure =>
  isOwn(body) ? readCodedFailure(status, body, read, kindOf) : readFailure(status, body);

/** Quotes inside words of an answer are escaped, so these names are keys. */
export const isFailure = (text: string): boolean =>
  /"(?:Error|ErrorMsg)"\s*:\s*\{|"JobErrorCode"\s*:\s*"[^"]/.test(text);
