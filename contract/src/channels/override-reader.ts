/** Parses a channel's parameter override; each refusal has a reason and a position. */
import { AppError } from "../errors.ts";
import { findJsonError, type JsonPath, placeOfPath } from "../options/json-places.ts";
import { OPTION_REASONS, type OptionReason } from "../options/reasons.ts";
import {
  CONDITION_MODES,
  modeFields,
  type ModeFields,
  OVERRIDE_BOUNDS,
  OVERRIDE_MODES,
  type OverrideCondition,
  type OverrideLogic,
  type OverrideMode,
  type OverrideOperation,
  type ParamOverride,
  type PathStep,
} from "./overrides.ts";

/** Why a value is refused, beside the reasons of options; the web has the same sentences in both languages (error-codes.json, `reason`). */
export const OVERRIDE_REASONS = {
  needed: "This is needed",
  too_many: "At most {maximum} are allowed",
  deep: "Nested deeper than {maximum} levels",
  path_blank: "A name is missing between dots",
  path_query: "A path has names, indexes, * and # between its dots",
  path_one: "This path has to name one place",
  pattern: "Not a regular expression of RE2: {detail}",
  pattern_size: "The regular expression is too large",
  header_own: "The gateway writes this header itself",
  header_secret: "This header holds the caller's key, which is never passed on",
  error_status: "Please give an HTTP status from 400 to 599",
} as const;

const REASONS = { ...OPTION_REASONS, ...OVERRIDE_REASONS };
export type OverrideReason = OptionReason | keyof typeof OVERRIDE_REASONS;

/** A value of an override that is refused: why, and where. */
export class OverrideProblem extends Error {
  readonly reason: OverrideReason;
  readonly values: Readonly<Record<string, string | number>>;
  readonly path: JsonPath;

  constructor(reason: OverrideReason, path: JsonPath, values: Readonly<Record<string, string | number>> = {}) {
    super(`${pathOf(path)}: ${sentenceOf(reason, values)}`);
    this.reason = reason;
    this.path = path;
    this.values = values;
  }
}

/** `param_override.operations[2].mode`. */
const pathOf = (path: JsonPath): string =>
  path.reduce<string>((text, step) => text + (typeof step === "number" ? `[${step}]` : `.${step}`), "param_override");

const sentenceOf = (reason: OverrideReason, values: Readonly<Record<string, string | number>>): string =>
  REASONS[reason].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const OPERATION_FIELDS: ReadonlySet<string> = new Set(
  // The description is a note of new-api's console.
  "mode path value keep_origin from to conditions logic description".split(" "),
);
const CONDITION_FIELDS: ReadonlySet<string> = new Set(["path", "mode", "value", "invert", "pass_missing_key"]);

function checkNames(sent: Fields, known: ReadonlySet<string>, place: JsonPath): void {
  const name = Object.keys(sent).find((each) => !known.has(each));
  if (name !== undefined) throw new OverrideProblem("unknown_name", [...place, name]);
}

function textAt(sent: Fields, name: string, place: JsonPath): string {
  const value = sent[name];
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new OverrideProblem("text", [...place, name]);
  return value;
}

function flagAt(sent: Fields, name: string, place: JsonPath): boolean {
  const value = sent[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw new OverrideProblem("boolean", [...place, name]);
  return value;
}

function choiceAt<Choice extends string>(sent: string, choices: readonly Choice[], place: JsonPath): Choice {
  const found = choices.find((choice) => choice === sent);
  if (found === undefined) throw new OverrideProblem("choice", place, { choices: choices.join(", ") });
  return found;
}

/** The value, unless it nests deeper than any parameter does. */
function checkDepth(value: unknown, place: JsonPath, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= OVERRIDE_BOUNDS.valueDepth)
    throw new OverrideProblem("deep", place, { maximum: OVERRIDE_BOUNDS.valueDepth });
  for (const inner of Object.values(value)) checkDepth(inner, place, depth + 1);
}

function stepOf(part: string, place: JsonPath): PathStep {
  if (part === "*") return { kind: "every", name: "*" };
  if (part === "#") return { kind: "count", name: "#" };
  const name = part.replace(/\\(.)/gsu, "$1");
  if (name === "") throw new OverrideProblem("path_blank", place);
  if (name === "__proto__") throw new OverrideProblem("reserved", place);
  return /^:-?\d+$/.test(name) ? { kind: "key", name: name.slice(1) } : { kind: "name", name };
}

/**
 * The steps of a dotted path: names, indexes from 0 (negative ones from the end), `*` for each member, `#` for a length in conditions;
 * `\` makes a dot, a star or a number sign part of a name, a colon makes digits a name. Throws OverrideProblem.
 */
