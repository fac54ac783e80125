/**
 * Options that hold JSON: parsing without rounding decimals, and refusals with the position in the text. Used by the catalogue and for other stored
 * JSON text.
 */
import type { z } from "zod";
import { AppError } from "../errors.ts";
import { MAX_RATIO, plainDecimal } from "./decimals.ts";
import { findJsonError, type JsonPath, placeOfPath } from "./json-places.ts";
import { common, type OptionDefinition, type OptionRules } from "./kinds.ts";
import { isOptionReason, type OptionReason } from "./reasons.ts";
import { type Refusal, refusalOf } from "./refusals.ts";

/** What is wrong with a value inside, before its place in the text is looked up. */
interface Problem {
  reason: OptionReason;
  values?: Readonly<Record<string, string | number>>;
  path: JsonPath;
  /** Whether the name is wrong, not the value behind it. */
  isName?: boolean;
}

/** The reviver's third argument, which TypeScript's own library does not declare yet. */
type NumberReviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Replaces each number by its source text. A quoted number becomes null, which the schema then refuses. */
const numberAsText: NumberReviver = (_key, value, context) => {
  if (typeof value === "number") return context?.source ?? String(value);
  return typeof value === "string" ? null : value;
};

class Wrong extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.reason);
    this.problem = problem;
  }
}

