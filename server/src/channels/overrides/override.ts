/** A channel's parameter override, compiled once and applied to the request that goes to its upstream: body, headers, or an error for the caller. */
import {
  OverrideProblem,
  overrideRefusal,
  parseParamOverride,
  readParamOverride,
  readPath,
} from "../../../../contract/src/channels/override-reader.ts";
import {
  modeFields,
  OVERRIDE_BOUNDS,
  type OverrideOperation,
  type ParamOverride,
  type PathStep,
} from "../../../../contract/src/channels/overrides.ts";
import type { JsonPath } from "../../../../contract/src/options/json-places.ts";
import { BODY_COMPILERS } from "./body.ts";
import { type Asked, type CompiledConditions, compileConditions } from "./conditions.ts";
import {
  copyHeader,
  deleteHeader,
  HeaderChanges,
  type HeaderRule,
  passHeaders,
  setHeader,
  sourceName,
  targetName,
} from "./headers.ts";
import { placesOf, setAt, valueAt } from "./paths.ts";
import { isFields, OverrideFault, textOf, Work } from "./work.ts";

/** The error that a rule answers the caller with. */
export interface ReturnedError {
  readonly message: string;
  readonly status: number;
  readonly code: string;
  readonly type: string;
  /** No other channel is tried. */
  readonly skipsRetry: boolean;
}

/** The request that rules are applied to. */
export interface OverrideRequest {
  /** The parsed body, which is changed in place; undefined where the body is sent unchanged, or there is none. */
  readonly body: Record<string, unknown> | undefined;
  /** What conditions read in place of a body that is sent unchanged: the texts of a form. */
  readonly shownBody?: Readonly<Record<string, unknown>>;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  /** Headers of the client that rules may read (`readableHeaders`). */
  readonly clientHeaders: Readonly<Record<string, string>>;
  /** What conditions read beside the body: model, path, retries, the last error. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The channel's key, for `{api_key}` in headers. */
  readonly apiKey: string;
}

export interface Overridden {
  readonly headers: string[];
  /** Mode and path of each operation that did something, without values; bounded, for receipts. */
  readonly applied: readonly string[];
  /** Body operations that were skipped, since the body is sent unchanged. */
  readonly leftOut: number;
  /** The error for the caller, which ends the call at this channel. */
  readonly refusal: ReturnedError | undefined;
}

interface State extends Asked {
  readonly headers: HeaderChanges;
}

interface CompiledOperation {
  readonly operation: OverrideOperation;
  readonly label: string;
  readonly conditions: CompiledConditions;
  readonly needsBody: boolean;
  readonly refusal?: ReturnedError;
  run(state: State): boolean;
}

/** An override that was read and compiled. */
export interface CompiledOverride {
  /** Top-level fields of the body. */
  readonly plain: Readonly<Record<string, unknown>>;
  /** The same as JSON texts, for bodies that are patched in their own bytes. */
  readonly plainTexts: ReadonlyMap<string, string>;
  readonly hasOperations: boolean;
  /** An operation looks for a pattern, which takes a while in long texts. */
  readonly hasPatterns: boolean;
  /** Applies the operations. Throws OverrideFault where one does not fit the request. */
  apply(request: OverrideRequest): Overridden;
}

/** Bounds of what a receipt has of an override. */
const MAX_APPLIED = 32;
const LABEL_CHARACTERS = 128;

const ERROR_DEFAULTS = { status: 400, code: "invalid_request", type: "invalid_request_error" };

function shortText(value: unknown, place: JsonPath): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string" && typeof value !== "number") throw new OverrideProblem("text", place);
  const text = String(value).trim();
  if (text.length > OVERRIDE_BOUNDS.messageCharacters) throw new OverrideProblem("long", place);
  return text;
}

