/** Refusals of option values: the sentence of a reason with its values and position, and the error that is thrown. */
import { AppError } from "../errors.ts";
import { showUnseen } from "../names.ts";
import type { JsonPath, JsonPlace } from "./json-places.ts";
import { OPTION_REASONS, type OptionReason } from "./reasons.ts";

type Values = Readonly<Record<string, string | number>>;

/** A refusal as an AppError is made of it: the English sentence with its place, and the same as values for translation. */
export interface Refusal {
  message: string;
  /** `reason` and what its sentence needs; `path`, `line` and `column` where the place is known. */
  values: Values;
}

/** A path as it is displayed: "gpt-4o › above". Indexes are counted from 1. */
const pathText = (path: JsonPath): string =>
  path.map((step) => (typeof step === "number" ? `#${step + 1}` : showUnseen(step))).join(" › ");

/** A sentence with the place in JSON text that it is about: "gpt-4o: The smallest value is 0 (line 3, column 12)". */
export function placed(sentence: string, values: Values, place: JsonPlace & { path: JsonPath }): Refusal {
  const { line, column } = place;
  const path = pathText(place.path);
  const start = path === "" ? "" : `${path}: `;
  return { message: `${start}${sentence} (line ${line}, column ${column})`, values: { ...values, path, line, column } };
}

/** The refusal for a reason; `place` is where the value is in JSON text. */
export function refusalOf(reason: OptionReason, values: Values = {}, place?: JsonPlace & { path: JsonPath }): Refusal {
  const sentence = OPTION_REASONS[reason].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  const all = { reason, ...values };
  return place === undefined ? { message: sentence, values: all } : placed(sentence, all, place);
}

/** Refuses a value of an option. Throws AppError option_invalid; the caller adds the option's name. */
export function refuse(reason: OptionReason, values?: Values, cause?: unknown): never {
  throw new AppError("option_invalid", { ...refusalOf(reason, values), cause });
}
