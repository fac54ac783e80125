/** Failures of MiniMax, inside a success in `base_resp` or with a status; the code says what it is (platform.minimax.io/docs/api-reference/errorcode). */
import { objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { readCodedFailure, readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "1000": "overloaded",
  "1001": "timeout",
  "1002": "rate",
  "1004": "auth",
  "1008": "quota",
  "1013": "overloaded",
  "1024": "overloaded",
  "1026": "content",
  "1027": "content",
  "1033": "overloaded",
  "1039": "rate",
  "1041": "rate",
  "1042": "invalid",
  "2013": "invalid",
  "2042": "invalid",
  "2045": "rate",
  "2049": "auth",
  "2054": "invalid",
  "2056": "quota",
  "2061": "auth",
};

function read(parsed: unknown): { message: string; code: string } {
  const { status_code: code, status_msg: message } = objectOf(objectOf(parsed)["base_resp"]);
  return { message: textOf(message), code: String(code ?? "") };
}

/** Failures with a status have the code behind their words: `insufficient balance (1008)`. */
function withStatus(status: number, body: string): UpstreamFailure {
  const found = readFailure(status, body);
  const code = /\((\d{4})\)\s*$/.exec(found.message)?.[1];
  return code === undefined ? found : withKind({ ...found, code }, KINDS);
}

export const failure = (status: number, body: string): UpstreamFailure =>
  body.includes('"base_resp"')
    ? readCodedFailure(status, body, read, (code) => ownOf(KINDS, code))
    : withStatus(status, body);

/** Answers have the field too, with 0. Quotes inside their words are escaped, so these names are keys. */
export const isFailure = (text: string): boolean => /"base_resp"\s*:\s*\{[^{}]*"status_code"\s*:\s*[1-9]/.test(text);
