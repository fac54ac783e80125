/** Interprets a text typed into a filter: as one of the values that occur, or as a part of their names. Pure. */
import type { LogFacet, LogFacets } from "../../../../../contract/src/logs/sums.ts";

export type FacetValue = LogFacets["values"][number];

/** Fields whose values are named and not looked for by a part of them. */
const WHOLE: readonly LogFacet[] = ["channel", "error_code"];

/** "opus" of "%opus%"; a whole name is nothing one had typed. @param value as the address has it */
export const containedText = (value: string | undefined): string => /^%([^%]+)%$/.exec(value ?? "")?.[1] ?? "";

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());

/** The values that have the text in them, in the order they came. */
export const valuesWith = (values: readonly FacetValue[], text: string): FacetValue[] =>
  values.filter(({ value, name }) => has(value, text) || has(name, text));

/** A channel is searched by its number, with or without the sign people copy along, or by a part of its name that only one has. */
function channelOf(text: string, values: readonly FacetValue[]): string | undefined {
  const [first, ...more] = valuesWith(values, text);
  const isNumber = /^#?\d+$/.test(text);
  return isNumber ? text.replace("#", "") : more.length === 0 ? first?.value : undefined;
}

/** The filter's value for a text that was typed and applied; undefined for none. A `%` in it is the reader's own pattern. */
export function appliedText(field: LogFacet, text: string, values: readonly FacetValue[]): string | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  if (field === "channel") return channelOf(typed, values);
  const isWhole = WHOLE.includes(field) || typed.includes("%") || values.some(({ value }) => value === typed);
  return isWhole ? typed : `%${typed}%`;
}
