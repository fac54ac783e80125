/** The language of a channel's parameter override, plain fields and operations on the body and headers of a request: its table and its bounds. */

// The language is that of new-api (docs.newapi.pro, "Parameter override"): channels can be moved over as they are.

/** What an operation reads beside its conditions. `alias`: `path` stands for a `from` or `to` that is absent. */
export interface ModeFields {
  path?: "needed" | "optional" | "alias";
  from?: "needed" | "optional";
  to?: "needed" | "optional";
  value?: "needed" | "optional";
  keepOrigin?: true;
  /** Changes the body, or the headers of the request; absent where it ends the call. */
  changes?: "body" | "headers" | "both";
}

/** Every mode with what it takes. */
export const OVERRIDE_MODES = {
  set: { path: "needed", value: "optional", keepOrigin: true, changes: "body" },
  delete: { path: "needed", changes: "body" },
  move: { from: "needed", to: "needed", changes: "body" },
  copy: { from: "needed", to: "needed", changes: "body" },
  append: { path: "needed", value: "needed", keepOrigin: true, changes: "body" },
  prepend: { path: "needed", value: "needed", keepOrigin: true, changes: "body" },
  replace: { path: "needed", from: "needed", to: "optional", changes: "body" },
  regex_replace: { path: "needed", from: "needed", to: "optional", changes: "body" },
  trim_prefix: { path: "needed", value: "needed", changes: "body" },
  trim_suffix: { path: "needed", value: "needed", changes: "body" },
  ensure_prefix: { path: "needed", value: "needed", changes: "body" },
  ensure_suffix: { path: "needed", value: "needed", changes: "body" },
  trim_space: { path: "needed", changes: "body" },
  to_lower: { path: "needed", changes: "body" },
  to_upper: { path: "needed", changes: "body" },
  prune_objects: { path: "optional", value: "needed", changes: "body" },
  sync_fields: { from: "needed", to: "needed", changes: "both" },
  set_header: { path: "needed", value: "needed", keepOrigin: true, changes: "headers" },
  delete_header: { path: "needed", changes: "headers" },
  copy_header: { path: "alias", from: "optional", to: "optional", keepOrigin: true, changes: "headers" },
  move_header: { path: "alias", from: "optional", to: "optional", keepOrigin: true, changes: "headers" },
  pass_headers: { value: "needed", keepOrigin: true, changes: "headers" },
  return_error: { value: "needed" },
} as const satisfies Readonly<Record<string, ModeFields>>;
export type OverrideMode = keyof typeof OVERRIDE_MODES;

export const modeFields = (mode: OverrideMode): ModeFields => OVERRIDE_MODES[mode];

/** How a condition compares; the last four take numbers alone. */
export const CONDITION_MODES = ["full", "prefix", "suffix", "contains", "gt", "gte", "lt", "lte"] as const;
export type ConditionMode = (typeof CONDITION_MODES)[number];

export type OverrideLogic = "AND" | "OR";

/** Bounds of one override; characters are UTF-16 code units. */
export const OVERRIDE_BOUNDS = {
  operations: 100,
  conditions: 20,
  pathCharacters: 256,
  pathSteps: 32,
  patternCharacters: 256,
  headerNames: 64,
  headerCharacters: 8_192,
  messageCharacters: 1_000,
  valueDepth: 32,
} as const;

export interface OverrideCondition {
  path: string;
  mode: ConditionMode;
  value: unknown;
  /** Holds where the comparison does not. */
  invert: boolean;
  /** Holds where there is nothing at the path. */
  passMissingKey: boolean;
}

export interface OverrideOperation {
  mode: OverrideMode;
  /** Blank where the mode takes none. */
  path: string;
  from: string;
  to: string;
  /** Undefined where none was given. */
  value: unknown;
  /** What is there stays. */
  keepOrigin: boolean;
  conditions: readonly OverrideCondition[];
  logic: OverrideLogic;
}

export interface ParamOverride {
  /** Top-level fields of the body, each under its literal name. */
  plain: Readonly<Record<string, unknown>>;
  operations: readonly OverrideOperation[];
}

/** One step of a path: a name (or index), each member of a list or object, or the length of a list. `key` is a name that is never an index. */
export interface PathStep {
  kind: "name" | "key" | "every" | "count";
  name: string;
}
