/** A user name made of a login at another site: 1 to 12 characters that the console's own rule takes. Pure. */
import { DISPLAY_NAME_MAX, USERNAME_MAX } from "../../../../contract/src/features/personal.ts";
import { withoutUnseen } from "../../../../contract/src/names.ts";

const cut = (text: string, length: number): string => [...text].slice(0, length).join("");

/** Without blanks and @, cut to length; "" where nothing is left. */
const fit = (login: string): string => cut(withoutUnseen(login).replaceAll(/[\s@]/gu, ""), USERNAME_MAX);

/**
 * The name to try first and, where it is taken, the next ones: each ends with a number of more digits.
 * @param random a whole number from 0 up to, not including, its argument.
 */
export function* usernames(provider: string, login: string, random: (below: number) => number): Generator<string> {
  const wanted = fit(login);
  if (wanted !== "") yield wanted;
  const base = wanted === "" ? `${provider}_` : wanted;
  for (const digits of [2, 3, 4, 5, 6, 6, 6, 6]) {
    const suffix = String(random(10 ** digits)).padStart(digits, "0");
    yield cut(base, USERNAME_MAX - digits) + suffix;
  }
}

/** What is shown of them: the name they gave there, else the user name. */
export const displayNameOf = (name: string, username: string): string =>
  cut(withoutUnseen(name).trim(), DISPLAY_NAME_MAX).trim() || username;
