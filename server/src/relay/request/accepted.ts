/** A call's request once its body is there: the phase that `accept` produces and every later step reads, and the fields of its body, from JSON or a form. */
import { type JsonField, valueOf } from "../../dialects/json/bytes.ts";
import { parseExact, withPlainSettings } from "../../dialects/json/exact.ts";
import { isJson } from "../../dialects/json/fields.ts";
import type { RequestInfo } from "../../dialects/neutral/info.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { CallKind } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { type RequestForm, formText } from "./multipart-form.ts";
import type { Endpoint } from "./paths.ts";

export interface Accepted extends CallKind {
  /** What the client's path says. */
  readonly endpoint: Endpoint;
  /** The client's path and query, without a key. */
  readonly path: string;
  /** As it came; without its conversation once the answer has begun (release-conversation.ts). */
  body: Buffer;
  info: RequestInfo;
  /** The request where it came as multipart/form-data. */
  readonly form: RequestForm | undefined;
  /** As prices and channels know it; empty where the request names none. */
  readonly model: string;
  readonly isStream: boolean;
  /** What multiplies the price of a task, as decimal text; absent for all other calls. */
  readonly callFactor?: string;
  /** Fields of the request removed before any channel was chosen; absent where none were. */
  readonly warnings?: readonly string[];
  /** The body as an object, parsed by the first step that has to look inside (bodyFields). */
  fields: JsonObject | undefined;
}

/** What the fields of a request are read from. */
export type RequestBody = Pick<Accepted, "body" | "info" | "form">;

/** Parsed value of a JSON field, text of a form's; undefined where it is absent. */
export function requestField({ form, info, body }: RequestBody, name: string): unknown {
  return form === undefined ? valueOf(body, info.top, name) : formText(form, name);
}

/** The field where it is a text. */
export function textField(request: RequestBody, name: string): string | undefined {
  const value = requestField(request, name);
  return typeof value === "string" ? value : undefined;
}

/** The field as a number: forms spell it as text. NaN where it is something else, undefined where it is absent or null. */
export function numberField(request: RequestBody, name: string): number | undefined {
  const value = requestField(request, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  return request.form !== undefined && /^\d{1,9}$/.test(String(value)) ? Number(value) : Number.NaN;
}

/** Of the fields at the top level, whose values were only skipped so far, the first that is no JSON inside. */
function brokenField({ body, info }: Accepted): JsonField | undefined {
  return info.top.fields.find(({ valueStart, valueEnd }) => !isJson(body.toString("utf8", valueStart, valueEnd)));
}

function invalidJson(accepted: Accepted): RelayError {
  const field = brokenField(accepted);
  if (field === undefined) return new RelayError("invalid_json");
  const { name } = field;
  return new RelayError("invalid_json", { message: `The value of '${name}' is not valid JSON.`, param: name });
}

/** Fields of the body. Throws RelayError 400 naming the field whose value is no JSON inside. */
export function bodyFields(accepted: Accepted): JsonObject {
  if (accepted.fields !== undefined) return accepted.fields;
  try {
    // The top level was read before: it is an object.
    const fields = parseExact(accepted.body.toString("utf8")) as JsonObject;
    return (accepted.fields = withPlainSettings(fields));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(accepted);
  }
}
