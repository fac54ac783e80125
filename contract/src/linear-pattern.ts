/** Regular expressions that operators type, in RE2's syntax (github.com/google/re2/wiki/Syntax) and matched in time linear in the text (re2js): no pattern holds up the process. */
import { RE2JS } from "re2js";

interface PatternBounds {
  /** Longest pattern, in characters. */
  characters: number;
  /** Instructions of the compiled pattern: what one character of a text may cost. `[a-z]{50}` has fifty. */
  instructions: number;
}

const BOUNDS: PatternBounds = { characters: 512, instructions: 2_048 };
/** All bounds of repetitions together: compiling takes a while for each. */
const REPETITIONS_MAX = 200;

/** A pattern that cannot be compiled; the message says why, for the person who typed it. */
export class PatternError extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

function repetitions(pattern: string): number {
  const bounds = [...pattern.matchAll(/\{(\d+)?(?:,(\d+)?)?\}/g)];
  return bounds.reduce((sum, [, least = "0", most = least]) => sum + Math.max(Number(least), Number(most)), 0);
}

/** Compiles a pattern within bounds. Throws PatternError. */
export function compilePattern(pattern: string, { characters, instructions } = BOUNDS, flags = 0): RE2JS {
  if (pattern.length > characters) throw new PatternError(`it is longer than ${characters} characters`, true);
  if (repetitions(pattern) > REPETITIONS_MAX) throw new PatternError("it repeats too often", true);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, flags);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message.slice(0, 200) : "", false);
  }
  if (compiled.programSize() > instructions) throw new PatternError("it has too many parts", true);
  return compiled;
}

/**
 * The test of a pattern: true if some part of a text matches it. `ignoresCase` compares without regard to case, as a leading `(?i)` does.
 * Throws PatternError.
 */
export function linearPattern(pattern: string, ignoresCase = false): (text: string) => boolean {
  const compiled = compilePattern(pattern, BOUNDS, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.matcher(text).find();
}
