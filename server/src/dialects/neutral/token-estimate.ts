/**
 * Estimates tokens of a text that no upstream counted, as it passes: a run of one kind of characters (letters, digits, blanks, punctuation) costs
 * what such runs cost in the vocabularies o200k and cl100k. docs/decisions/007 has the measurements; part of the hub.
 */
import { estimateTokens } from "../../../../contract/src/pricing/pricing.ts";

/** Kinds of characters. */
const KIND = {
  /** No run; as a character the second half of a surrogate pair, which belongs to the first. */
  none: 0,
  lower: 1,
  upper: 2,
  digit: 3,
  blank: 4,
  line: 5,
  /** ASCII that is none of these. */
  mark: 6,
  /** Punctuation that is repeated as lines: `----` is as few tokens as `--`. */
  stroke: 7,
  /** Latin letters beyond ASCII. */
  accented: 8,
  cyrillic: 9,
  /** Letters of other alphabets. */
  letter: 10,
  han: 11,
  kana: 12,
  hangul: 13,
  /** Punctuation beyond ASCII. */
  wideMark: 14,
  symbol: 15,
} as const;
type Kind = (typeof KIND)[keyof typeof KIND];
const KINDS: readonly Kind[] = Object.values(KIND);

/** Hundredths of a token for a run of 1, 2, 3... characters, and for each character beyond the list. */
interface RunCost {
  byLength: readonly number[];
  further: number;
}

const MARKS: RunCost = { byLength: [100, 102, 113, 150, 185, 250], further: 60 };
const RUN_COSTS: Readonly<Record<Kind, RunCost>> = {
  [KIND.none]: { byLength: [0], further: 0 },
  [KIND.lower]: { byLength: [100, 100, 101, 103, 106, 108, 112, 119, 125, 132, 143, 155, 165], further: 40 },
  [KIND.upper]: { byLength: [100, 100, 120, 130, 142, 152, 165, 180], further: 30 },
  [KIND.digit]: { byLength: [100, 100, 100, 200, 200, 200, 300, 300, 300, 400, 400, 400], further: 34 },
  [KIND.blank]: { byLength: [0, 100], further: 0 },
  [KIND.line]: { byLength: [100], further: 0 },
  [KIND.mark]: MARKS,
  [KIND.stroke]: MARKS,
  [KIND.accented]: { byLength: [60, 110], further: 70 },
  [KIND.cyrillic]: { byLength: [100, 105, 120, 150, 175, 205, 240], further: 33 },
  [KIND.letter]: { byLength: [100, 150, 190], further: 66 },
  [KIND.han]: { byLength: [97, 170, 258, 335], further: 83 },
  [KIND.kana]: { byLength: [110, 160], further: 76 },
  [KIND.hangul]: { byLength: [100, 180, 255], further: 62 },
  [KIND.wideMark]: { byLength: [70, 125], further: 60 },
  [KIND.symbol]: { byLength: [160], further: 160 },
};

/** A single blank is part of the word or punctuation after it; before these it is a token, or makes one more likely. */
const BLANK_BEFORE: Readonly<Partial<Record<Kind, number>>> = {
  [KIND.digit]: 100,
  [KIND.han]: 60,
  [KIND.kana]: 50,
  [KIND.hangul]: 25,
  [KIND.symbol]: 50,
};
/** A single punctuation character before a word is often one token with it. */
const MARK_BEFORE_WORD = 45;
const WORDS: ReadonlySet<Kind> = new Set([KIND.lower, KIND.upper, KIND.accented]);

const isMark = (kind: Kind): boolean => kind === KIND.mark || kind === KIND.stroke;

/** What a run of that length costs where this kind ends it. */
function runCost(kind: Kind, length: number, next: Kind): number {
  if (length === 0) return 0;
  const { byLength, further } = RUN_COSTS[kind];
  const listed = byLength[Math.min(length, byLength.length) - 1] ?? 0;
  const cost = listed + Math.max(0, length - byLength.length) * further;
  if (kind === KIND.blank) return next === KIND.line ? 0 : cost + (BLANK_BEFORE[next] ?? 0);
  if (!isMark(kind)) return cost;
  // Line ends belong to the punctuation before them.
  if (next === KIND.line) return cost - 100;
  return length === 1 && WORDS.has(next) ? MARK_BEFORE_WORD : cost;
}