/** The error in a value: its message alone, or an object. Throws OverrideProblem. */
function errorOf(value: unknown, place: JsonPath): ReturnedError {
  const fields = typeof value === "string" ? { message: value } : value;
  if (!isFields(fields)) throw new OverrideProblem("map", place);
  const text = (name: string): string => shortText(fields[name], [...place, name]);
  const statusName = fields["status_code"] === undefined ? "status" : "status_code";
  const status = fields[statusName] ?? ERROR_DEFAULTS.status;
  if (!Number.isInteger(status) || (status as number) < 400 || (status as number) > 599)
    throw new OverrideProblem("error_status", [...place, statusName]);
  const message = text("message") || text("msg");
  if (message === "") throw new OverrideProblem("needed", [...place, "message"]);
  const { skip_retry: skipsRetry = true } = fields;
  if (typeof skipsRetry !== "boolean") throw new OverrideProblem("boolean", [...place, "skip_retry"]);
  const [code, type] = [text("code") || ERROR_DEFAULTS.code, text("type") || ERROR_DEFAULTS.type];
  return { message, status: status as number, code, type, skipsRetry };
}

/** One side of `sync_fields`. */
interface SyncSide {
  read(state: State): unknown;
  write(state: State, value: unknown): void;
  readonly isBody: boolean;
}

function bodySide(path: string, place: JsonPath): SyncSide {
  const steps: readonly PathStep[] = readPath(path, place);
  if (steps.some(({ kind }) => kind === "every" || kind === "count")) throw new OverrideProblem("path_one", place);
  const at = ({ body, work }: State): readonly PathStep[] => placesOf(body, steps, work)[0] ?? [];
  return {
    isBody: true,
    read(state) {
      const found = valueAt(state.body, at(state));
      return found.exists ? found.value : undefined;
    },
    write: (state, value) => setAt(state.body, at(state), state.work.copy(value)),
  };
}

function headerSide(name: string, place: JsonPath): SyncSide {
  const header = targetName(sourceName(name, place), place);
  return {
    isBody: false,
    read: ({ headers }) => headers.read(header),
    write: ({ headers }, value) => headers.set(header, textOf(value)),
  };
}

