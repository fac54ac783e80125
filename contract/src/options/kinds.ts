/** Kinds of option values: how each text is parsed, checked and normalised. Only the catalogue uses them. */
import { MAX_RATIO, plainDecimal } from "./decimals.ts";
import { type Refusal, refusalOf, refuse } from "./refusals.ts";
import type { OptionKind, OptionOwner, OptionUnit } from "./option-kinds.ts";
import type { OptionSection } from "./sections.ts";

/** The parsed value of an option, and the text to store for it. */
interface OptionReading<Value> {
  value: Value;
  normalised: string;
}

export interface OptionRules {
  /** Where it stands on the settings page. */
  section: OptionSection;
  /** Who may set it. No option is without one: a new one has to be thought about. */
  owner: OptionOwner;
  /** Never sent to clients, and encrypted at rest. */
  isSecret?: boolean;
}

export interface OptionDefinition<Value> {
  kind: OptionKind;
  section: OptionSection;
  /** As text, which is how it is stored and sent. */
  defaultText: string;
  owner: OptionOwner;
  isSecret: boolean;
  minimum?: number | undefined;
  maximum?: number | undefined;
  unit?: OptionUnit | undefined;
  choices?: readonly string[];
  /** Throws AppError option_invalid where the text is not a value of this option. */
  read(text: string): OptionReading<Value>;
  /** Why the value may not be stored now; a text that is already stored is still read. */
  reasonAgainst?(value: Value, text: string): Refusal | undefined;
}

interface NumberRules extends OptionRules {
  minimum?: number | undefined;
  maximum?: number | undefined;
  unit?: OptionUnit | undefined;
}

/** What every kind takes from its rules. */
export function common(rules: OptionRules) {
  return { section: rules.section, owner: rules.owner, isSecret: rules.isSecret ?? false };
}

/** A boolean, sent and stored as `true` or `false`. */
export function booleanOption(defaultValue: boolean, rules: OptionRules): OptionDefinition<boolean> {
  return {
    kind: "boolean",
    defaultText: String(defaultValue),
    ...common(rules),
    read: (text) =>
      text === "true" || text === "false" ? { value: text === "true", normalised: text } : refuse("boolean"),
  };
}

function checkRange(value: number, { minimum, maximum }: NumberRules): void {
  if (minimum !== undefined && value < minimum) refuse("smallest", { minimum });
  if (maximum !== undefined && value > maximum) refuse("largest", { maximum });
}

/** A whole number; one that JavaScript cannot represent exactly is refused. */
export function integerOption(defaultValue: number, rules: NumberRules): OptionDefinition<number> {
  return {
    kind: "integer",
    defaultText: String(defaultValue),
    ...common(rules),
    minimum: rules.minimum,
    maximum: rules.maximum,
    unit: rules.unit,
    read(text) {
      const value = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(value)) refuse("whole");
      checkRange(value, rules);
      return { value, normalised: String(value) };
    },
  };
}

/** A number stored as decimal text, with at most `maximumDecimals` digits after the point. */
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
    unit: rules.unit,
    read(text) {
      const read = plainDecimal(text);
      const value = "decimal" in read ? read.decimal : refuse(read.reason);
      checkRange(Number(value), rules);
      const decimals = value.split(".")[1]?.length ?? 0;
      const most = rules.maximumDecimals ?? 20;
      if (decimals > most) refuse("decimals", { decimals: most });
      return { value, normalised: value };
    },
    reasonAgainst: (value) => (Number(value) > MAX_RATIO ? refusalOf("largest", { maximum: MAX_RATIO }) : undefined),
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
      if (text.length > MAXIMUM_TEXT_LENGTH) refuse("long");
      return { value: text, normalised: text };
    },
  };
}

const CURRENCY_SIGN_LENGTH = 8;

/** The sign of a currency: 1 to 8 characters before an amount, none of which could be read as part of the amount. */
export function currencySignOption(defaultText: string, rules: OptionRules): OptionDefinition<string> {
  return {
    ...textOption(defaultText, rules),
    read(text) {
      const value = text.trim();
      const isSign = /^[^\d\s.,，+\-−－<>&"'\p{C}]+$/u.test(value) && [...value].length <= CURRENCY_SIGN_LENGTH;
      return isSign ? { value, normalised: value } : refuse("currency_sign", { maximum: CURRENCY_SIGN_LENGTH });
    },
  };
}

function isTimeZone(name: string): boolean {
  if (name === "UTC") return true; // the default: the first look at any other zone reads 5 MB of data about languages
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A time zone by its name in the IANA database (https://www.iana.org/time-zones), or an offset such as +08:00. */
export function timeZoneOption(defaultText: string, rules: OptionRules): OptionDefinition<string> {
  return {
    kind: "text",
    defaultText,
    ...common(rules),
    read(text) {
      const value = text.trim();
      return isTimeZone(value) ? { value, normalised: value } : refuse("time_zone");
    },
  };
}

/** One of a few fixed values. */
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
      return value === undefined ? refuse("choice", { choices: choices.join(", ") }) : { value, normalised: value };
    },
  };
}

/** Empty or an http(s) URL without user and password. `trimsSlash` removes trailing slashes. */
export function urlOption(rules: OptionRules & { trimsSlash?: boolean }): OptionDefinition<string> {
  return {
    kind: "url",
    defaultText: "",
    ...common(rules),
    read(text) {
      const trimmed = rules.trimsSlash === true ? text.trim().replace(/\/+$/, "") : text.trim();
      if (trimmed !== "" && !isWebAddress(trimmed)) refuse("web_address");
      return { value: trimmed, normalised: trimmed };
    },
    // Paths are appended to URLs that are trimmed.
    reasonAgainst: (address) => loginOf(address) ?? (rules.trimsSlash === true ? endOfBase(address) : undefined),
  };
}

/** Credentials before the host are never sent, and all who see the settings could read them. */
function loginOf(address: string): Refusal | undefined {
  const url = URL.parse(address);
  return url === null || (url.username === "" && url.password === "") ? undefined : refusalOf("address_login");
}

const endOfBase = (address: string): Refusal | undefined =>
  /[?#]/.test(address) ? refusalOf("base_address") : undefined;

/** Empty, an http(s) URL, a path of this site, or an inline image (`data:image/`). */
export function pictureOption(rules: OptionRules): OptionDefinition<string> {
  const plain = textOption("", rules);
  return {
    ...plain,
    kind: "picture",
    read(text) {
      const trimmed = text.trim();
      const isPicture = trimmed === "" || isWebAddress(trimmed) || /^(?:\/(?![/\\])|data:image\/)/i.test(trimmed);
      if (!isPicture) refuse("picture");
      return plain.read(trimmed);
    },
  };
}

/** Whether a text is an http(s) URL with a host. */
export function isWebAddress(text: string): boolean {
  const address = URL.parse(text);
  return address !== null && (address.protocol === "https:" || address.protocol === "http:") && address.host !== "";
}

interface ListRules extends OptionRules {
  isLowerCased?: boolean;
  /** Refuses an entry by throwing AppError option_invalid. */
  checkEntry?: (entry: string) => void;
}

/** The entries between separators, blank and repeated ones dropped. */
export function readList(
  text: string,
  separator: RegExp,
  joiner: string,
  rules: ListRules,
): OptionReading<readonly string[]> {
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