/** A run's length is counted up to here; further characters are paid as they come. */
const MAX_LENGTH = 15;

/** What the next character makes of a run: the run that is open behind it, and what was closed by it. */
function step(kind: Kind, length: number, next: Kind): readonly [kind: Kind, length: number, cost: number] {
  if (next === KIND.none) return [kind, length, 0];
  if (next === KIND.stroke && kind === KIND.stroke && length > 1) return [kind, length, 0];
  // "Word" is one run, "WORD" is one, "camelCase" are two.
  if (next === KIND.lower && kind === KIND.upper && length === 1) return [next, 2, 0];
  if (next !== kind && !(isMark(next) && isMark(kind))) return [next, 1, runCost(kind, length, next)];
  return length < MAX_LENGTH ? [next, length + 1, 0] : [next, length, RUN_COSTS[next].further];
}

/** An open run is a number, 16 times its kind plus its length; a step is the next run plus 256 times the cost in hundredths. */
const STEPS = new Int32Array(KINDS.length * 256);
const END_COSTS = new Int32Array(256);
for (const kind of KINDS)
  for (let length = 0; length <= MAX_LENGTH; length += 1) {
    const run = kind * 16 + length;
    END_COSTS[run] = runCost(kind, length, KIND.none);
    for (const next of KINDS) {
      const [nextKind, nextLength, cost] = step(kind, length, next);
      STEPS[run * 16 + next] = cost * 256 + nextKind * 16 + nextLength;
    }
  }

const STROKES = "-=*#_~./+";

function asciiKind(code: number): Kind {
  if (code >= 97 && code <= 122) return KIND.lower;
  if (code >= 65 && code <= 90) return KIND.upper;
  if (code >= 48 && code <= 57) return KIND.digit;
  if (code === 32 || code === 9) return KIND.blank;
  if (code === 10 || code === 13) return KIND.line;
  return STROKES.includes(String.fromCharCode(code)) ? KIND.stroke : KIND.mark;
}

/** First code of each range beyond ASCII. They are multiples of 64, so that two bytes of UTF-8 determine the kind of a character. */
const RANGES: readonly (readonly [from: number, kind: Kind])[] = [
  [0x80, KIND.wideMark],
  [0xc0, KIND.accented],
  [0x380, KIND.letter],
  [0x400, KIND.cyrillic],
  [0x540, KIND.letter],
  [0x1e00, KIND.accented],
  [0x1f00, KIND.letter],
  [0x2000, KIND.wideMark],
  [0x2080, KIND.symbol],
  [0x2e80, KIND.han],
  [0x3000, KIND.wideMark],
  [0x3040, KIND.kana],
  [0x3100, KIND.han],
  [0xa000, KIND.letter],
  [0xac00, KIND.hangul],
  [0xd7c0, KIND.letter],
  [0xd800, KIND.symbol],
  [0xdc00, KIND.none],
  [0xe000, KIND.symbol],
  [0xf900, KIND.han],
  [0xfb00, KIND.letter],
  [0xff00, KIND.wideMark],
];
const rangeKind = (code: number): Kind => RANGES.findLast(([from]) => code >= from)?.[1] ?? KIND.none;

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) => asciiKind(code));
/** Kinds of UTF-16 code units in blocks of 64. */
const BLOCK_KINDS = Uint8Array.from({ length: 1024 }, (_, block) => rangeKind(block * 64));

/** Kind of a character by its first two bytes of UTF-8; those beyond U+FFFF are symbols. */
function wideKind(first: number, second: number): number {
  if (first >= 0xf0) return KIND.symbol;
  return BLOCK_KINDS[first < 0xe0 ? first & 31 : ((first & 15) << 6) | (second & 63)] ?? KIND.none;
}

const BACKSLASH = 92;
const LOWER_U = 117;
/** What a letter behind a backslash stands for in JSON, where it is not itself. */
const ESCAPES: ReadonlyMap<number, number> = new Map([
  [98, 8],
  [102, 12],
  [110, 10],
  [114, 13],
  [116, 9],
]);

