/** Maps from model patterns (`*` stands for any characters) to prices: their schema, and the entry that applies to a model. */
import { z } from "zod";
import { because } from "../options/reasons.ts";

/** No model has a longer name. */
const MAX_PATTERN_LENGTH = 128;

export type ByModel<Value> = Readonly<Record<string, Value>>;

/** Decimal text of at least 0; numbers of an option arrive as text. */
export const decimalOfOption = z
  .string({ error: because("number") })
  .refine((text) => !text.startsWith("-"), because("smallest"));

/** A map by model name; it has no prototype, so that no model name can collide with one. */
export const mapByModel = <Value>(value: z.ZodType<Value>) =>
  z
    .record(z.string().max(MAX_PATTERN_LENGTH), value, { error: because("map") })
    .refine((map) => Object.hasOwn(map, "*"), because("every_other_model"))
    .transform((map): ByModel<Value> => Object.freeze(Object.assign(Object.create(null) as ByModel<Value>, map)));

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

interface Entry {
  key: string;
  /** In lower case. */
  pattern: string;
  letters: number;
  index: number;
}

/** A map's keys, ready to be searched: whole names at one look, patterns with the longest first. */
interface Keys {
  names: ReadonlyMap<string, Entry>;
  patterns: readonly Entry[];
}

/** Of two entries that match, the longer one; of equally long ones the first of the map. */
const byLength = (a: Entry, b: Entry): number => b.letters - a.letters || a.index - b.index;

function readKeys(map: ByModel<unknown>): Keys {
  const entries = Object.keys(map)
    .map((key, index): Entry => ({ key, pattern: key.toLowerCase(), letters: lettersOf(key), index }))
    .toSorted(byLength);
  const names = new Map<string, Entry>();
  for (const entry of entries)
    if (!entry.key.includes("*") && !names.has(entry.pattern)) names.set(entry.pattern, entry);
  return { names, patterns: entries.filter(({ key }) => key.includes("*")) };
}

/** Maps of options are never changed, so their keys are read once: an operator may have thousands of them. */
const keysOfMaps = new WeakMap<ByModel<unknown>, Keys>();

function keysOf(map: ByModel<unknown>): Keys {
  let keys = keysOfMaps.get(map);
  if (keys === undefined) keysOfMaps.set(map, (keys = readKeys(map)));
  return keys;
}

/** The value for something with several names: among the entries that match any of them, the one with the longest pattern. */
export function entryFor<Value>(map: ByModel<Value>, names: readonly string[]): Value | undefined {
  const keys = keysOf(map);
  const lower = names.map((name) => name.toLowerCase());
  const fitting = keys.patterns.find(({ pattern }) => lower.some((name) => isFitting(pattern, name)));
  const best = [...lower.flatMap((name) => keys.names.get(name) ?? []), ...(fitting === undefined ? [] : [fitting])];
  return map[best.toSorted(byLength)[0]?.key ?? "*"];
}
