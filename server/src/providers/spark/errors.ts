/** Failures of Spark by their codes (xfyun.cn/doc/spark/接口说明.html), in each message's head or beside what OpenAI has. */
import { objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { readCodedFailure, readFailure } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "10000": "overloaded",
  "10001": "overloaded",
  "10002": "overloaded",
  "10003": "invalid",
  "10004": "invalid",
  "10005": "invalid",
  "10006": "rate",
  "10007": "rate",
  "10008": "overloaded",
  "10009": "overloaded",
  "10010": "overloaded",
  "10011": "overloaded",
  "10012": "overloaded",
  "10013": "content",
  "10014": "content",
  "10015": "auth",
  "10016": "auth",
  "10019": "content",
  "10021": "content",
  "10110": "overloaded",
  "10163": "invalid",
  "10222": "overloaded",
  "10907": "invalid",
  "11200": "auth",
  "11201": "rate",
  "11202": "rate",
  "11203": "rate",
};

/** The code stands in the head of a message, at the top of an answer, or in OpenAI's envelope. */
function read(parsed: unknown): { message: string; code: string } {
  const fields = objectOf(parsed);
  const places = [fields["header"], fields["error"], fields].map(objectOf);
  const found = places.find(({ code }) => code !== undefined) ?? fields;
  return { message: textOf(found["message"]), code: String(found["code"] ?? "") };
}

const OF_VENDOR = /"code"\s*:\s*"?1[01]\d{3}\b/;

export const failure = (status: number, body: string): UpstreamFailure =>
  OF_VENDOR.test(body) ? readCodedFailure(status, body, read, (code) => ownOf(KINDS, code)) : readFailure(status, body);

/** Answers have such codes too: 0. Quotes inside their words are escaped, so these names are keys. */
export const isFailure = (text: string): boolean =>
  /"header"\s*:\s*\{[^{}]*"code"\s*:\s*[1-9]/.test(text) || /^(?:data:)?\s*\{\s*"code"\s*:\s*[1-9]/.test(text);
