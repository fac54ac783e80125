/** How much reasoning was asked for, for the receipt: by the suffix of a model's name, else by the client's own field. */
import { isObject } from "../dialects/json-fields.ts";
import type { DialectName } from "../dialects/neutral.ts";
import type { Exchange } from "./exchange.ts";
import { requestField } from "./request-field.ts";

/** Where each format has the word; Gemini's levels and budgets are no words of effort. */
const FIELDS: Readonly<Partial<Record<DialectName, readonly [field: string, inside?: string]>>> = {
  "openai-chat": ["reasoning_effort"],
  "openai-responses": ["reasoning", "effort"],
  "anthropic-messages": ["output_config", "effort"],
};

/** Longer texts are no effort of anybody's. */
const MOST_LETTERS = 16;

/** Undefined where nobody asked for one. */
export function effortOf(exchange: Exchange): string | undefined {
  if (exchange.operation !== "chat") return undefined;
  const [field, inside] = FIELDS[exchange.dialect.name] ?? [];
  const value = exchange.target?.effort ?? (field === undefined ? undefined : requestField(exchange, field));
  const effort = inside !== undefined && isObject(value) ? value[inside] : value;
  return typeof effort === "string" && effort.length <= MOST_LETTERS ? effort : undefined;
}
