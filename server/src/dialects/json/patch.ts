/** Patches the top level of a JSON object in its own bytes, so that everything else stays as it was written. */
import type { JsonField, JsonTop } from "./bytes.ts";

/** What to do with a top-level key: JSON text to set, or `null` to remove it. */
export type JsonEdits = ReadonlyMap<string, string | null>;

/** Writes fields while keeping track of whether a comma is due. */
class Writer {
  readonly #body: Buffer;
  readonly #parts: Buffer[] = [];
  /** A contiguous range of unchanged bytes of the body. */
  #from = 0;
  #to = 0;
  #hasField = false;

  constructor(body: Buffer) {
    this.#body = body;
  }

  bytes(start: number, end: number): void {
    if (start !== this.#to) {
      this.#endRun();
      this.#from = start;
    }
    this.#to = Math.max(start, end);
  }

  #endRun(): void {
    if (this.#to > this.#from) this.#parts.push(this.#body.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  text(text: string): void {
    this.#endRun();
    this.#parts.push(Buffer.from(text));
  }

  /** Copies a field from where the one before it ended, its own comma and spaces included, unless it has become the first. */
  field(field: JsonField, from: number, isFirstInSource: boolean, value: string | undefined): void {
    this.bytes(
      isFirstInSource || this.#hasField ? from : field.keyStart,
      value === undefined ? field.valueEnd : field.valueStart,
    );
    if (value !== undefined) this.text(value);
    this.#hasField = true;
  }

  insert(name: string, value: string): void {
    this.text(`${this.#hasField ? "," : ""}${JSON.stringify(name)}:${value}`);
    this.#hasField = true;
  }

  whole(): Buffer {
    this.#endRun();
    return Buffer.concat(this.#parts);
  }
}

/**
 * Replaces, removes and inserts top-level keys; every other byte stays. Each repetition of an edited key is edited. New keys come
 * last, in the order of `edits`. Returns the body itself where there is nothing to do.
 */
export function patchTopLevel(body: Buffer, top: JsonTop, edits: JsonEdits): Buffer {
  if (edits.size === 0) return body;
  const writer = new Writer(body);
  const seen = new Set<string>();
  writer.bytes(0, top.open);
  let from = top.open;
  for (const field of top.fields) {
    const edit = edits.get(field.name);
    if (edit !== undefined) seen.add(field.name);
    const isFirst = from === top.open;
    // Of a removed field nothing is copied; the next one copies from behind it.
    if (edit !== null) writer.field(field, from, isFirst, edit);
    from = field.valueEnd;
  }
  for (const [name, value] of edits) if (value !== null && !seen.has(name)) writer.insert(name, value);
  writer.bytes(from, body.length);
  return writer.whole();
}
