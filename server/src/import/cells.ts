/** Reads cells of another gateway's rows: pure functions from text to a value, which say where there is none. */
import { showUnseen } from "../../../contract/src/names.ts";
import { firstCodePoints, storable } from "../util/text.ts";
import type { SourceRow } from "./source.ts";

/** The text, without the blanks by which PostgreSQL fills `char(48)`; "" for NULL and for a column that is not there. */
export const textIn = (row: SourceRow, column: string): string => storable(row[column] ?? "").trimEnd();

/** A whole number, also where it was written as `12.0`; undefined for NULL and for anything else. */
function wholeIn(row: SourceRow, column: string): bigint | undefined {
  const text = (row[column] ?? "").trim();
  const whole = /^[+-]?\d{1,30}(?=(?:\.0+)?$)/.exec(text)?.[0];
  return whole === undefined ? undefined : BigInt(whole);
}

/** As nearly every number is written, and short enough for JavaScript to have it exactly. */
const PLAIN = /^-?\d{1,15}$/;

/** A whole number that JavaScript has exactly; `absent` for NULL and for anything else. */
export function numberIn(row: SourceRow, column: string, absent = 0): number {
  const text = row[column];
  if (text === null || text === undefined) return absent;
  // No -0 comes out of it.
  if (PLAIN.test(text)) return Number(text) || 0;
  const number = Number(wholeIn(row, column) ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : absent;
}

/** 1 and 0, `true` and `f`; undefined for NULL, which rows older than the column have. */
export function flagIn(row: SourceRow, column: string): boolean | undefined {
  const text = (row[column] ?? "").trim().toLowerCase();
  if (["1", "t", "true"].includes(text)) return true;
  return ["0", "f", "false"].includes(text) ? false : undefined;
}

/** A column of money or use, in quota; NULL is 0. Throws an Error of one line where it is no number that can be kept exactly. */
export function quotaIn(row: SourceRow, column: string): number {
  const text = (row[column] ?? "").trim();
  if (text === "") return 0;
  if (PLAIN.test(text)) return Number(text) || 0;
  const number = Number(wholeIn(row, column) ?? Number.NaN);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(
    `${column} of row ${row["id"] ?? "?"} is "${text.slice(0, 40)}", which is no amount that can be kept`,
  );
}

/** Unix seconds of a time as the drivers write it: with or without zone, which is then taken as UTC. Undefined for none. */
export function momentIn(row: SourceRow, column: string): number | undefined {
  const text = (row[column] ?? "").trim();
  if (text === "" || text.startsWith("0000-00-00")) return undefined;
  const plain = text.replace(" ", "T").replace(/(\.\d{3})\d+/, "$1");
  const zoned = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(plain) ? plain.replace(/([+-]\d\d)$/, "$1:00") : `${plain}Z`;
  const milliseconds = Date.parse(zoned.replace(/ .*$/, ""));
  // Whatever it says, the row is deleted.
  return Number.isNaN(milliseconds) ? 1 : Math.floor(milliseconds / 1000);
}

/** A name as it can be shown and kept: what is invisible is replaced, what is too long is cut. */
export const nameIn = (row: SourceRow, column: string, length: number): string =>
  firstCodePoints(showUnseen(textIn(row, column).trim()), length);

const SAYS_NOTHING = /^(?:0(?:\.0+)?|f|false|null|\{\}|\[\])?$/;

/** Whether a cell holds a value, and not the default of its type. */
export const saysSomething = (cell: string | null | undefined): boolean => !SAYS_NOTHING.test((cell ?? "").trim());
