/**
 * Values in statements of ClickHouse. It has bound parameters since version 19.11 and old servers are supported, so values become literals
 * here and nowhere else: whatever a text holds, no character of it can end its literal.
 */

/** What stands for itself between two quotes; every other character is written as its bytes. */
const PLAIN = /^[A-Za-z0-9_.:/@ -]$/;
const HEX = 16;

/** `\xHH` for each byte that a character has in UTF-8: clickhouse.com/docs/sql-reference/syntax#string. */
const bytesOf = (character: string): string =>
  Array.from(Buffer.from(character, "utf8"), (byte) => `\\x${byte.toString(HEX).padStart(2, "0")}`).join("");

const textLiteral = (text: string): string =>
  `'${Array.from(text, (character) => (PLAIN.test(character) ? character : bytesOf(character))).join("")}'`;

/**
 * A value as ClickHouse reads it: a text, a safe integer, a finite number, a bigint or null. Lone surrogates become U+FFFD, as on the way to
 * any server that takes UTF-8. Throws a TypeError for anything else.
 */
export function literal(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return textLiteral(value);
  const isNumber = typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value));
  if (typeof value !== "bigint" && !(isNumber && Number.isFinite(value)))
    throw new TypeError(`A statement of ClickHouse has a ${typeof value}, which it does not store as it is meant`);
  // Two signs in a row begin a comment.
  return value < 0 ? `(${value})` : String(value);
}
