/** Conditions for signing in by an OAuth 2.0 site, on fields of its user-info answer, one a line, and the dotted paths that lead to a field. */
import { AppError } from "../../../../../contract/src/errors.ts";
import type { Json } from "./http.ts";

const OPERATORS = [">=", "<=", "!=", ">", "<", "=", "starts with", "ends with", "contains"] as const;
type Operator = (typeof OPERATORS)[number];

export interface EntryCondition {
  path: string;
  operator: Operator;
  value: string;
}

const LINE = new RegExp(`^(\\S+)\\s+(${OPERATORS.join("|")})\\s+(\\S.*)$`, "u");

/** More would be a program, and is none that a person can check. */
const MOST_CONDITIONS = 20;

/**
 * The conditions of a text with one a line, such as `trust_level >= 2`, `email ends with @example.org` or `groups contains staff`; blank lines
 * count for nothing. Throws AppError entry_condition_invalid with the number of the first line that is none.
 */
export function readConditions(text: string): EntryCondition[] {
  const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const written = lines.filter(({ line }) => line !== "");
  const beyond = written[MOST_CONDITIONS];
  if (beyond !== undefined) throw invalid(beyond.number);
  return written.map(({ line, number }) => {
    const [, path, operator, value] = LINE.exec(line) ?? [];
    if (path === undefined || value === undefined) throw invalid(number);
    const condition = { path, operator: operator as Operator, value: value.trim() };
    if (isOrder(condition.operator) && numberOf(condition.value) === undefined) throw invalid(number);
    return condition;
  });
}

const invalid = (line: number): AppError =>
  new AppError("entry_condition_invalid", { field: "entry_conditions", values: { line } });

/**
 * What stands at a dotted path, such as `data.user.id` or `emails.0.address`; undefined where nothing does. A name with a dot in it is found
 * where the answer has it as it is written. Only what the answer itself has is found, nothing that all objects have.
 */
export function fieldAt(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null || path === "") return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(fields, path)) return fields[path];
  const dot = path.indexOf(".");
  return dot > 0 && Object.hasOwn(fields, path.slice(0, dot))
    ? fieldAt(fields[path.slice(0, dot)], path.slice(dot + 1))
    : undefined;
}

/** A text, number or boolean as text; undefined for everything else. */
const scalarOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? String(value) : undefined;

function numberOf(value: unknown): number | undefined {
  const text = scalarOf(value)?.trim() ?? "";
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

const ORDER = {
  ">=": (left: number, right: number) => left >= right,
  "<=": (left: number, right: number) => left <= right,
  ">": (left: number, right: number) => left > right,
  "<": (left: number, right: number) => left < right,
} as const;
const isOrder = (operator: Operator): operator is keyof typeof ORDER => Object.hasOwn(ORDER, operator);

const TEXT: Readonly<
  Record<Exclude<Operator, keyof typeof ORDER | "contains">, (left: string, right: string) => boolean>
> = {
  "=": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "starts with": (left, right) => left.startsWith(right),
  "ends with": (left, right) => left.endsWith(right),
};

/** A field that the site does not send fulfils nothing, not `!=` either: an unknown value admits no one. */
function holds(user: Json, { path, operator, value }: EntryCondition): boolean {
  const found = fieldAt(user, path);
  if (operator === "contains")
    return Array.isArray(found)
      ? found.some((entry) => scalarOf(entry) === value)
      : (scalarOf(found)?.includes(value) ?? false);
  if (isOrder(operator)) {
    const [left, right] = [numberOf(found), numberOf(value)];
    return left !== undefined && right !== undefined && ORDER[operator](left, right);
  }
  const text = scalarOf(found);
  return text !== undefined && TEXT[operator](text, value);
}

/** Whether all of them hold for a person; none at all let everybody in. */
export const mayEnter = (user: Json, conditions: readonly EntryCondition[]): boolean =>
  conditions.every((condition) => holds(user, condition));
