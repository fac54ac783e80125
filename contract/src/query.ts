/** Query fields that forgive what existing clients send: missing, empty, `null`, `undefined`, `NaN` (none of them is an error). */
import { z } from "zod";
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from "./constants.ts";

const NOTHING: ReadonlySet<string> = new Set(["", "null", "undefined", "NaN"]);

/** Text, trimmed; absent and the words clients send for nothing give "". */
export const looseText = z
  .string()
  .optional()
  .transform((text = "") => (NOTHING.has(text.trim()) ? "" : text.trim()));

/** A whole number; what cannot be read gives `fallback` (0, as the reference has it, unless told). */
export function looseInteger(fallback = 0) {
  return z
    .union([z.number(), z.string()])
    .optional()
    .transform((value) => readInteger(value, fallback));
}

function readInteger(value: number | string | undefined, fallback: number): number {
  if (value === undefined || (typeof value === "string" && NOTHING.has(value.trim()))) return fallback;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number : fallback;
}

/** `true` only for true, "true" and "1". */
export const looseBoolean = z
  .union([z.boolean(), z.string()])
  .optional()
  .transform((value) => value === true || value === "true" || value === "1");

/** Items a page: 1 to 100, the default where missing or below 1 (spec section 9). */
export const pageSize = looseInteger(0).transform((size) =>
  size < 1 ? DEFAULT_PAGE_SIZE : Math.min(size, MAXIMUM_PAGE_SIZE),
);

/** Page number for lists whose first page is 1. */
export const pageFromOne = looseInteger(1).transform((page) => Math.max(page, 1));

/** Page number for lists whose first page is 0. */
export const pageFromZero = looseInteger(0).transform((page) => Math.max(page, 0));

/** A path's `{id}`; anything but a whole number above 0 is refused with 400. */
export const idParams = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) });
