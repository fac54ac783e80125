/** Options that list HTTP statuses as ranges, `401,409-499`: how such a text is read, checked and asked. Used by the catalogue, routing and automatic disabling. */
import { common, type OptionDefinition, type OptionRules, readList } from "./kinds.ts";
import { refuse } from "./refusals.ts";

/** Both ends belong to the range. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Statuses of HTTP have three digits, the first from 1 to 5 (RFC 9110, section 15). */
const RANGE = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/;
/** A list of every status with its comma, twice. */
const MAXIMUM_LENGTH = 4000;

/** `429` or `500-503`; throws AppError option_invalid naming the entry otherwise. */
function readRange(entry: string): StatusRange {
  const [, from = "", to = from] = RANGE.exec(entry) ?? [];
  return from !== "" && from <= to ? { from: Number(from), to: Number(to) } : refuse("status_range", { entry });
}

/**
 * Statuses and ranges of statuses from 100 to 599 with commas between them; empty lists none. Blanks and commas of Chinese keyboards are taken,
 * repeated entries are dropped. `read` throws AppError option_invalid with the entry that is no range. A text to the settings page, whose first
 * load has no other control.
 */
export function statusCodesOption(defaultText: string, rules: OptionRules): OptionDefinition<readonly StatusRange[]> {
  return {
    kind: "text",
    defaultText,
    ...common(rules),
    read(text) {
      if (text.length > MAXIMUM_LENGTH) refuse("long");
      const { value, normalised } = readList(text.replace(/\s/g, ""), /[,，]/, ",", rules);
      return { value: value.map(readRange), normalised };
    },
  };
}

/** True where one of the ranges has the status. */
export const includesStatus = (ranges: readonly StatusRange[], status: number): boolean =>
  ranges.some(({ from, to }) => status >= from && status <= to);
