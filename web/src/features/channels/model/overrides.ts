/** A channel's parameter override in the form: rows over the JSON text that is stored, and what each mode of an operation takes. Pure. */
import {
  CONDITION_MODES,
  type ConditionMode,
  modeFields,
  OVERRIDE_MODES,
  type OverrideLogic,
  type OverrideMode,
} from "../../../../../contract/src/channels/overrides.ts";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";

/** Values are as typed: JSON, or a text without its quotes. */
export interface ConditionForm {
  path: string;
  mode: ConditionMode;
  value: string;
  invert: boolean;
  passMissingKey: boolean;
}

export interface OperationForm {
  mode: OverrideMode;
  description: string;
  path: string;
  from: string;
  to: string;
  value: string;
  keepOrigin: boolean;
  conditions: readonly ConditionForm[];
  logic: OverrideLogic;
}

export interface OverrideForm {
  /** JSON text of the plain fields; blank for none. */
  plain: string;
  operations: readonly OperationForm[];
}

export const MODES = Object.keys(OVERRIDE_MODES) as OverrideMode[];

const NO_OPERATION: OperationForm = {
  mode: "set",
  description: "",
  path: "",
  from: "",
  to: "",
  value: "",
  keepOrigin: false,
  conditions: [],
  logic: "OR",
};

export const NO_CONDITION: ConditionForm = {
  path: "",
  mode: "full",
  value: "",
  invert: false,
  passMissingKey: false,
};

/** Common rules, under the names of their texts. */
export const OVERRIDE_PRESETS = {
  set: { path: "temperature", value: "0.2" },
  remove: { mode: "delete", path: "max_tokens" },
  rename: {
    mode: "move",
    from: "max_tokens",
    to: "max_completion_tokens",
    conditions: [{ ...NO_CONDITION, path: "max_tokens", mode: "gt", value: "0" }],
  },
  append: { mode: "append", path: "messages.-1.content", value: "\n\nAnswer in English." },
  trimModel: { mode: "trim_prefix", path: "model", value: "openai/" },
  prune: { mode: "prune_objects", path: "messages", value: "redacted_thinking" },
  passHeaders: { mode: "pass_headers", value: '["x-trace-id","x-session-id"]', keepOrigin: true },
  refuse: {
    mode: "return_error",
    value: '{"message":"This model is not served here.","status_code":403,"code":"blocked"}',
    conditions: [{ ...NO_CONDITION, path: "original_model", mode: "prefix", value: "gpt-3.5" }],
  },
} as const satisfies Readonly<Record<string, Partial<OperationForm>>>;
export type OverridePreset = keyof typeof OVERRIDE_PRESETS;

export const presetOperation = (preset: OverridePreset): OperationForm => ({
  ...NO_OPERATION,
  ...OVERRIDE_PRESETS[preset],
});

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isJson = (text: string): boolean => text.trim() !== "" && findJsonError(text) === undefined;

/** A value as it is typed: a text that would be read as JSON keeps its quotes. */
function typedOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" && value.trim() !== "" && !isJson(value) ? value : JSON.stringify(value);
}

/** The value of what was typed: JSON where it is some, else the text itself; undefined for nothing. */
function valueOf(typed: string): unknown {
  if (typed === "") return undefined;
  return isJson(typed) ? JSON.parse(typed) : typed;
}

const TEXTS = ["description", "path", "from", "to"] as const;

function conditionForm(sent: unknown): ConditionForm | undefined {
  if (!isFields(sent)) return undefined;
  const { path, mode, value, invert = false, pass_missing_key: passMissingKey = false, ...rest } = sent;
  const known = CONDITION_MODES.find((each) => typeof mode === "string" && each === mode.toLowerCase());
  const isKnown = typeof invert === "boolean" && typeof passMissingKey === "boolean" && Object.keys(rest).length === 0;
  if (typeof path !== "string" || known === undefined || !isKnown) return undefined;
  return { path, mode: known, value: typedOf(value), invert, passMissingKey };
}

