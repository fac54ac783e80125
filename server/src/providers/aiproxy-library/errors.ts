/** Failures of AI Proxy's knowledge bases: `{success: false, errCode, message}`, also with a status of success (docs.aiproxy.io/dev/library). */
import { numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

/** True for a body or an event with a code, or that says it is none. */
export function isFailure(text: string): boolean {
  const { success, errCode } = objectOf(parseObject(text.replace(/^data: ?/, "")));
  return success === false || (numberOf(errCode) ?? 0) !== 0;
}

/** Codes that are statuses of HTTP mean what those do; others tell nothing, so that another channel may be asked. */
export const failure = (status: number, body: string): UpstreamFailure =>
  readFailure(status, body, () => {
    const fields = objectOf(parseObject(body));
    const code = numberOf(fields["errCode"]) ?? 0;
    const isStatus = code >= 400 && code <= 599;
    return {
      message: textOf(fields["message"]),
      type: "",
      code: code === 0 ? "" : String(code),
      status: isStatus ? code : 0,
    };
  });
