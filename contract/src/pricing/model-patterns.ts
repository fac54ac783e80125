/** Maps from models to prices in which `*` stands for any characters: their schema, and which entry applies to a model. */
import { z } from "zod";

/** No model has a longer name. */
const MAX_PATTERN_LENGTH = 128;

export type ByModel<Value> = Readonly<Record<string, Value>>;

/** Decimal text of at least 0; numbers of an option arrive as text. */
export const decimalOfOption = z
  .string({ error: "Please enter a number" })
  .refine((text) => !text.startsWith("-"), "The smallest value is 0");

/** A map by model name; it has no prototype, so that no model name can collide with one. */
export const mapByModel = <Value>(value: z.ZodType<Value>) =>
  z
    .record(z.string().max(MAX_PATTERN_LENGTH), value, { error: "Please give a JSON map" })
    .refine((map) => Object.hasOwn(map, "*"), 'Please give a price for "*", which is every other model')
    .transform((map): ByModel<Value> => Object.freeze(Object.assign(Object.create(null) as ByModel<Value>, map)));

/** The message for an option that is not a map with these keys; for an unknown key the schema has its own. */
export const wantsMapsOf =
  (keys: readonly string[]) =>
  ({ code }: { code?: string | undefined }): string | undefined =>
    code === "unrecognized_keys" ? undefined : `Please give a JSON map of ${keys.join(", ")}`;

/** Prints an option of such maps for operators: each key and each model on its own line, decimals without quotes. */
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

/** Whether the name matches the pattern, in which each `*` stands for any characters. Searches each piece once, from left to right. */
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

/** True where one of the patterns matches the model, ignoring case. */
export const isOneOf = (patterns: readonly string[], model: string): boolean =>
  patterns.some((pattern) => isFitting(pattern.toLowerCase(), model.toLowerCase()));

/** The value for something with several names: among the entries that match any of them, the one with the longest pattern. */
export function entryFor<Value>(map: ByModel<Value>, names: readonly string[]): Value | undefined {
  const lower = names.map((name) => name.toLowerCase());
  const fitting = Object.keys(map).filter((pattern) => lower.some((name) => isFitting(pattern.toLowerCase(), name)));
  return map[fitting.reduce((most, own) => (lettersOf(own) > lettersOf(most) ? own : most), "*")];
}
