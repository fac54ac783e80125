/** How much reasoning was asked for, for the receipt: by the suffix of a model's name, else by the client's own field. */
import { isObject } from "../../dialects/json/fields.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import type { Target } from "../call/target.ts";
import type { Accepted } from "./accepted.ts";
import { requestField } from "./request-field.ts";

/** Where each format has the word; Gemini's levels and budgets are no words of effort. */
const FIELDS: Readonly<Partial<Record<DialectName, readonly [field: string, inside?: string]>>> = {
  "openai-chat": ["reasoning_effort"],
  "openai-responses": ["reasoning", "effort"],
  "anthropic-messages": ["output_config", "effort"],
};

/** Longer texts are no effort of anybody's. */
const MAX_LETTERS = 16;

/** Undefined where the request names none; `target` is what was sent, where something was. */
export function effortOf(accepted: Accepted, target: Target | undefined): string | undefined {
  if (accepted.operation !== "chat") return undefined;
  const [field, inside] = FIELDS[accepted.dialect.name] ?? [];
  const value = target?.effort ?? (field === undefined ? undefined : requestField(accepted, field));
  const effort = inside !== undefined && isObject(value) ? value[inside] : value;
  return typeof effort === "string" && effort.length <= MAX_LETTERS ? effort : undefined;
}