/** `json:` or `body:` and a path, `header:` and a name; a path alone is one of the body. */
function syncSide(text: string, place: JsonPath): SyncSide {
  const [, kind = "json", name = ""] = /^(?:([a-z]+)\s*:)?(.*)$/is.exec(text) ?? [];
  if (name.trim() === "") throw new OverrideProblem("needed", place);
  if (kind.toLowerCase() === "header") return headerSide(name, place);
  if (!["json", "body"].includes(kind.toLowerCase()))
    throw new OverrideProblem("choice", place, { choices: "json:, body:, header:" });
  return bodySide(name.trim(), place);
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");

/** Fills the side that is missing from the other one. */
function syncRule(
  { from, to }: OverrideOperation,
  place: JsonPath,
): { needsBody: boolean; run: CompiledOperation["run"] } {
  const [left, right] = [syncSide(from, [...place, "from"]), syncSide(to, [...place, "to"])];
  return {
    needsBody: left.isBody || right.isBody,
    run(state) {
      const [first, second] = [left.read(state), right.read(state)];
      if (isBlank(first) === isBlank(second)) return false;
      if (isBlank(first)) left.write(state, second);
      else right.write(state, first);
      return true;
    },
  };
}

const HEADER_COMPILERS: Readonly<
  Partial<Record<OverrideOperation["mode"], (operation: OverrideOperation, place: JsonPath) => HeaderRule>>
> = {
  set_header: setHeader,
  delete_header: deleteHeader,
  copy_header: copyHeader,
  move_header: copyHeader,
  pass_headers: passHeaders,
};

/** What a receipt has of an operation: its mode and where it acts, never what it puts there. */
function labelOf({ mode, path, from, to, value }: OverrideOperation): string {
  const { from: takesFrom, to: takesTo } = modeFields(mode);
  const isReplacement = mode === "replace" || mode === "regex_replace";
  const names = mode === "pass_headers" ? textOf(value) : path;
  const where = takesFrom !== undefined && takesTo !== undefined && !isReplacement ? `${from} -> ${to}` : names;
  return `${mode} ${where}`.trim().slice(0, LABEL_CHARACTERS);
}

function compileOperation(operation: OverrideOperation, place: JsonPath): CompiledOperation {
  const { mode, conditions, logic, value } = operation;
  const compiled = compileConditions(conditions, logic, [...place, "conditions"]);
  const common = { operation, label: labelOf(operation), conditions: compiled };
  const ofBody = BODY_COMPILERS[mode];
  if (ofBody !== undefined) return { ...common, needsBody: true, run: ofBody(operation, place) };
  const ofHeaders = HEADER_COMPILERS[mode];
  if (ofHeaders !== undefined) {
    const rule = ofHeaders(operation, place);
    return { ...common, needsBody: false, run: ({ headers }) => rule(headers) };
  }
  if (mode === "sync_fields") return { ...common, ...syncRule(operation, place) };
  return { ...common, needsBody: false, refusal: errorOf(value, [...place, "value"]), run: () => true };
}

/** The rules with what goes wrong in one named by its place. */
function applyTo(operations: readonly CompiledOperation[], request: OverrideRequest): Overridden {
  const headers = new HeaderChanges(request.headers, request.clientHeaders);
  const work = new Work();
  const body = request.body ?? request.shownBody;
  const applied: string[] = [];
  let leftOut = 0;
  const done = (refusal?: ReturnedError): Overridden => ({
    headers: headers.applied(request.apiKey),
    applied: applied.slice(0, MAX_APPLIED),
    leftOut,
    refusal,
  });
  for (const [index, { operation, label, conditions, needsBody, refusal, run }] of operations.entries()) {
    try {
      const facts = { ...request.facts, request_headers: request.clientHeaders, header_override: headers.changed };
      const state = { body, facts, work, headers };
      if (!conditions.hold(state)) continue;
      if (needsBody && request.body === undefined) {
        leftOut += 1;
        continue;
      }
      if (run(state) && !applied.includes(label)) applied.push(label);
      if (refusal !== undefined) return done(refusal);
    } catch (error) {
      if (!(error instanceof OverrideFault)) throw error;
      throw new OverrideFault(`operations[${index}] (${operation.mode}): ${error.message}`, { cause: error });
    }
  }
  return done();
}

/** Compiles what was read. Throws OverrideProblem. */
function compile({ plain, operations }: ParamOverride): CompiledOverride {
  const compiled = operations.map((operation, index) => compileOperation(operation, ["operations", index]));
  return {
    plain,
    plainTexts: new Map(Object.entries(plain).map(([name, value]) => [name, JSON.stringify(value)])),
    hasOperations: compiled.length > 0,
    hasPatterns: operations.some(({ mode }) => mode === "regex_replace"),
    apply: (request) => applyTo(compiled, request),
  };
}

const compiledOverrides = new WeakMap<object, CompiledOverride | OverrideProblem>();

/**
 * The override of a channel as it is stored, compiled once for each version of the channel. Throws OverrideProblem for one that was stored
 * before it was checked.
 */
export function overrideOf(stored: Readonly<Record<string, unknown>>): CompiledOverride {
  let known = compiledOverrides.get(stored);
  if (known === undefined) {
    try {
      known = compile(readParamOverride(stored));
    } catch (error) {
      if (!(error instanceof OverrideProblem)) throw error;
      known = error;
    }
    compiledOverrides.set(stored, known);
  }
  if (known instanceof OverrideProblem) throw known;
  return known;
}

/** The override in a text that is to be stored or tried. Throws AppError channel_override_invalid, which names the reason and the place. */
export function checkOverrideText(text: string): CompiledOverride {
  const parsed = parseParamOverride(text);
  try {
    return compile(parsed);
  } catch (error) {
    if (error instanceof OverrideProblem) throw overrideRefusal(text, error);
    throw error;
  }
}
