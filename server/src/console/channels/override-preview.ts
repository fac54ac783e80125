/** The preview of a parameter override in the channel form: the engine of the relay on a body that was typed; nothing is stored or sent. */
import { AppError } from "../../../../contract/src/errors.ts";
import { readableHeaders } from "../../channels/overrides/headers.ts";
import { checkOverrideText, type Overridden } from "../../channels/overrides/override.ts";
import { OverrideFault } from "../../channels/overrides/work.ts";
import { parseObject } from "../../util/json-read.ts";

/** The typed values. */
interface Asked {
  param_override: string;
  body: string;
  headers?: Readonly<Record<string, string>> | undefined;
  model?: string | undefined;
  original_model?: string | undefined;
  request_path?: string | undefined;
}

/** The preview as it is answered. */
interface Preview {
  body: string;
  headers: Record<string, string>;
  applied: string[];
  refusal: { message: string; status: number; code: string; type: string; skip_retry: boolean } | null;
  fault: string | null;
}

const MAX_TEXT_LENGTH = 60_000;
const MAX_BODY_LENGTH = 262_144;

const invalid = (field: string, message: string): AppError => new AppError("channel_invalid", { message, field });

/** The body with the plain fields in it. Throws AppError for what is no JSON object, and for texts that are too long. */
function bodyOf({ body }: Asked, plain: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (body.length > MAX_BODY_LENGTH) throw invalid("body", `body is longer than ${MAX_BODY_LENGTH} characters`);
  const fields = parseObject(body);
  if (fields === undefined) throw invalid("body", "The body must be a JSON object");
  return { ...fields, ...plain };
}

/** Headers by their names; a channel's own key stays a placeholder. */
const byName = (headers: readonly string[]): Record<string, string> =>
  Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : [])));

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const modelIn = (fields: Readonly<Record<string, unknown>>): string =>
  typeof fields["model"] === "string" ? fields["model"] : "";

/** The body after the override. Throws AppError channel_override_invalid or channel_invalid. */
export function previewOf(asked: Asked): Preview {
  const { param_override: text, headers = {}, request_path = "/v1/chat/completions" } = asked;
  if (text.length > MAX_TEXT_LENGTH)
    throw invalid("param_override", `param_override is longer than ${MAX_TEXT_LENGTH} characters`);
  const override = checkOverrideText(text.trim() === "" ? "{}" : text);
  const body = bodyOf(asked, override.plain);
  const { model = modelIn(body), original_model = model } = asked;
  const plain = Object.keys(override.plain).map((name) => `set ${name}`);
  const facts = { model, upstream_model: model, original_model, request_path, ...FIRST_TRY };
  const request = { body, headers: [], clientHeaders: readableHeaders(lowered(headers)), facts, apiKey: "{api_key}" };
  try {
    const made: Overridden = override.apply(request);
    const { message = "", status = 0, code = "", type = "", skipsRetry = true } = made.refusal ?? {};
    return {
      body: JSON.stringify(body, null, 2),
      headers: byName(made.headers),
      applied: [...plain, ...made.applied],
      refusal: made.refusal === undefined ? null : { message, status, code, type, skip_retry: skipsRetry },
      fault: null,
    };
  } catch (error) {
    if (!(error instanceof OverrideFault)) throw error;
    return { body: JSON.stringify(body, null, 2), headers: {}, applied: plain, refusal: null, fault: error.message };
  }
}

/** Facts for conditions, of a call without earlier tries. */
const FIRST_TRY = {
  retry_index: 0,
  is_retry: false,
  retry: { index: 0, is_retry: false },
  is_channel_test: false,
} as const;
