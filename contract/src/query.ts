/** Query parameters as clients of this API family really send them: "", "null", "undefined" and "NaN" mean absent; numbers may come as text. */
import { z } from "zod";

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;
/** Longer than every list, and small enough that row offsets stay exact integers. */
const MAX_PAGE = 1_000_000_000;
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const ABSENT = new Set(["", "null", "undefined", "NaN"]);

/** Whole number in `value`, or undefined where there is none (an unparsable one counts as absent). */
export function integerOf(value: string | number | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  const number = typeof value === "number" ? value : ABSENT.has(value.trim()) ? Number.NaN : Number(value);
  return Number.isSafeInteger(Math.trunc(number)) ? Math.trunc(number) : undefined;
}

const flagOf = (value: string | boolean | undefined): boolean =>
  typeof value === "boolean" ? value : ["true", "1", "t", "T", "TRUE", "True"].includes(value ?? "");

/** Optional text of a query; trimmed. */
export const queryText = z
  .string()
  .max(1000)
  .optional()
  .transform((value) => (value === undefined || ABSENT.has(value.trim()) ? undefined : value.trim()));

/** Optional whole number of a query. */
export const queryInteger = z.union([z.string(), z.number()]).optional().transform(integerOf);

/** Optional time of a query in Unix seconds, clamped to the years 1970 to 9999: nothing was logged before or after. */
export const queryTime = queryInteger.transform((value) =>
  value === undefined ? undefined : Math.min(Math.max(0, value), LAST_SECOND),
);

/** Seconds reach it in the year 5138, milliseconds did in 1973: a number's unit follows from its size. */
const MILLISECONDS_FROM = 100_000_000_000;

/** Optional moment of a query, sent in Unix seconds or milliseconds; given in milliseconds. 0 and below count as absent. */
export const queryMomentMs = queryInteger.transform((value) => {
  if (value === undefined || value <= 0) return undefined;
  return Math.min(value < MILLISECONDS_FROM ? value * 1000 : value, LAST_SECOND * 1000);
});

/** Optional boolean of a query; absent is false. */
export const queryFlag = z.union([z.string(), z.boolean()]).optional().transform(flagOf);

/** Page size, at most 100; 10 where it is absent or below 1. */
export const queryPageSize = z
  .union([z.string(), z.number()])
  .optional()
  .transform((value) => {
    const size = integerOf(value) ?? DEFAULT_PAGE_SIZE;
    return size < 1 ? DEFAULT_PAGE_SIZE : Math.min(size, MAX_PAGE_SIZE);
  });

/** Page number counted from `first` (0 or 1). A smaller or absent number becomes `first`; the maximum is a billion. */
export const queryPage = (first: 0 | 1) =>
  z
    .union([z.string(), z.number()])
    .optional()
    .transform((value) => Math.min(Math.max(first, integerOf(value) ?? first), MAX_PAGE));

/** A page of a list as this API family has it; pages count from 1. */
export const listPage = <const Row extends z.ZodType>(row: Row) =>
  z.object({
    items: z.array(row),
    /** Rows that the filter has, on all pages. */
    total: z.number(),
    page: z.number(),
    page_size: z.number(),
  });

/** The `{id}` of a path. Anything that is not a row id becomes 0, which no row has, so the answer is 'not found'. */
export const pathId = z.object({
  id: z.union([z.string(), z.number()]).transform((value) => Math.max(0, integerOf(value) ?? 0)),
});

/** Trimmed, non-blank, distinct parts of a comma- or line-separated list, in the order given. */
export function splitList(text: string): string[] {
  const parts = text.split(/[,\n\r]/).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ""))];
}
