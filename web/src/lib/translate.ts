/**
 * Finds texts by their keys and fills values in, the way the locale files are written; pure, the texts that are loaded are held by i18n.ts.
 *
 * A key is `place.of.text`, or `namespace:place.of.text`. `key_zero`, `key_one` and `key_other` are chosen by the value `count`. In a text `{{name}}`
 * stands for a value and `{{name, number}}` for a number as the language writes it.
 */
import { apart } from "./names.ts";

/** The texts of one namespace in one language, in groups or plain. */
export type Texts = Readonly<Record<string, unknown>>;

/** What is filled in, by name. `count` also chooses the form of the text; `defaultValue` stands for a text that does not exist. */
export type Values = Readonly<Record<string, unknown>>;

/** Gives the text of a key in the reader's language; the key itself where there is none. */
export type TFunction = (key: string, values?: Values) => string;

const isGroup = (place: unknown): place is Texts => typeof place === "object" && place !== null;

/** The text at a key such as `column.name`; undefined where there is none, or a group of texts. */
export function textAt(texts: Texts | undefined, key: string): string | undefined {
  let place: unknown = texts;
  for (const part of key.split(".")) place = isGroup(place) && Object.hasOwn(place, part) ? place[part] : undefined;
  return typeof place === "string" ? place : undefined;
}

/** The texts of both, group by group; where both have a text the one that is added counts. */
export function joinTexts(texts: Texts | undefined, added: Texts): Texts {
  if (texts === undefined) return added;
  const joined = Object.entries(added).map(([name, place]) => {
    const known = texts[name];
    return [name, isGroup(known) && isGroup(place) ? joinTexts(known, place) : place];
  });
  return { ...texts, ...(Object.fromEntries(joined) as Texts) };
}

/** Marks that end a sentence or a part of it in Chinese; they bring the space behind them along. */
const WIDE_END = /[。！？；：，]$/;

/** Sentences one after the other, with a space between two where their language has one. Those that are empty or undefined are left out. */
export const sentences = (...texts: readonly (string | undefined)[]): string =>
  texts.reduce<string>((before, next = "") => {
    const space = before === "" || next === "" || WIDE_END.test(before) ? "" : " ";
    return `${before}${space}${next}`;
  }, "");

const pluralRules = new Map<string, Intl.PluralRules>();
const numberFormats = new Map<string, Intl.NumberFormat>();

function held<Value>(all: Map<string, Value>, language: string, make: (language: string) => Value): Value {
  const value = all.get(language) ?? make(language);
  all.set(language, value);
  return value;
}

/** The keys under which a text may stand, the first that exists counts: by the form of `count`, then the key itself. */
export function keysOf(language: string, key: string, count: unknown): readonly string[] {
  if (typeof count !== "number") return [key];
  const form = held(pluralRules, language, (each) => new Intl.PluralRules(each)).select(count);
  return [...(count === 0 ? [`${key}_zero`] : []), `${key}_${form}`, key];
}

const VALUE = /\{\{\s*(\w+)\s*(,\s*number\s*)?\}\}/g;

/** The text with its values; the place of one that is not given stays as it is written. What is named in a sentence cannot reverse the text around it (names.ts). */
export function fillIn(text: string, values: Values, language: string): string {
  if (!text.includes("{{")) return text;
  return text.replaceAll(VALUE, (place, name: string, isNumber: string | undefined) => {
    if (!Object.hasOwn(values, name)) return place;
    const value = values[name];
    if (value === undefined || value === null) return "";
    if (isNumber === undefined) return apart(String(value));
    return held(numberFormats, language, (each) => new Intl.NumberFormat(each)).format(Number(value));
  });
}
