/** Generates the data behind the rules of passwords and user names: the commonest passwords, and look-alike characters. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

const LISTED_PASSWORDS = 10_000;
/** Shorter ones are refused for their length. */
const SHORTEST = 8;

/** The text of contract/src/common-passwords.ts. */
export function commonPasswords(): string {
  const { dictionary } = require("@zxcvbn-ts/language-common") as { dictionary: Record<string, readonly string[]> };
  // By rank, the commonest first.
  const ranked = dictionary["passwords-common"] ?? [];
  const listed = ranked.filter((password) => password.length >= SHORTEST).slice(0, LISTED_PASSWORDS);
  if (listed.length < LISTED_PASSWORDS || listed.some((password) => /[^!-~]|["\\]/.test(password)))
    throw new Error("the list of common passwords is not what it was");
  return [
    "/** The 10,000 commonest passwords of eight and more characters, in small letters, one blank around each. Made by `npm run generate` from @zxcvbn-ts/language-common (MIT). */",
    "export const COMMON_PASSWORDS: string =",
    `  " ${listed.toSorted().join(" ")} ";`,
    "",
  ].join("\n");
}

/**
 * The text of server/src/console/accounts/confusables.txt (Unicode's confusables.txt by way of the package unhomoglyph, MIT): each line
 * is what a skeleton has in the place of the characters behind the tab.
 */
export function confusables(): string {
  const table = require("unhomoglyph/data.json") as Readonly<Record<string, string>>;
  const bySkeleton = Map.groupBy(Object.entries(table), ([, skeleton]) => skeleton);
  const lines = [...bySkeleton].map(
    ([skeleton, entries]) => `${skeleton}\t${entries.map(([character]) => character).join("")}`,
  );
  return `${lines.join("\n")}\n`;
}
