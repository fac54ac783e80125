/** Rows as CSV: RFC 4180 quoting, and cells that no spreadsheet takes for a formula. */

/** Spreadsheets read UTF-8 only where this stands first. */
export const BYTE_ORDER_MARK = "\uFEFF";

/**
 * What a spreadsheet may run, in narrow and wide letters: such a text gets an apostrophe before it, and so does what stands behind a
 * semicolon, a tab or a line end, which begin a new cell where a country separates by those. Numbers are no texts and keep their sign.
 */
const FORMULA = /^(?=[\t\r\n])|(^|[;\t\r\n])(?=\s{0,8}[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** One cell. */
export function csvCell(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  const safe = value.replaceAll(FORMULA, "$1'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One record with its line end. */
export const csvLine = (cells: readonly (string | number | boolean)[]): string => `${cells.map(csvCell).join(",")}\r\n`;
