/**
 * Regular expressions that operators type for names of headers, models and paths, matched in time linear in the text: a subset of RE2
 * (github.com/google/re2/wiki/Syntax) as a list of states, without backtracking, so that no pattern can hold up the process.
 */

/** Longest pattern, in characters; with the bound of states it bounds what one character of a text costs. */
export const PATTERN_MAX = 512;
const STATES_MAX = 2_048;

/** A pattern that cannot be read: what is wrong, for the person who typed it. */
export class PatternError extends Error {}

type CharacterTest = (code: number) => boolean;

type Node =
  | { kind: "start" | "end" }
  | { kind: "character"; test: CharacterTest }
  | { kind: "sequence" | "choice"; parts: readonly Node[] }
  | { kind: "repeat"; part: Node; isOptional: boolean; isRepeated: boolean };

/** One state: a character to take, an anchor to hold, or ways that cost nothing. */
type State =
  | { kind: "character"; test: CharacterTest; next: number }
  | { kind: "start" | "end"; next: number }
  | { kind: "ways"; ways: readonly number[] }
  | { kind: "match" };

const inRange =
  (from: string, to: string): CharacterTest =>
  (code) =>
    code >= from.charCodeAt(0) && code <= to.charCodeAt(0);
const anyOf =
  (...tests: readonly CharacterTest[]): CharacterTest =>
  (code) =>
    tests.some((test) => test(code));
const is =
  (character: string): CharacterTest =>
  (code) =>
    code === character.charCodeAt(0);
const none =
  (test: CharacterTest): CharacterTest =>
  (code) =>
    !test(code);

const DIGIT = inRange("0", "9");
const WORD = anyOf(DIGIT, inRange("a", "z"), inRange("A", "Z"), is("_"));
const SPACE = anyOf(is(" "), is("\t"), is("\n"), is("\r"), is("\f"));
const CLASSES: Readonly<Record<string, CharacterTest>> = {
  d: DIGIT,
  D: none(DIGIT),
  w: WORD,
  W: none(WORD),
  s: SPACE,
  S: none(SPACE),
};
const NOT_A_LINE_END = none(is("\n"));

/** Reads a pattern by recursive descent; its length bounds how deep groups can lie. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new PatternError("a ) has no ( before it");
    return node;
  }

  #takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #next(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new PatternError("it ends too early");
    this.#at += 1;
    return character;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#takes("|")) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== "|" && this.#text[this.#at] !== ")")
      parts.push(this.#repeated());
    return { kind: "sequence", parts };
  }

  #repeated(): Node {
    const part = this.#atom();
    const sign = this.#text[this.#at];
    if (sign === "{") throw new PatternError("counts in braces are not supported; write \\{ for a brace");
    if (sign !== "*" && sign !== "+" && sign !== "?") return part;
    this.#at += 1;
    // Lazy or greedy makes no difference to whether a text matches.
    this.#takes("?");
    const after = this.#text[this.#at];
    if (after === "*" || after === "+" || after === "?") throw new PatternError("a repeat follows another repeat");
    return { kind: "repeat", part, isOptional: sign !== "+", isRepeated: sign !== "?" };
  }

  #atom(): Node {
    const character = this.#next();
    if (character === "(") return this.#group();
    if (character === "[") return { kind: "character", test: this.#set() };
    if (character === ".") return { kind: "character", test: NOT_A_LINE_END };
    if (character === "^") return { kind: "start" };
    if (character === "$") return { kind: "end" };
    if (character === "\\") return { kind: "character", test: this.#escaped() };
    if (character === "*" || character === "+" || character === "?" || character === "{")
      throw new PatternError(`there is nothing before ${character} that it could repeat`);
    return { kind: "character", test: is(character) };
  }

  #group(): Node {
    if (this.#takes("?") && !this.#takes(":")) throw new PatternError("look-around and named groups are not supported");
    const inner = this.#choice();
    if (!this.#takes(")")) throw new PatternError("a ( is not closed");
    return inner;
  }

  #escaped(): CharacterTest {
    const character = this.#next();
    const known = CLASSES[character];
    if (known !== undefined) return known;
    if (WORD(character.charCodeAt(0))) throw new PatternError(`\\${character} is not supported`);
    return is(character);
  }

  #set(): CharacterTest {
    const isNegated = this.#takes("^");
    const tests: CharacterTest[] = [];
    for (let isFirst = true; isFirst || !this.#takes("]"); isFirst = false) {
      const from = this.#next();
      if (from === "\\") tests.push(this.#escaped());
      else if (this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]") {
        this.#at += 1;
        const to = this.#next();
        if (to === "\\" || to < from) throw new PatternError(`the range ${from}-${to} is none`);
        tests.push(inRange(from, to));
      } else tests.push(is(from));
    }
    const test = anyOf(...tests);
    return isNegated ? none(test) : test;
  }
}

/** Appends the states of a node that lead to `next`; gives the state it begins at. */
function append(states: State[], node: Node, next: number): number {
  if (states.length >= STATES_MAX) throw new PatternError("it is too long");
  const add = (state: State): number => states.push(state) - 1;
  switch (node.kind) {
    case "start":
    case "end":
      return add({ kind: node.kind, next });
    case "character":
      return add({ kind: "character", test: node.test, next });
    case "sequence":
      return node.parts.reduceRight((after, part) => append(states, part, after), next);
    case "choice":
      return add({ kind: "ways", ways: node.parts.map((part) => append(states, part, next)) });
    case "repeat": {
      const { part, isOptional, isRepeated } = node;
      if (!isRepeated) return add({ kind: "ways", ways: [append(states, part, next), next] });
      const again = add({ kind: "ways", ways: [] });
      const begin = append(states, part, again);
      states[again] = { kind: "ways", ways: [begin, next] };
      return isOptional ? again : begin;
    }
  }
}

