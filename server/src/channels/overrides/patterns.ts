/** Regular expressions of an override, in RE2's syntax and matched in time linear in the text (re2js): a pattern of an operator holds up no call. */
import type { RE2JS } from "re2js";
import { compilePattern, PatternError } from "../../../../contract/src/linear-pattern.ts";
import { OverrideProblem } from "../../../../contract/src/channels/override-reader.ts";
import { OVERRIDE_BOUNDS } from "../../../../contract/src/channels/overrides.ts";
import type { JsonPath } from "../../../../contract/src/options/json-places.ts";
import type { Work } from "./work.ts";

const BOUNDS = { characters: OVERRIDE_BOUNDS.patternCharacters, instructions: 500 } as const;
/** What finding one match costs beside its characters, in instructions. */
const MATCH = 40;

export interface Pattern {
  /** The text with every match replaced. Throws OverrideFault where text and pattern are too long together. */
  replaceIn(text: string, work: Work): string;
}

/** A part of a replacement: text as it is, or what a group of the match has. */
type Part = string | { readonly group: string | number };

/** `$1`, `$name` and `${name}` are groups and `$$` a dollar, as Go's regexp.Expand reads them: the longest name counts. */
function partsOf(replacement: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of replacement.matchAll(/\$(?:(\$)|\{(\w+)\}|(\w+))/g)) {
    parts.push(replacement.slice(end, match.index));
    const [whole, dollar, braced, bare] = match;
    const name = braced ?? bare ?? "";
    parts.push(dollar ?? { group: /^\d+$/.test(name) ? Number(name) : name });
    end = match.index + whole.length;
  }
  return [...parts, replacement.slice(end)];
}

function compiledPattern(source: string, place: JsonPath): RE2JS {
  try {
    return compilePattern(source, BOUNDS);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw error.isTooLarge
      ? new OverrideProblem("pattern_size", place)
      : new OverrideProblem("pattern", place, { detail: error.message });
  }
}

/** Compiles a pattern with its replacement. Throws OverrideProblem. */
export function patternOf(source: string, replacement: string, place: JsonPath): Pattern {
  const compiled = compiledPattern(source, place);
  const instructions = compiled.programSize();
  const names = compiled.namedGroups();
  const count = compiled.groupCount();
  // A group that the pattern does not have is nothing, as in Go.
  const parts = partsOf(replacement).map((part) => {
    if (typeof part === "string") return part;
    const group = typeof part.group === "number" ? part.group : names[part.group];
    return group !== undefined && group <= count ? { group } : "";
  });
  return { replaceIn: (text, work) => replaced(compiled, instructions, parts, text, work) };
}

function replaced(
  compiled: RE2JS,
  instructions: number,
  parts: readonly (string | { readonly group: number })[],
  text: string,
  work: Work,
): string {
  work.match(instructions, text.length);
  const matcher = compiled.matcher(text);
  let [made, end] = ["", 0];
  while (matcher.find()) {
    work.match(MATCH, 0);
    const words = parts.map((part) => (typeof part === "string" ? part : (matcher.group(part.group) ?? ""))).join("");
    work.grow(words.length);
    made += text.slice(end, matcher.start()) + words;
    end = matcher.end();
  }
  return made + text.slice(end);
}
