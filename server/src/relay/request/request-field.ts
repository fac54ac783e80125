/** One field of a request, whatever it came as: JSON or a form. */
import { valueOf } from "../dialects/json-bytes.ts";
import type { Exchange } from "./exchange.ts";
import { formText } from "./form.ts";

/** Parsed value of a JSON field, text of a form's; undefined where it is absent. */
export function requestField({ form, facts, body }: Exchange, name: string): unknown {
  if (form !== undefined) return formText(form, name);
  return facts === undefined ? undefined : valueOf(body, facts.top, name);
}

/** The field where it is a text. */
export function textField(exchange: Exchange, name: string): string | undefined {
  const value = requestField(exchange, name);
  return typeof value === "string" ? value : undefined;
}

/** The field as a number: forms spell it as text. NaN where it is something else, undefined where it is absent or null. */
export function numberField(exchange: Exchange, name: string): number | undefined {
  const value = requestField(exchange, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  return exchange.form !== undefined && /^\d{1,9}$/.test(String(value)) ? Number(value) : Number.NaN;
}
