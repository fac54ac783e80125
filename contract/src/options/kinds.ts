/** Kinds of option values: how each text is parsed, checked and normalised. Only the catalogue uses them. */
import type { z } from "zod";
import { AppError } from "../errors.ts";
import { MAX_DECIMAL_LENGTH } from "../money.ts";

/** Tabs of the settings page. */
type OptionPage = "operation" | "ratelimit" | "models" | "system" | "other";

type OptionKind = "boolean" | "integer" | "decimal" | "text" | "choice" | "lines" | "commaList" | "json" | "url";

/** The parsed value of an option, and the text to store for it. */
interface OptionReading<Value> {
  value: Value;
  normalised: string;
}

export interface OptionRules {
  page: OptionPage;
  /** Never leaves the server and is encrypted at rest. */
  isSecret?: boolean;
  /** Changing it needs a fresh password confirmation; true for every secret, sign-in and payment option. */
  needsStepUp?: boolean;
}

export interface OptionDefinition<Value> {
  kind: OptionKind;
  page: OptionPage;
  /** As text, which is how it is stored and sent. */
  defaultText: string;
  isSecret: boolean;
  needsStepUp: boolean;
  minimum?: number | undefined;
  maximum?: number | undefined;
  choices?: readonly string[];
  /** Throws AppError option_invalid where the text is not a value of this option. */
  read(text: string): OptionReading<Value>;
  /** Why the value may not be stored now, as a sentence; a value that is already stored is still read. */
  reasonAgainst?(value: Value): string | undefined;
}

interface NumberRules extends OptionRules {
  minimum?: number | undefined;
  maximum?: number | undefined;
}

function common(rules: OptionRules) {
  const isSecret = rules.isSecret ?? false;
  return { page: rules.page, isSecret, needsStepUp: rules.needsStepUp ?? isSecret };
}

/** Refuses a text with a sentence for the operator. Throws AppError option_invalid; the caller adds the option's name. */
export function refuse(message: string, cause?: unknown): never {
  throw new AppError("option_invalid", { message, cause });
}

/** A boolean, sent and stored as `true` or `false`. */
export function booleanOption(defaultValue: boolean, rules: OptionRules): OptionDefinition<boolean> {
  return {
    kind: "boolean",
    defaultText: String(defaultValue),
    ...common(rules),
    read: (text) =>
      text === "true" || text === "false"
        ? { value: text === "true", normalised: text }
        : refuse("Please send true or false"),
  };
}

function checkRange(value: number, { minimum, maximum }: NumberRules): void {
  if (minimum !== undefined && value < minimum) refuse(`The smallest value is ${minimum}`);
  if (maximum !== undefined && value > maximum) refuse(`The largest value is ${maximum}`);
}

/** A whole number; one that JavaScript cannot represent exactly is refused. */
export function integerOption(defaultValue: number, rules: NumberRules): OptionDefinition<number> {
  return {
    kind: "integer",
    defaultText: String(defaultValue),
    ...common(rules),
    minimum: rules.minimum,
    maximum: rules.maximum,
    read(text) {
      const value = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(value)) refuse("Please enter a whole number");
      checkRange(value, rules);
      return { value, normalised: String(value) };
    },
  };
}

/** No real ratio or price is higher: a million USD, or a million times the unit. */
const MAX_RATIO = 1_000_000;

