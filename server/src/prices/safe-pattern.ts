/** Which patterns of a fetched list may be tried on names: only those whose work grows at most with the square of the name. */

const LONGEST_PATTERN = 128;
const LARGEST_COUNT = 32;
/** More would multiply the ways in which one name can be read. */
const MOST_ALTERNATIVES = 4;

/** What a pattern is made of, one piece at a time; anything else (a group with a name, a look behind, a back reference) is none of these. */
const PIECES =
  /(?<escape>\\[dDwWsSbB]|\\[^\w])|(?<set>\[\^?(?:[^\\\]]|\\[dws]|\\[^\w])+\])|(?<count>\{\d{1,2}\})|(?<varying>[*+?]|\{\d{1,2},\d{0,2}\})|(?<open>\((?:\?[:=!]|(?!\?)))|(?<close>\))|(?<bar>\|)|(?<plain>[^\\[\]{}()*+?|])/y;

type Piece = "escape" | "set" | "count" | "varying" | "open" | "close" | "bar" | "plain";

function piecesOf(text: string): { kind: Piece; text: string }[] | undefined {
  const pieces: { kind: Piece; text: string }[] = [];
  PIECES.lastIndex = 0;
  while (PIECES.lastIndex < text.length) {
    const groups = PIECES.exec(text)?.groups;
    const found = Object.entries(groups ?? {}).find(([, part]) => part !== undefined);
    if (found === undefined) return undefined;
    pieces.push({ kind: found[0] as Piece, text: found[1] });
  }
  return pieces;
}

const isSound = (text: string): boolean => {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
};

/**
 * Whether a pattern may be tried on any name: it repeats at most one thing an open number of times, never a group, and has few
 * alternatives. `^gpt-5-\d{4}$` and `^(?!.*-tts$)` are such; `(a+)+$`, `a*a*a*` and `(a|a)(a|a)(a|a)` are not.
 */
export function isSafePattern(text: string): boolean {
  if (text === "" || text.length > LONGEST_PATTERN) return false;
  const pieces = piecesOf(text);
  if (pieces === undefined) return false;
  const many = (kind: Piece): number => pieces.filter((piece) => piece.kind === kind).length;
  const isRepeatedGroup = pieces.some(
    ({ kind }, index) => (kind === "count" || kind === "varying") && pieces[index - 1]?.kind === "close",
  );
  const isCountSmall = pieces.every(
    ({ kind, text: count }) => kind !== "count" || Number(count.slice(1, -1)) <= LARGEST_COUNT,
  );
  return many("varying") <= 1 && many("bar") <= MOST_ALTERNATIVES && isCountSmall && !isRepeatedGroup && isSound(text);
}
