/** Options as typed values: reading the stored rows, and checking one change before anything is written. */
import { ERRORS } from "../error-codes.ts";
import { AppError } from "../errors.ts";
import { OPTION_CATALOGUE } from "./catalogue.ts";
import { type JsonPath, placeOfPath } from "./json-places.ts";
import type { OptionDefinition } from "./kinds.ts";
import { hasUnseen } from "../names.ts";
import { brokenPrerequisite } from "./prerequisites.ts";
import type { ProvenWays } from "./prerequisites.ts";
import { withOneQuotaUnit } from "./quota-unit.ts";
import { placed } from "./refusals.ts";

export type OptionName = keyof typeof OPTION_CATALOGUE;

type ValueOf<Definition> = Definition extends OptionDefinition<infer Value> ? Value : never;

/** The value of every option: JSON parsed, decimals (also inside price maps) as text, secrets in clear. Must never be sent as a whole. */
export type OptionValues = { readonly [Name in OptionName]: ValueOf<(typeof OPTION_CATALOGUE)[Name]> };

/** Names in the order of the catalogue. */
export const OPTION_NAMES: readonly OptionName[] = Object.freeze(Object.keys(OPTION_CATALOGUE) as OptionName[]);

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTION_CATALOGUE, name);
}

/** The catalogue's entry of one option, without the type of its value. */
export function optionDefinition(name: OptionName): OptionDefinition<unknown> {
  return OPTION_CATALOGUE[name];
}

/** Names of the options that are encrypted at rest and never sent. */
export const SECRET_OPTION_NAMES: ReadonlySet<OptionName> = new Set(
  OPTION_NAMES.filter((name) => OPTION_CATALOGUE[name].isSecret),
);

/**
 * Reads stored texts (secrets already decrypted) into typed values; an absent row has the default.
 * A stored text that is no longer valid also gives the default and is reported to `onInvalid`; rows with unknown names are ignored.
 */
export function parseOptions(
  rows: ReadonlyMap<string, string>,
  onInvalid: (name: OptionName, reason: string) => void = () => undefined,
): OptionValues {
  const texts = withOneQuotaUnit(rows);
  const values = OPTION_NAMES.map((name) => [name, readStored(name, texts.get(name), onInvalid)] as const);
  return Object.freeze(Object.fromEntries(values)) as OptionValues;
}

function readStored(
  name: OptionName,
  text: string | undefined,
  onInvalid: (name: OptionName, reason: string) => void,
): unknown {
  const definition = optionDefinition(name);
  if (text === undefined) return definition.read(definition.defaultText).value;
  try {
    return definition.read(text).value;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    onInvalid(name, error.message);
    return definition.read(definition.defaultText).value;
  }
}

/**
 * Checks one change against the catalogue and against the options it depends on; writes nothing.
 * @param proven sign-in methods other than the password that an administrator has used.
 * @returns the normalised text to store: slashes trimmed, lists tidied, numbers in plain form.
 * @throws AppError option_unknown, option_invalid, option_prerequisite or name_characters, each naming the option as `field`.
 */
export function validateOption(
  name: string,
  value: string,
  current: OptionValues,
  proven: ProvenWays = new Set(),
): { normalised: string } {
  if (!isOptionName(name)) throw new AppError("option_unknown", { field: name });
  const reading = readSent(name, value);
  const { kind, reasonAgainst } = optionDefinition(name);
  const refusal = reasonAgainst?.(reading.value, value);
  if (refusal !== undefined) throw new AppError("option_invalid", { ...refusal, field: name });
  if (kind === "json") refuseUnseen(name, value, reading.value);
  if (name === "SystemName" && hasUnseen(value.trim())) throw new AppError("name_characters", { field: name });
  const broken = brokenPrerequisite(name, reading.value, current, proven);
  if (broken !== undefined) throw new AppError("option_prerequisite", { ...broken, field: name });
  return { normalised: reading.normalised };
}

/** Keys and texts inside JSON options name groups, models and links. Throws AppError name_characters with the place. */
function refuseUnseen(name: OptionName, text: string, value: unknown): void {
  const found = unseenIn(value, []);
  if (found === undefined) return;
  const place = { ...placeOfPath(text, found.path, found.part), path: found.path };
  throw new AppError("name_characters", { ...placed(ERRORS.name_characters.message, {}, place), field: name });
}

function unseenIn(value: unknown, path: JsonPath): { path: JsonPath; part: "name" | "value" } | undefined {
  if (typeof value === "string") return hasUnseen(value.trim()) ? { path, part: "value" } : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    const found = hasUnseen(key) ? ({ path: at, part: "name" } as const) : unseenIn(inner, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readSent(name: OptionName, value: string) {
  try {
    return optionDefinition(name).read(value);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, values = {} } = error;
    throw new AppError("option_invalid", { message, values, field: name, cause: error });
  }
}