function operationForm(sent: unknown): OperationForm | undefined {
  if (!isFields(sent)) return undefined;
  const { mode, value, keep_origin: keepOrigin = false, conditions = [], logic = "OR", ...rest } = sent;
  const known = MODES.find((each) => each === mode);
  const names: readonly string[] = TEXTS;
  const areTexts = Object.entries(rest).every(([name, text]) => names.includes(name) && typeof text === "string");
  const upper = typeof logic === "string" ? logic.toUpperCase() : "";
  if (known === undefined || !areTexts || typeof keepOrigin !== "boolean" || !Array.isArray(conditions))
    return undefined;
  if (upper !== "AND" && upper !== "OR") return undefined;
  const read = conditions.map(conditionForm).filter((each) => each !== undefined);
  if (read.length !== conditions.length) return undefined;
  const texts = rest as Partial<Record<(typeof TEXTS)[number], string>>;
  return { ...NO_OPERATION, ...texts, mode: known, value: typedOf(value), keepOrigin, conditions: read, logic: upper };
}

/** Reads the stored text; undefined where rows cannot show all that it says, so that the text itself has to be edited. */
export function parseOverride(text: string): OverrideForm | undefined {
  if (text.trim() === "") return { plain: "", operations: [] };
  if (findJsonError(text) !== undefined) return undefined;
  const sent: unknown = JSON.parse(text);
  if (!isFields(sent)) return undefined;
  const { operations = [], ...plain } = sent;
  if (!Array.isArray(operations)) return undefined;
  const rows = operations.map(operationForm).filter((each) => each !== undefined);
  if (rows.length !== operations.length) return undefined;
  return { plain: Object.keys(plain).length === 0 ? "" : JSON.stringify(plain, null, 2), operations: rows };
}

const conditionFields = ({ path, mode, value, invert, passMissingKey }: ConditionForm): Fields => ({
  path: path.trim(),
  mode,
  value: valueOf(value) ?? "",
  ...(invert ? { invert } : {}),
  ...(passMissingKey ? { pass_missing_key: true } : {}),
});

/** Fields that the mode takes; what was typed for another one is left out. */
function operationFields(operation: OperationForm): Fields {
  const { mode, description, value, keepOrigin, conditions, logic } = operation;
  const takes = modeFields(mode);
  const text = (name: "path" | "from" | "to"): Fields =>
    takes[name] === undefined || operation[name] === "" ? {} : { [name]: operation[name] };
  const made = valueOf(value);
  return {
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    mode,
    ...text("path"),
    ...text("from"),
    ...text("to"),
    ...(takes.value === undefined || made === undefined ? {} : { value: made }),
    ...(takes.keepOrigin === true && keepOrigin ? { keep_origin: true } : {}),
    ...(conditions.length === 0 ? {} : { conditions: conditions.map(conditionFields), logic }),
  };
}

/** The text to store; "" where nothing is overridden. Plain fields that are no JSON object yet stay in the text, which is refused then. */
export function overrideText({ plain, operations }: OverrideForm): string {
  const rules = operations.map(operationFields);
  const isTyped = plain.trim() !== "";
  const fields: unknown = isTyped && isJson(plain) ? JSON.parse(plain) : {};
  if (isTyped && (!isJson(plain) || !isFields(fields))) return plain;
  const all = { ...(fields as Fields), ...(rules.length === 0 ? {} : { operations: rules }) };
  return Object.keys(all).length === 0 ? "" : JSON.stringify(all, null, 2);
}

/** The list with one entry replaced, taken out where `entry` is undefined. */
export const withEntry = <Entry>(list: readonly Entry[], at: number, entry: Entry | undefined): readonly Entry[] =>
  list.flatMap((each, index) => (index === at ? (entry === undefined ? [] : [entry]) : [each]));

/** The list with an entry one place further up. */
export function movedUp<Entry>(list: readonly Entry[], at: number): readonly Entry[] {
  const entry = list[at];
  const before = list[at - 1];
  if (entry === undefined || before === undefined) return list;
  return list.with(at - 1, entry).with(at, before);
}
