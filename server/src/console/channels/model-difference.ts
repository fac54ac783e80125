/** How an upstream's model list differs from a channel's models. Pure. */
import { linearPattern, PatternError } from "../../../../contract/src/linear-pattern.ts";

const PATTERN = "regex:";

/** One entry of an ignore list as a test of names. Throws PatternError. */
function ignoring(entry: string): (model: string) => boolean {
  if (!entry.startsWith(PATTERN)) return (model) => model === entry;
  return linearPattern(entry.slice(PATTERN.length).trim());
}

/** The error of the first unusable pattern of an ignore list; undefined where all can. */
export function badPatternIn(entries: readonly string[]): string | undefined {
  for (const entry of entries) {
    try {
      ignoring(entry);
    } catch (error) {
      if (error instanceof PatternError) return `${entry.slice(0, 60)}: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

export interface ModelDifference {
  added: string[];
  removed: string[];
}

interface Compared {
  stored: readonly string[];
  /** What the upstream lists. */
  listed: readonly string[];
  ignored: readonly string[];
  mapping: Readonly<Record<string, string>>;
}

/**
 * New are names that the channel neither has nor maps another name to, and that are not ignored. Vanished are its names that are not listed,
 * where the name that the upstream gets is not listed either. Both by name.
 */
export function modelDifference({ stored, listed, ignored, mapping }: Compared): ModelDifference {
  const [has, lists] = [new Set(stored), new Set(listed)];
  const targets = new Set(Object.values(mapping));
  const tests = ignored.map(ignoring);
  const isIgnored = (model: string) => tests.some((test) => test(model));
  const sentName = (model: string) => (Object.hasOwn(mapping, model) ? (mapping[model] ?? model) : model);
  return {
    added: [...lists].filter((model) => !has.has(model) && !targets.has(model) && !isIgnored(model)).toSorted(),
    removed: [...has].filter((model) => !lists.has(model) && !lists.has(sentName(model))).toSorted(),
  };
}

export const namesOf = (joined: string): string[] => joined.split(",").filter((name) => name !== "");

/** The part of a found difference that still exists: people change models by hand meanwhile. */
export function stillOpen(models: string, { added, removed }: ModelDifference): ModelDifference {
  const has = new Set(namesOf(models));
  return { added: added.filter((model) => !has.has(model)), removed: removed.filter((model) => has.has(model)) };
}
