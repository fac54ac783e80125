/** One field of a request, whatever it came as: JSON or a form. */
import { valueOf } from "../../dialects/json/bytes.ts";
import type { RequestBody } from "./accepted.ts";
import { formText } from "./multipart-form.ts";

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
