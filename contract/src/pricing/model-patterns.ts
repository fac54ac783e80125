/** Maps from models to prices in which `*` stands for any characters: their shape, and which entry a model has. */
import { z } from "zod";

/** Longer names are of no model. */
const MAX_PATTERN_LENGTH = 128;

export type ByModel<Value> = Readonly<Record<string, Value>>;

/** Decimal text of at least 0; numbers of an option arrive as text. */
export const decimalOfOption = z
  .string({ error: "Please enter a number" })
  .refine((text) => !text.startsWith("-"), "The smallest value is 0");

/** A map that has an entry for every model; it has no prototype, so no name of a model can hit one. */
export const mapByModel = <Value>(value: z.ZodType<Value>) =>
  z
    .record(z.string().max(MAX_PATTERN_LENGTH), value, { error: "Please give a JSON map" })
    .refine((map) => Object.hasOwn(map, "*"), 'Please give a price for "*", which is every other model')
    .transform((map): ByModel<Value> => Object.freeze(Object.assign(Object.create(null) as ByModel<Value>, map)));

/** What is said of an option that is no map with these keys; of a key too many the schema says its own. */
export const wantsMapsOf =
  (keys: readonly string[]) =>
  ({ code }: { code?: string | undefined }): string | undefined =>
    code === "unrecognized_keys" ? undefined : `Please give a JSON map of ${keys.join(", ")}`;

/** An option of such maps as an operator reads it: each key and each model on a line, decimals without quotes. */
export function textOfMaps<Key extends string, Value>(
  keys: readonly Key[],
  mapOf: (key: Key) => ByModel<Value>,
  valueText: (value: Value) => string,
): string {
  const inside = (key: Key): string =>
    Object.entries(mapOf(key))
      .map(([model, value]) => `    ${JSON.stringify(model)}: ${valueText(value)}`)
      .join(",\n");
  return `{\n${keys.map((key) => `  ${JSON.stringify(key)}: {\n${inside(key)}\n  }`).join(",\n")}\n}`;
}

/** Whether the name is the pattern's text with anything in place of each `*`. Each piece is looked for once, from left to right. */
function isFitting(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

const lettersOf = (pattern: string): number => pattern.replaceAll("*", "").length;

/** True where one of the patterns fits the model, whatever its case. */
export const isOneOf = (patterns: readonly string[], model: string): boolean =>
  patterns.some((pattern) => isFitting(pattern.toLowerCase(), model.toLowerCase()));

/** The value for a thing that goes by several names: of the entries that fit any of them, the one with most letters. */
export function entryFor<Value>(map: ByModel<Value>, names: readonly string[]): Value | undefined {
  const lower = names.map((name) => name.toLowerCase());
  const fitting = Object.keys(map).filter((pattern) => lower.some((name) => isFitting(pattern.toLowerCase(), name)));
  return map[fitting.reduce((most, own) => (lettersOf(own) > lettersOf(most) ? own : most), "*")];
}
