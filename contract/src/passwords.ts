/** Password rules wherever one is set: the server refuses by them, the browser shows them while the user types. */
import { PASSWORD_MAXIMUM_LENGTH, PASSWORD_MINIMUM_LENGTH } from "./constants.ts";
import type { ErrorCode } from "./error-codes.ts";
import { foldName } from "./names.ts";

export type PasswordProblem = "short" | "long" | "common" | "name";

/** How each is refused. */
export const PASSWORD_REFUSALS = {
  short: "password_short",
  long: "password_long",
  common: "password_common",
  name: "password_is_name",
} as const satisfies Record<PasswordProblem, ErrorCode>;

/** Fewer different characters make a pattern that every list begins with. */
const FEWEST_CHARACTERS = 3;
/** Shorter names occur inside too many ordinary words. */
const SHORTEST_NAME = 3;

/** Whether a password is one of the commonest, or a pattern of one or two characters. @param listed COMMON_PASSWORDS, which is large */
export function isCommonPassword(password: string, listed: string): boolean {
  const folded = foldName(password);
  if (new Set(folded).size < FEWEST_CHARACTERS) return true;
  return !folded.includes(" ") && listed.includes(` ${folded} `);
}

/** Names in an email address: the parts before and after the @, and each word of both. */
const partsOf = (name: string): string[] => [name, ...name.split(/[^\p{L}\p{N}]+/u)];

/** Whether all letters of a password are those of the names: Turnpike2026! for a site called Turnpike. */
export function isMadeOfNames(password: string, names: readonly string[]): boolean {
  const folded = foldName(password);
  const words = names
    .flatMap((name) => partsOf(foldName(name)))
    .filter((word) => [...word].length >= SHORTEST_NAME)
    .toSorted((a, b) => b.length - a.length);
  let rest = folded;
  for (const word of words) rest = rest.replaceAll(word, "");
  return rest !== folded && !/\p{L}/u.test(rest);
}

/** The product's name, whatever the site's own. */
const PRODUCT = "Turnpike";
/** `www`, `api`, `com` and numbers are no name of a site. */
const LABEL = /^(?=.*\p{L}).{4,}$/u;

/** The names of a site: its own, the product's, and what its host is made of. @param address option ServerAddress; "" where unset */
export const siteNames = ({ name, address }: { name: string; address: string }): string[] => [
  name,
  PRODUCT,
  ...(URL.parse(address)?.hostname ?? "").split(".").filter((label) => LABEL.test(label)),
];

/** How hard a password is to guess, from the weakest to the strongest. */
export const PASSWORD_STRENGTHS = ["weak", "fair", "good", "strong"] as const;
export type PasswordStrength = (typeof PASSWORD_STRENGTHS)[number];

/** Characters that a guesser has to try for each kind that a password has. */
const ALPHABETS: readonly (readonly [kind: RegExp, size: number])[] = [
  [/\p{Ll}/u, 26],
  [/\p{Lu}/u, 26],
  [/\d/u, 10],
  [/[^\p{L}\d]/u, 33],
  [/[^\p{ASCII}]/u, 200],
];
/** Bits from which each strength begins; below the first it is weak. */
const FAIR_BITS = 45;
const GOOD_BITS = 60;
const STRONG_BITS = 75;

/** Whether a character says nothing new after the one before it: the same again, or the next or last one of the alphabet. */
const goesOn = (before: string, character: string): boolean =>
  Math.abs((character.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0)) <= 1;

/** The same character says little more after so many times. */
const MOST_REPEATS = 3;
/** What a letter of a word says beside one of a jumble: words are guessed as words. */
const LETTER_OF_WORD = 0.6;
/** Shorter runs of letters are taken for a jumble. */
const WORD = /\p{L}{4,}/gu;

/** How many characters there are that say something new; letters of what may be words count less. */
function newCharacters(password: string): number {
  const inWords = new Set(
    [...password.matchAll(WORD)].flatMap(({ 0: word, index }) => Array.from(word, (_, place) => index + place)),
  );
  const seen = new Map<string, number>();
  let sum = 0;
  for (const [place, character] of Array.from(password).entries()) {
    const count = (seen.get(character) ?? 0) + 1;
    seen.set(character, count);
    const isNew = count <= MOST_REPEATS && !(place > 0 && goesOn(password.charAt(place - 1), character));
    if (isNew) sum += inWords.has(place) ? LETTER_OF_WORD : 1;
  }
  return sum;
}

/** How strong a password is that breaks no rule; one that breaks a rule is weak. @param problem of `passwordProblem` */
export function passwordStrength(password: string, problem: PasswordProblem | undefined): PasswordStrength {
  if (problem !== undefined) return "weak";
  const size = ALPHABETS.reduce((sum, [kind, each]) => sum + (kind.test(password) ? each : 0), 0);
  const bits = newCharacters(password) * Math.log2(Math.max(size, 2));
  if (bits >= STRONG_BITS) return "strong";
  if (bits >= GOOD_BITS) return "good";
  return bits >= FAIR_BITS ? "fair" : "weak";
}

/**
 * The first rule that a password breaks. Lengths are in characters, none is cut off.
 * @param names the site's, the account's, its e-mail address: none of them may be all there is to it
 * @param listed COMMON_PASSWORDS; "" where that is not loaded yet
 */
export function passwordProblem(
  password: string,
  names: readonly string[],
  listed: string,
): PasswordProblem | undefined {
  const length = [...password].length;
  if (length < PASSWORD_MINIMUM_LENGTH) return "short";
  if (length > PASSWORD_MAXIMUM_LENGTH) return "long";
  if (isCommonPassword(password, listed)) return "common";
  return isMadeOfNames(password, names) ? "name" : undefined;
}