/** The first decimal text above the bound, with its path in the value. */
function tooLarge(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value === "string" && Number(value) > MAX_RATIO)
    return `${path.map((name) => `${name}: `).join("")}The largest value is ${MAX_RATIO}`;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = tooLarge(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Rewrites a JSON or typed number as plain decimal text without exponent, so that money code never sees a binary fraction.
 * Throws AppError option_invalid for anything that is not a finite number or has more digits than money code reads.
 */
function plainDecimal(text: string): string {
  const match = DECIMAL.exec(text.trim());
  if (match === null) refuse("Please enter a number");
  const [, sign = "", whole = "0", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 40) refuse("Please enter a number of ordinary size");
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const split = Math.max(point, 1);
  const left = padded.slice(0, split).replace(/^0+(?=\d)/, "");
  const right = padded.slice(split).replace(/0+$/, "");
  const plain = right === "" ? left : `${left}.${right}`;
  if (plain.length > MAX_DECIMAL_LENGTH) refuse("Please enter a number of ordinary size");
  return sign === "-" && plain !== "0" ? `-${plain}` : plain;
}

/** A number kept as decimal text, with at most `maximumDecimals` digits after the point. */
export function decimalOption(
  defaultText: string,
  rules: NumberRules & { maximumDecimals?: number },
): OptionDefinition<string> {
  return {
    kind: "decimal",
    defaultText,
    ...common(rules),
    minimum: rules.minimum,
    maximum: rules.maximum,
    read(text) {
      const value = plainDecimal(text);
      checkRange(Number(value), rules);
      const decimals = value.split(".")[1]?.length ?? 0;
      if (decimals > (rules.maximumDecimals ?? 20)) refuse(`At most ${rules.maximumDecimals} decimals`);
      return { value, normalised: value };
    },
    reasonAgainst: (value) => tooLarge(value),
  };
}

/** Longest text of one option in characters; enough for pages of HTML. */
const MAXIMUM_TEXT_LENGTH = 1_000_000;

/** Free text, stored unchanged. */
export function textOption(defaultText: string, rules: OptionRules): OptionDefinition<string> {
  return {
    kind: "text",
    defaultText,
    ...common(rules),
    read(text) {
      if (text.length > MAXIMUM_TEXT_LENGTH) refuse("The text is too long");
      return { value: text, normalised: text };
    },
  };
}

/** One of a few fixed words. */
export function choiceOption<const Choice extends string>(
  choices: readonly Choice[],
  defaultText: NoInfer<Choice>,
  rules: OptionRules,
): OptionDefinition<Choice> {
  return {
    kind: "choice",
    defaultText,
    ...common(rules),
    choices,
    read(text) {
      const value = choices.find((choice) => choice === text.trim());
      return value === undefined ? refuse(`Please choose one of ${choices.join(", ")}`) : { value, normalised: value };
    },
  };
}

/** Empty or an http(s) URL. `trimsSlash` removes trailing slashes. */
export function urlOption(rules: OptionRules & { trimsSlash?: boolean }): OptionDefinition<string> {
  return {
    kind: "url",
    defaultText: "",
    ...common(rules),
    read(text) {
      const trimmed = rules.trimsSlash === true ? text.trim().replace(/\/+$/, "") : text.trim();
      if (trimmed !== "" && !isWebAddress(trimmed))
        refuse("Please enter an address that starts with http:// or https://");
      return { value: trimmed, normalised: trimmed };
    },
    // Paths are appended to URLs that are trimmed.
    ...(rules.trimsSlash === true ? { reasonAgainst: endOfBase } : {}),
  };
}

const endOfBase = (address: string): string | undefined =>
  /[?#]/.test(address)
    ? "Please leave out the query (?) and the fragment (#): paths are added to this address"
    : undefined;

/** Empty, an http(s) URL, a path of this site, or an inline image (`data:image/`). */
export function pictureOption(rules: OptionRules): OptionDefinition<string> {
  const plain = textOption("", rules);
  return {
    ...plain,
    read(text) {
      const trimmed = text.trim();
      const isPicture = trimmed === "" || isWebAddress(trimmed) || /^(?:\/(?![/\\])|data:image\/)/i.test(trimmed);
      if (!isPicture) refuse("Please enter an address that starts with http://, https:// or /");
      return plain.read(trimmed);
    },
  };
}

function isWebAddress(text: string): boolean {
  const address = URL.parse(text);
  return address !== null && (address.protocol === "https:" || address.protocol === "http:") && address.host !== "";
}

interface ListRules extends OptionRules {
  isLowerCased?: boolean;
  /** Refuses an entry by throwing AppError option_invalid. */
  checkEntry?: (entry: string) => void;
}

function readList(text: string, separator: RegExp, joiner: string, rules: ListRules): OptionReading<readonly string[]> {
  const cased = rules.isLowerCased === true ? text.toLowerCase() : text;
  const entries = [...new Set(cased.split(separator).map((entry) => entry.trim()))].filter((entry) => entry !== "");
  if (rules.checkEntry !== undefined) entries.forEach(rules.checkEntry);
  return { value: Object.freeze(entries), normalised: entries.join(joiner) };
}

/** One entry per line; blank and repeated entries are dropped. */
export function linesOption(defaults: readonly string[], rules: ListRules): OptionDefinition<readonly string[]> {
  return {
    kind: "lines",
    defaultText: defaults.join("\n"),
    ...common(rules),
    read: (text) => readList(text, /\r?\n/, "\n", rules),
  };
}

/** Comma-separated entries; blank and repeated entries are dropped. */
export function commaListOption(defaults: readonly string[], rules: ListRules): OptionDefinition<readonly string[]> {
  return {
    kind: "commaList",
    defaultText: defaults.join(","),
    ...common(rules),
    read: (text) => readList(text, /,/, ",", rules),
  };
}

/** The reviver's third argument, which TypeScript's own library does not declare yet. */
type NumberReviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Turns each number into the decimal text in which it was written. A quoted number becomes null, which the schema then refuses. */
const numberAsText: NumberReviver = (_key, value, context) => {
  if (typeof value === "number") return plainDecimal(context?.source ?? String(value));
  return typeof value === "string" ? null : value;
};

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
    read(text) {
      const result = schema.safeParse(parseJson(text, rules.keepsDecimals === true));
      if (!result.success) refuse(describeIssue(result.error));
      return { value: result.data, normalised: text.trim() };
    },
    ...(rules.keepsDecimals === true ? { reasonAgainst: (value) => tooLarge(value) } : {}),
  };
}

function parseJson(text: string, keepsDecimals: boolean): unknown {
  try {
    return keepsDecimals ? JSON.parse(text, numberAsText) : JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return refuse("Not a valid JSON string", error);
  }
}

function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "Not a valid value";
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}
