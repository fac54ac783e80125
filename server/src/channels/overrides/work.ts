/** The work budget of override operations in one call: bounds of reading, growth and matching, so that neither rules nor bodies delay other calls. */

/** Why the override of a channel could not be applied to a request; for administrators. */
export class OverrideFault extends Error {}

/** Characters that operations may add to a body, all together. */
const MAX_GROWTH = 8 * 1_048_576;
/** Characters that conditions may compare, all together; each look at a value counts a few. */
const MAX_READ = 128 * 1_048_576;
/** Places in a body that one path with `*` may stand for. */
const MAX_PLACES = 10_000;
/** Characters times instructions of the patterns: each takes about a third of a microsecond at worst, measured with re2js 2.10. */
const MAX_MATCHING = 524_288;
/** Deeper values are not copied. */
const MAX_DEPTH = 128;
/** What a number, a bracket or a comma counts. */
const PLAIN = 8;

/** Counts down what is left of the bounds. Every function throws OverrideFault where nothing is. */
export class Work {
  #growth = MAX_GROWTH;
  #read = MAX_READ;
  #matching = MAX_MATCHING;

  /** The body grows by so many characters. */
  grow(characters: number): void {
    this.#growth -= characters;
    if (this.#growth < 0) throw new OverrideFault(`the operations add more than ${MAX_GROWTH} characters`);
  }

  /** Counts the characters read. */
  read(characters: number): void {
    this.#read -= characters + PLAIN;
    if (this.#read < 0) throw new OverrideFault("the conditions read too much of this body");
  }

  /** A pattern of so many instructions looks at so many characters. */
  match(instructions: number, characters: number): void {
    this.#matching -= instructions * (characters + 1);
    if (this.#matching < 0) throw new OverrideFault("the text is too long for its patterns");
  }

  /** A path stands for so many places. */
  places(count: number): void {
    if (count > MAX_PLACES) throw new OverrideFault(`a path stands for more than ${MAX_PLACES} places`);
  }

  /** A copy of its own, counted as growth. */
  copy(value: unknown, depth = 0): unknown {
    if (depth > MAX_DEPTH) throw new OverrideFault(`a value is nested deeper than ${MAX_DEPTH}`);
    this.grow(typeof value === "string" ? value.length + 2 : PLAIN);
    if (Array.isArray(value)) return value.map((each: unknown) => this.copy(each, depth + 1));
    if (!isFields(value)) return value;
    const copied = Object.entries(value).map(([name, inner]) => {
      this.grow(name.length + 3);
      return [name, this.copy(inner, depth + 1)] as const;
    });
    return Object.fromEntries(copied);
  }
}

/** JSON.parse may keep long numbers as they were written: such a value is a number, and no object. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);

/** The number, also one whose digits were kept; undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** The value as a text: a string as it is, all else as JSON; "" for null. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** What kind of value it is, for faults. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (numberOf(value) !== undefined) return "a number";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : typeof value === "string" ? "text" : "true or false";
}