/** Follows what costs nothing from a state, and adds the states that take a character; true where the pattern ends there. */
function follow(
  states: readonly State[],
  from: number,
  place: { isStart: boolean; isEnd: boolean },
  into: Set<number>,
) {
  const open = [from];
  const seen = new Set<number>();
  let isMatch = false;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at) || into.has(at)) continue;
    seen.add(at);
    const state = states[at];
    if (state === undefined) continue;
    if (state.kind === "match") isMatch = true;
    else if (state.kind === "character") into.add(at);
    else if (state.kind === "ways") open.push(...state.ways);
    else if (state.kind === "start" ? place.isStart : place.isEnd) open.push(state.next);
  }
  return isMatch;
}

function matches(states: readonly State[], begin: number, text: string): boolean {
  let current = new Set<number>();
  for (let at = 0; at <= text.length; at += 1) {
    const place = { isStart: at === 0, isEnd: at === text.length };
    // A match may begin anywhere.
    if (follow(states, begin, place, current)) return true;
    const next = new Set<number>();
    const after = { isStart: false, isEnd: at + 1 === text.length };
    for (const id of current) {
      const state = states[id];
      if (state?.kind !== "character" || at === text.length || !state.test(text.charCodeAt(at))) continue;
      if (follow(states, state.next, after, next)) return true;
    }
    current = next;
  }
  return false;
}

/**
 * The test of a pattern: true where some part of a text matches it. Literals, `.`, sets, \d \w \s, `*`, `+`, `?`, groups, `|`, `^`, `$` and a
 * leading `(?i)` are understood. `ignoresCase` compares without regard to case, as `(?i)` does.
 * Throws PatternError for everything else.
 */
export function linearPattern(pattern: string, ignoresCase = false): (text: string) => boolean {
  if (pattern.length > PATTERN_MAX) throw new PatternError(`it is longer than ${PATTERN_MAX} characters`);
  const isFlagged = pattern.startsWith("(?i)");
  const node = new Reader(isFlagged ? pattern.slice("(?i)".length) : pattern).read();
  const states: State[] = [{ kind: "match" }];
  const begin = append(states, node, 0);
  if (!isFlagged && !ignoresCase) return (text) => matches(states, begin, text);
  const folded = states.map((state): State =>
    state.kind === "character" ? { ...state, test: eitherCase(state.test) } : state,
  );
  return (text) => matches(folded, begin, text);
}

const eitherCase =
  (test: CharacterTest): CharacterTest =>
  (code) => {
    const character = String.fromCharCode(code);
    return test(character.toLowerCase().charCodeAt(0)) || test(character.toUpperCase().charCodeAt(0));
  };
