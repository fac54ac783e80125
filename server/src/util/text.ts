/** Text as the databases' columns accept it, cut to their length. */

/** The text without what PostgreSQL refuses in one: the zero character is dropped, halves of surrogate pairs are replaced. */
export const storable = (text: string): string =>
  (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();

/** Storable text of at most `length` UTF-16 units. It is cut first: what a client sent may be far longer than any column. */
export const storableCut = (text: string, length: number): string =>
  storable(text.length > length ? text.slice(0, length) : text);

/** The first `count` code points: what users read is not cut within a character. */
export const firstCodePoints = (text: string, count: number): string =>
  text.length <= count ? text : [...text].slice(0, count).join("");
