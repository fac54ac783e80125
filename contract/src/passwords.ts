/** Password rules wherever one is set: the server refuses by them, the browser shows them while the user types. */
import { PASSWORD_MAXIMUM_LENGTH, PASSWORD_MINIMUM_LENGTH } from "./constants.ts";
import type { ErrorCode } from "./errors.ts";
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