/** Every text inside, which is a number's spelling, as plain decimal text. Throws Wrong. */
function withPlainDecimals(value: unknown, path: JsonPath = []): unknown {
  if (typeof value === "string") {
    const read = plainDecimal(value);
    if ("reason" in read) throw new Wrong({ reason: read.reason, path });
    return read.decimal;
  }
  if (Array.isArray(value)) return value.map((inner, index) => withPlainDecimals(inner, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  const map = Object.entries(value).map(([name, inner]) => [name, withPlainDecimals(inner, [...path, name])] as const);
  return Object.fromEntries(map);
}

/** The member that counts input tokens; everything else in a table of decimals is a ratio or a price. */
const TOKEN_BOUND = "above";

/** The first decimal text above the bound. */
function tooLarge(value: unknown, path: JsonPath = []): Problem | undefined {
  if (path.at(-1) === TOKEN_BOUND && path.length > 1) return undefined;
  if (typeof value === "string" && Number(value) > MAX_RATIO)
    return { reason: "largest", values: { maximum: MAX_RATIO }, path };
  return firstInside(value, path, tooLarge);
}

/** The first name that a map without a prototype cannot hold, so that it would be dropped silently. */
function reservedName(value: unknown, path: JsonPath = []): Problem | undefined {
  if (path.at(-1) === "__proto__") return { reason: "reserved", path, isName: true };
  return firstInside(value, path, reservedName);
}

function firstInside(
  value: unknown,
  path: JsonPath,
  find: (value: unknown, path: JsonPath) => Problem | undefined,
): Problem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    const found = find(inner, [...path, isList ? Number(name) : name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Issue = z.core.$ZodIssue;

/** Reasons for zod's built-in checks; a schema names its own as message. */
const REASONS_BY_TYPE: Partial<Record<string, OptionReason>> = {
  int: "whole",
  number: "number",
  string: "text",
  record: "map",
  object: "map",
  array: "list",
  tuple: "list",
};

const pathOf = (issue: Issue): JsonPath => issue.path.map((step) => (typeof step === "number" ? step : String(step)));

/** The branch of a union that the value was meant for: the one whose refusal is about something inside. */
const innerIssue = (branches: readonly (readonly Issue[])[]): Issue | undefined =>
  branches.map(([first]) => first).find((first) => first !== undefined && first.path.length > 0);

function problemOf(issue: Issue): Problem {
  const path = pathOf(issue);
  if (issue.code === "unrecognized_keys")
    return { reason: "unknown_name", path: [...path, issue.keys[0] ?? ""], isName: true };
  if (issue.code === "invalid_key") {
    const message = issue.issues[0]?.message ?? "";
    return { reason: isOptionReason(message) ? message : "long_name", path, isName: true };
  }
  const inner = issue.code === "invalid_union" ? innerIssue(issue.errors) : undefined;
  if (inner !== undefined) {
    const found = problemOf(inner);
    return { ...found, path: [...path, ...found.path] };
  }
  return { ...reasonOf(issue), path };
}

function reasonOf(issue: Issue): Pick<Problem, "reason" | "values"> {
  if (isOptionReason(issue.message))
    return issue.message === "smallest" ? { reason: "smallest", values: { minimum: 0 } } : { reason: issue.message };
  if (issue.code === "too_small") return { reason: "smallest", values: { minimum: Number(issue.minimum) } };
  if (issue.code === "too_big" && (issue.origin === "string" || issue.origin === "array"))
    return {
      reason: issue.origin === "string" ? "characters" : "entries",
      values: { maximum: Number(issue.maximum) },
    };
  if (issue.code === "invalid_value") return { reason: "choice", values: { choices: issue.values.join(", ") } };
  if (issue.code === "too_big") return { reason: "largest", values: { maximum: Number(issue.maximum) } };
  const byType = issue.code === "invalid_type" ? REASONS_BY_TYPE[issue.expected] : undefined;
  return { reason: byType ?? "value" };
}

/** The refusal of a problem, with its place in the text. */
const refusalIn = (text: string, { reason, values, path, isName = false }: Problem): Refusal =>
  refusalOf(reason, values, { ...placeOfPath(text, path, isName ? "name" : "value"), path });

const invalid = (refusal: Refusal, cause?: unknown): AppError => new AppError("option_invalid", { ...refusal, cause });

/**
 * Reads JSON text by a schema; with `keepsDecimals` the schema gets every number as the decimal text in which it was written. Refusals
 * name the reason and the place.
 */
export function jsonReader<Schema extends z.ZodType>(
  schema: Schema,
  keepsDecimals: boolean,
): Required<Pick<OptionDefinition<z.output<Schema>>, "read" | "reasonAgainst">> {
  return {
    read(text) {
      const result = schema.safeParse(parseJson(text, keepsDecimals));
      if (result.success) return { value: result.data, normalised: text.trim() };
      const [issue] = result.error.issues;
      throw invalid(refusalIn(text, issue === undefined ? { reason: "value", path: [] } : problemOf(issue)));
    },
    reasonAgainst: (value, text) => {
      const again = brokenAt(text) ?? reservedIn(text);
      if (again !== undefined) return again;
      const large = keepsDecimals ? tooLarge(value) : undefined;
      return large && refusalIn(text, large);
    },
  };
}

/** JSON text checked by a schema. With `keepsDecimals` the schema gets every number as the decimal text in which it was written. */
export function jsonOption<Schema extends z.ZodType>(
  defaultValue: z.input<Schema> | string,
  schema: Schema,
  rules: OptionRules & { keepsDecimals?: boolean },
): OptionDefinition<z.output<Schema>> {
  return {
    kind: "json",
    defaultText: typeof defaultValue === "string" ? defaultValue : JSON.stringify(defaultValue, undefined, 2),
    ...common(rules),
    ...jsonReader(schema, rules.keepsDecimals === true),
  };
}

function reservedIn(text: string): Refusal | undefined {
  if (!text.includes("proto") && !text.includes("\\u")) return undefined;
  const problem = reservedName(JSON.parse(text));
  return problem && refusalIn(text, problem);
}

/** Where the text breaks or names something twice. What was stored with a name twice is read on: JSON.parse takes the last one. */
function brokenAt(text: string): Refusal | undefined {
  const broken = findJsonError(text);
  if (broken === undefined) return undefined;
  return broken.problem === "duplicate"
    ? refusalOf("duplicate", {}, { ...broken, path: [broken.name] })
    : refusalOf("json", { problem: broken.problem }, { ...broken, path: [] });
}

function parseJson(text: string, keepsDecimals: boolean): unknown {
  try {
    return keepsDecimals ? withPlainDecimals(JSON.parse(text, numberAsText)) : JSON.parse(text);
  } catch (error) {
    if (error instanceof Wrong) throw invalid(refusalIn(text, error.problem));
    const empty = { line: 1, column: 1, offset: 0, path: [] };
    throw invalid(brokenAt(text) ?? refusalOf("json", { problem: "value" }, empty), error);
  }
}

/** A table of groups that has to have `default`: without its ratio every new account could call nothing. What was stored without it is read on. */
export const withDefaultGroup = (table: OptionDefinition<Readonly<Record<string, string>>>): typeof table => ({
  ...table,
  reasonAgainst: (value, text) =>
    table.reasonAgainst?.(value, text) ??
    (Object.hasOwn(value, "default")
      ? undefined
      : refusalOf("default_group", {}, { line: 1, column: 1, offset: 0, path: [] })),
});
