/** The form in which tests run, as TEST_FORM names it: `short` is `npm test`, `all` is `npm test -- --all`, `long` is `npm run test:long`. */
import { crc32 } from "node:zlib";

const FORMS = ["short", "all", "long"] as const;
export type Form = (typeof FORMS)[number];

/** The form of this name; short where none is named. Throws for another name. */
function formOf(name = "short"): Form {
  const form = FORMS.find((each) => each === name);
  if (form === undefined) throw new Error(`TEST_FORM is one of ${FORMS.join(", ")}, not ${name}`);
  return form;
}

const FORM = formOf(process.env["TEST_FORM"]);

/** One choice stands for the others: one engine beside SQLite, one look of a page. Where it is false each of them is tested. */
export const IS_SHORT = FORM === "short";
/** What takes minutes is tested too. */
export const IS_LONG = FORM === "long";

/**
 * What other tests hold too is left to `npm test -- --all`: whole files (left-to-all.ts) and single tests (test-in-all.ts). A run of files
 * that are named has all their tests, so that one who changes a page sees them; tools/test.mjs sets the variable.
 */
export const LEAVES_TO_ALL = IS_SHORT && process.env["TEST_FILES_NAMED"] !== "1";

/** Programs that are fetched from npm (tests/agents) run in the whole form, and where files are named; the long form has them in a part of its own. */
export const RUNS_PROGRAMS = FORM === "all" || process.env["TEST_FILES_NAMED"] === "1";

/** How often a property is tried: so often in the other forms, ten times that in the long one. */
export const runs = (count: number): number => (IS_LONG ? count * 10 : count);

/** How many things a load or a flood has: so many, in the short form fewer, with the same assertions. */
export const fewer = (count: number, inShort: number): number => (IS_SHORT ? inShort : count);

/** The choice that falls to this key (a path, an address): always the same one, and each to about as many keys. None where there is no choice. */
export const inTurn = <T>(key: string, choices: readonly T[]): T[] => {
  const place = crc32(key) % Math.max(1, choices.length);
  return choices.slice(place, place + 1);
};

/** The choices that are tried: all of them, in the short form the one that falls to this key. */
export const oneInShort = <T>(key: string, choices: readonly T[]): readonly T[] =>
  IS_SHORT ? inTurn(key, choices) : choices;

const SHARE = 4;
/** Every fourth of these, beginning with the first. */
export const everyFourth = <T>(choices: readonly T[]): T[] => choices.filter((_, place) => place % SHARE === 0);

/** Of many choices that one guard or one rule treats alike: all of them, in the short form every fourth. */
export const someInShort = <T>(choices: readonly T[]): readonly T[] => (IS_SHORT ? everyFourth(choices) : choices);
