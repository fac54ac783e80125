/** Recognises events as JSON without parsing, by the one before: they differ from it by some plain characters of one string. */

/** Longer events are not compared: they are seldom, and the one before would be kept in memory. */
const MAX_CHARACTERS = 4_096;
/** Streams in which every event has something new besides its words (OpenAI's `obfuscation`) are not compared for ever. */
const MAX_MISSES = 8;

const QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PRINTABLE = 32;

/** True for characters that stand for themselves inside of a string. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === BACKSLASH || code < FIRST_PRINTABLE) return false;
  }
  return true;
}

/** The inside of the string that the position lies in; undefined where it lies in none. `from` is outside of strings. */
function stringAround(text: string, from: number, position: number): readonly [start: number, end: number] | undefined {
  for (let open = text.indexOf('"', from); open >= 0 && open < position;) {
    let close = open + 1;
    while (close < text.length && text.charCodeAt(close) !== QUOTE)
      close += text.charCodeAt(close) === BACKSLASH ? 2 : 1;
    if (close >= position) return [open + 1, close];
    open = text.indexOf('"', close + 1);
  }
  return undefined;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/** One stream's events, as Latin-1. */
export class RepeatedEvent {
  #last = "";
  /** What stands around the words; both empty while there is no such event. */
  #head = "";
  #tail = "";
  #misses = 0;

  /** True for an event that is JSON, since one that was noted is. */
  isKnown(text: string): boolean {
    const [head, tail] = [this.#head, this.#tail];
    const end = text.length - tail.length;
    return (
      head !== "" &&
      end >= head.length &&
      text.startsWith(head) &&
      text.endsWith(tail) &&
      isPlain(text, head.length, end)
    );
  }

  /** Takes an event whose JSON begins at `from`, and was found to be whole. */
  note(text: string, from: number): void {
    if (this.#misses >= MAX_MISSES || text.length > MAX_CHARACTERS) return;
    const words = stringAround(text, from, firstDifference(text, this.#last));
    this.#misses += 1;
    this.#last = text;
    if (words === undefined) return;
    this.#head = text.slice(0, words[0]);
    this.#tail = text.slice(words[1]);
  }
}