export function readPath(path: string, place: JsonPath): readonly PathStep[] {
  const { pathCharacters, pathSteps } = OVERRIDE_BOUNDS;
  if (path.length > pathCharacters) throw new OverrideProblem("long", place);
  // Queries and pipes of gjson, which would be taken for names.
  if (/(?:^|\.)#\(|\|/.test(path)) throw new OverrideProblem("path_query", place);
  const parts = path.split(/(?<!\\)\./u).map((part) => part.trim());
  if (parts.length > pathSteps) throw new OverrideProblem("too_many", place, { maximum: pathSteps });
  return parts.map((part) => stepOf(part, place));
}

function conditionOf(sent: unknown, place: JsonPath): OverrideCondition {
  if (!isFields(sent)) throw new OverrideProblem("map", place);
  checkNames(sent, CONDITION_FIELDS, place);
  const path = textAt(sent, "path", place).trim();
  if (path === "") throw new OverrideProblem("needed", [...place, "path"]);
  readPath(path, [...place, "path"]);
  const mode = choiceAt(textAt(sent, "mode", place).toLowerCase(), CONDITION_MODES, [...place, "mode"]);
  const value = sent["value"] ?? null;
  checkDepth(value, [...place, "value"]);
  const isOrder = mode === "gt" || mode === "gte" || mode === "lt" || mode === "lte";
  if (isOrder && typeof value !== "number") throw new OverrideProblem("number", [...place, "value"]);
  const passMissingKey = flagAt(sent, "pass_missing_key", place);
  return { path, mode, value, invert: flagAt(sent, "invert", place), passMissingKey };
}

/** Conditions as a list, or as an object whose values are compared in full. Throws OverrideProblem. */
export function readConditions(sent: unknown, place: JsonPath): readonly OverrideCondition[] {
  if (sent === undefined || sent === null) return [];
  const list = isFields(sent) ? Object.entries(sent).map(([path, value]) => ({ path, mode: "full", value })) : sent;
  if (!Array.isArray(list)) throw new OverrideProblem("list", place);
  const { conditions: most } = OVERRIDE_BOUNDS;
  if (list.length > most) throw new OverrideProblem("too_many", place, { maximum: most });
  return list.map((each: unknown, index) => conditionOf(each, [...place, index]));
}

/** AND or OR in any case. Throws OverrideProblem. */
export function readLogic(sent: Fields, place: JsonPath, otherwise: OverrideLogic): OverrideLogic {
  const text = textAt(sent, "logic", place).trim().toUpperCase();
  return text === "" ? otherwise : choiceAt(text, ["AND", "OR"], [...place, "logic"]);
}

const PATH_FIELDS = ["path", "from", "to"] as const;

function checkNeeded(operation: OverrideOperation, fields: ModeFields, place: JsonPath): void {
  for (const name of PATH_FIELDS)
    if (fields[name] === "needed" && operation[name] === "") throw new OverrideProblem("needed", [...place, name]);
  if (fields.path === "alias")
    for (const name of ["from", "to"] as const)
      if (operation[name] === "") throw new OverrideProblem("needed", [...place, name]);
  if (fields.value === "needed" && (operation.value === undefined || operation.value === null))
    throw new OverrideProblem("needed", [...place, "value"]);
}

function checkPaths({ mode, path, from, to }: OverrideOperation, { changes }: ModeFields, place: JsonPath): void {
  if (changes === "body" && path !== "") readPath(path, [...place, "path"]);
  if (mode !== "move" && mode !== "copy") return;
  readPath(from, [...place, "from"]);
  readPath(to, [...place, "to"]);
}

/** What is searched for and what is put in its place are texts as they are; paths and header names have no blanks around them. */
const isReplacement = (mode: OverrideMode): boolean => mode === "replace" || mode === "regex_replace";

function operationOf(sent: unknown, place: JsonPath): OverrideOperation {
  if (!isFields(sent)) throw new OverrideProblem("map", place);
  checkNames(sent, OPERATION_FIELDS, place);
  const mode = choiceAt(textAt(sent, "mode", place), Object.keys(OVERRIDE_MODES) as OverrideMode[], [...place, "mode"]);
  const fields = modeFields(mode);
  const path = textAt(sent, "path", place).trim();
  const alias = fields.path === "alias" ? path : "";
  const end = (name: "from" | "to"): string => {
    const text = textAt(sent, name, place);
    return (isReplacement(mode) ? text : text.trim()) || alias;
  };
  const operation: OverrideOperation = {
    mode,
    path,
    from: end("from"),
    to: end("to"),
    value: sent["value"],
    keepOrigin: flagAt(sent, "keep_origin", place),
    conditions: readConditions(sent["conditions"], [...place, "conditions"]),
    logic: readLogic(sent, place, "OR"),
  };
  checkDepth(operation.value, [...place, "value"]);
  checkNeeded(operation, fields, place);
  checkPaths(operation, fields, place);
  return operation;
}

/** An override that was parsed from JSON. Throws OverrideProblem for what is none. */
export function readParamOverride(sent: Readonly<Record<string, unknown>>): ParamOverride {
  const { operations: list, ...plain } = sent;
  if (list === undefined) return { plain, operations: [] };
  if (!Array.isArray(list)) throw new OverrideProblem("list", ["operations"]);
  const { operations: most } = OVERRIDE_BOUNDS;
  if (list.length > most) throw new OverrideProblem("too_many", ["operations"], { maximum: most });
  return { plain, operations: list.map((each: unknown, index) => operationOf(each, ["operations", index])) };
}

/** The refusal of a problem in a text, with its line and column. */
export function overrideRefusal(text: string, { reason, values, path }: OverrideProblem): AppError {
  const { line, column } = placeOfPath(text, path, reason === "unknown_name" ? "name" : "value");
  const place = pathOf(path);
  return new AppError("channel_override_invalid", {
    message: `${place}: ${sentenceOf(reason, values)} (line ${line}, column ${column})`,
    field: "param_override",
    values: { reason, ...values, path: place, line, column },
  });
}

/** The override in a text that was typed. Throws AppError channel_override_invalid, which names the reason and the place. */
export function parseParamOverride(text: string): ParamOverride {
  const broken = findJsonError(text);
  if (broken !== undefined) {
    const { line, column } = broken;
    const message = `param_override: Not a valid JSON string (line ${line}, column ${column})`;
    throw new AppError("channel_override_invalid", { message, field: "param_override", values: { line, column } });
  }
  const value: unknown = JSON.parse(text);
  try {
    if (!isFields(value)) throw new OverrideProblem("map", []);
    return readParamOverride(value);
  } catch (error) {
    if (error instanceof OverrideProblem) throw overrideRefusal(text, error);
    throw error;
  }
}