/** An estimate of a text's tokens. */
export interface EstimatedTokens {
  /** At least 1 where there is any text. */
  readonly tokens: number;
  /** On the high side, for what is held. */
  readonly cautiousTokens: number;
}

/** The same with the bytes of UTF-8 that it was made of. */
export interface CountedText extends EstimatedTokens {
  readonly bytes: number;
}

/** Counts a text as it passes, in pieces of any size, in constant memory. */
export class TokenEstimate implements CountedText {
  /** Bytes of UTF-8 so far: those below 128 and the rest. */
  #asciiBytes = 0;
  #otherBytes = 0;
  #hundredths = 0;
  #run = 0;
  /** First byte of a character whose second one has not come. */
  #first = 0;

  get bytes(): number {
    return this.#asciiBytes + this.#otherBytes;
  }

  get tokens(): number {
    // Rounded, not up: many an answer is one word, which must not cost two tokens.
    const counted = Math.round((this.#hundredths + (END_COSTS[this.#run] ?? 0)) / 100);
    return counted === 0 && this.bytes > 0 ? 1 : counted;
  }

  get cautiousTokens(): number {
    return Math.max(this.tokens, estimateTokens(this.#asciiBytes, this.#otherBytes));
  }

  /** Takes a piece of a decoded text. */
  addText(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#addUnit(text.charCodeAt(at));
  }

  /** Takes a UTF-16 code unit. Half of a surrogate pair is half of its four bytes. */
  #addUnit(code: number): void {
    if (code < 128) this.#asciiBytes += 1;
    else this.#otherBytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    this.#step((code < 128 ? ASCII_KINDS[code] : BLOCK_KINDS[code >> 6]) ?? KIND.none);
  }

  #step(kind: number): void {
    const next = STEPS[this.#run * 16 + kind] ?? 0;
    this.#hundredths += next >> 8;
    this.#run = next & 255;
  }

  /**
   * Takes a part of JSON text given as bytes in Latin-1. Escapes count as what they stand for: text counts the same whichever way an upstream
   * writes them.
   */
  addJson(text: string, from: number, to: number): void {
    for (let at = from; at < to;) {
      at = this.#addPlain(text, at, to);
      if (at >= to) return;
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at += 1 + this.#addEscape(text, at + 1);
      else {
        this.#otherBytes += 1;
        this.#addByte(code);
        at += 1;
      }
    }
  }

  /** Takes ASCII up to the next escape or other byte, whose position it gives. Most of every text, so its counts are kept in variables. */
  #addPlain(text: string, from: number, to: number): number {
    let [run, hundredths, at] = [this.#run, this.#hundredths, from];
    for (; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH || code >= 128) break;
      const next = STEPS[run * 16 + (ASCII_KINDS[code] ?? KIND.none)] ?? 0;
      hundredths += next >> 8;
      run = next & 255;
    }
    this.#run = run;
    this.#hundredths = hundredths;
    this.#asciiBytes += at - from;
    return at;
  }

  /** Takes the escape whose letter stands at the position; gives its length without the backslash. */
  #addEscape(text: string, at: number): number {
    const letter = text.charCodeAt(at);
    if (letter !== LOWER_U) {
      this.#addUnit(ESCAPES.get(letter) ?? letter & 127);
      return 1;
    }
    this.#addUnit(Number.parseInt(text.slice(at + 1, at + 5), 16) || 0);
    return 5;
  }

  /** Takes a byte above 127. */
  #addByte(byte: number): void {
    if (byte >= 0xc0) this.#first = byte;
    else if (this.#first !== 0) {
      this.#step(wideKind(this.#first, byte));
      this.#first = 0;
    }
  }

  /** Ends the text: what comes next is another one. */
  endText(): void {
    this.#hundredths += END_COSTS[this.#run] ?? 0;
    this.#run = 0;
    this.#first = 0;
  }
}

/** The estimate of a whole text. */
export function estimateText(text: string): EstimatedTokens {
  const estimate = new TokenEstimate();
  estimate.addText(text);
  return estimate;
}
