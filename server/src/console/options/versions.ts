/** Order of versions by Semantic Versioning 2.0.0, section 11; a leading v counts for nothing, and a missing minor or patch is 0. */
import type { RELEASE_RELATIONS } from "../../../../contract/src/features/options.ts";

type Relation = (typeof RELEASE_RELATIONS)[number];

const VERSION = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$/i;

interface Version {
  numbers: readonly number[];
  /** Identifiers of a pre-release; none for a release. */
  before: readonly string[];
}

function versionOf(text: string): Version | undefined {
  const match = VERSION.exec(text.trim());
  if (match === null) return undefined;
  const [, major, minor = "0", patch = "0", before] = match;
  return { numbers: [major, minor, patch].map(Number), before: before?.split(".") ?? [] };
}

const isNumber = (part: string): boolean => /^\d+$/.test(part);

/** Numbers stand before words; numbers by their size, words by their characters. */
function orderOfParts(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

function orderOfPreReleases(a: readonly string[], b: readonly string[]): number {
  // A pre-release stands before its release.
  if (a.length === 0 || b.length === 0) return Number(b.length > 0) - Number(a.length > 0);
  for (const [index, part] of a.entries()) {
    const other = b[index];
    const order = other === undefined ? 1 : orderOfParts(part, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** How `found` stands to `current`: `unknown` where one of the two is no version. */
export function compareVersions(found: string, current: string): Relation {
  const [a, b] = [versionOf(found), versionOf(current)];
  if (a === undefined || b === undefined) return "unknown";
  const numbers = a.numbers.map((number, index) => number - (b.numbers[index] ?? 0)).find((each) => each !== 0);
  const order = numbers ?? orderOfPreReleases(a.before, b.before);
  if (order === 0) return "same";
  return order > 0 ? "newer" : "older";
}
