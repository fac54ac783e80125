/** Failures of Coze: `{code, msg}` with a status of success, as a body or an event (coze.cn/docs/developer_guides/coze_error_codes). */
import { isObject, numberOf, objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { type ErrorWords, readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** Codes by what they speak of: the key, what is paid for, limits of time, or an agent that cannot be asked now. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "4008": "quota",
  "4009": "quota",
  "4010": "quota",
  "4011": "quota",
  "4027": "quota",
  "4028": "quota",
  "4013": "rate",
  "4016": "rate",
  "4019": "rate",
  "4020": "rate",
  "4015": "overloaded",
  "4200": "overloaded",
  "5000": "overloaded",
  "4100": "auth",
  "4101": "auth",
  "700012006": "auth",
};

/** The status that would have said so. */
const STATUSES: Readonly<Record<UpstreamErrorKind, number>> = {
  auth: 401,
  quota: 402,
  rate: 429,
  overloaded: 503,
  invalid: 400,
  timeout: 504,
  network: 502,
  content: 400,
};

/** Codes of four digits that begin with 4 speak of the request, those of the table aside; all others of the vendor. */
const kindOf = (code: number): UpstreamErrorKind =>
  ownOf(KINDS, String(code)) ?? (code >= 4000 && code < 5000 ? "invalid" : "overloaded");

function words(parsed: unknown): ErrorWords {
  const fields = objectOf(parsed);
  const said = isObject(fields["last_error"]) ? fields["last_error"] : fields;
  if (fields["status"] === "requires_action")
    return {
      message: "The agent waits for the result of a tool, which calls through here have none of.",
      type: "",
      code: "requires_action",
      status: 400,
    };
  const code = numberOf(said["code"]) ?? 0;
  const status = code === 0 ? 502 : STATUSES[kindOf(code)];
  return { message: textOf(said["msg"]), type: "", code: String(code), status };
}

export const failure = (status: number, body: string): UpstreamFailure =>
  withKind(
    readFailure(status, body, () => words(parseObject(body))),
    KINDS,
  );
