/** The lines of a statement: every change of one balance in a month, from the ledger and its hourly roll-up, with the balance after each. */
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { ADJUSTMENT_KINDS } from "./billing.ts";
import { HOUR_S, hourFrom, hourUpTo, type StatementSpan } from "./statement.ts";

type EntryKind = (typeof ADJUSTMENT_KINDS)[number];

/** One line, before it is written for people. */
export interface LedgerLine {
  /** Unix seconds; of a day's line the first hour of it. */
  time: number;
  /** The second after the last that the line may be of. */
  until: number;
  day: string;
  kind: EntryKind | "calls";
  /** Calls, or entries that are one line. */
  count: number;
  quota: number;
  balance: number;
  /** JSON of the ledger; "" where the line is of several entries. */
  detail: string;
}

export interface LedgerLines {
  opening: number;
  closing: number;
  lines: readonly LedgerLine[];
  /** Whether entries of one kind and day are one line, because there were more than MAX_SINGLE_ENTRIES. */
  isGrouped: boolean;
}

/** Entries of a month that have a line each; of more, those of one kind and day share one. */
export const MAX_SINGLE_ENTRIES = 1_000;

interface Part {
  part: "balance" | "used" | "used_after" | "moved" | "moved_after";
  kind: EntryKind | "";
  at: number | string;
  amount: number | string;
  count: number | string;
  detail: string;
}

/** Charges given back come by the thousand where tasks fail, and have no order or code to lead to: always one line a day. */
const SINGLE_KINDS = ADJUSTMENT_KINDS.filter((kind) => kind !== "refund");

const listOf = (values: readonly string[]): RawBuilder<unknown> => sql.join(values.map((value) => sql`${value}`));

/** Entries one by one, or by hour and kind. */
function movedParts(userId: number, { start, end }: StatementSpan, isGrouped: boolean): RawBuilder<unknown> {
  const within = sql`user_id = ${userId} AND created_at >= ${start} AND created_at < ${end} AND quota_delta <> 0`;
  const hours = (kinds: readonly string[]) => sql`
    SELECT 'moved' AS part, kind, MIN(created_at) AS at, SUM(quota_delta) AS amount, COUNT(*) AS count, '' AS detail FROM ledger
      WHERE kind IN (${listOf(kinds)}) AND ${within} GROUP BY kind, created_at - created_at % ${sql.lit(HOUR_S)}`;
  if (isGrouped) return hours(ADJUSTMENT_KINDS);
  return sql`
    SELECT * FROM (SELECT 'moved' AS part, kind, created_at AS at, quota_delta AS amount, 1 AS count, detail FROM ledger
      WHERE kind IN (${listOf(SINGLE_KINDS)}) AND ${within} ORDER BY created_at, id LIMIT ${sql.lit(MAX_SINGLE_ENTRIES + 1)}) AS singles
    UNION ALL ${hours(["refund"])}`;
}

/** All parts as one statement, which sees one state of the database. Whole hours of calls are from the roll-up, as in statement.ts. */
function partsOf(userId: number, span: StatementSpan, isGrouped: boolean): RawBuilder<Part> {
  const { start, end } = span;
  const [first, last, after] = [hourFrom(start), hourUpTo(end), hourFrom(end)];
  const edge = (from: number, until: number) => sql`
    SELECT 'used', '', MIN(created_at), SUM(used_delta), SUM(request_delta), '' FROM ledger
      WHERE kind IN ('charge', 'refund') AND user_id = ${userId} AND created_at >= ${from} AND created_at < ${until} HAVING COUNT(*) > 0`;
  return sql<Part>`
    SELECT 'balance' AS part, '' AS kind, 0 AS at, quota AS amount, 0 AS count, '' AS detail FROM users WHERE id = ${userId}
    UNION ALL SELECT 'used', '', hour, SUM(quota), SUM(requests), '' FROM usage_hours
      WHERE user_id = ${userId} AND hour >= ${first} AND hour < ${last} GROUP BY hour
    UNION ALL ${edge(start, first)}
    UNION ALL ${edge(last, end)}
    UNION ALL SELECT 'used_after', '', 0, SUM(quota), 0, '' FROM usage_hours WHERE user_id = ${userId} AND hour >= ${after}
    UNION ALL SELECT 'used_after', '', 0, SUM(used_delta), 0, '' FROM ledger
      WHERE kind IN ('charge', 'refund') AND user_id = ${userId} AND created_at >= ${end} AND created_at < ${after}
    UNION ALL SELECT 'moved_after', '', 0, SUM(quota_delta), 0, '' FROM ledger
      WHERE kind IN (${listOf(SINGLE_KINDS)}) AND user_id = ${userId} AND created_at >= ${end}
    UNION ALL ${movedParts(userId, span, isGrouped)}`;
}

type Unbalanced = Omit<LedgerLine, "balance">;

/** Adds a part to the line of its day and kind. */
function addTo(lines: Map<string, Unbalanced>, added: Unbalanced): void {
  const key = `${added.day} ${added.kind}`;
  const line = lines.get(key);
  if (line === undefined) return void lines.set(key, { ...added, detail: "" });
  const { time, count, quota } = line;
  lines.set(key, {
    ...line,
    time: Math.min(time, added.time),
    until: Math.max(line.until, added.until),
    count: count + added.count,
    quota: quota + added.quota,
  });
}

/** Calls stand at the end of their day: what they were paid from comes before them. */
const compareLines = (a: Unbalanced, b: Unbalanced): number =>
  a.day === b.day ? Number(a.kind === "calls") - Number(b.kind === "calls") || a.time - b.time : a.day < b.day ? -1 : 1;

/** The roll-up has the calls less what was given back: the latter is a line of its own, so the calls are that much more. */
function linesOf(parts: readonly Part[], dayOf: (second: number) => string, isGrouped: boolean): Unbalanced[] {
  const days = new Map<string, Unbalanced>();
  const singles: Unbalanced[] = [];
  for (const { part, kind, at, amount, count, detail } of parts) {
    const time = Number(at);
    const until = hourUpTo(time) + HOUR_S;
    const facts = { time, until, day: dayOf(time), count: Number(count), quota: Number(amount), detail };
    if (part === "used") addTo(days, { ...facts, kind: "calls", quota: 0 - facts.quota });
    if (part !== "moved" || kind === "") continue;
    if (kind === "refund") addTo(days, { ...facts, kind: "calls", count: 0, quota: 0 - facts.quota });
    if (isGrouped || kind === "refund") addTo(days, { ...facts, kind });
    else singles.push({ ...facts, kind });
  }
  return [...singles, ...days.values()].filter(({ quota, count }) => quota !== 0 || count > 0).toSorted(compareLines);
}

const sumOf = (parts: readonly Part[], wanted: Part["part"]): number =>
  parts.filter(({ part }) => part === wanted).reduce((sum, { amount }) => sum + Number(amount), 0);

/**
 * Every change of a balance in a month, oldest first; undefined where the account is gone. `opening` and all `quota` are `closing`.
 * @param dayOf the day of a moment (Unix seconds) as `YYYY-MM-DD`, by which calls are put together: whole hours by their beginning
 */
export async function readStatementLines(
  { kysely }: Pick<Database, "kysely">,
  userId: number,
  span: StatementSpan,
  dayOf: (second: number) => string,
): Promise<LedgerLines | undefined> {
  const read = async (isGrouped: boolean) => (await partsOf(userId, span, isGrouped).execute(kysely)).rows;
  const found = await read(false);
  const isGrouped = found.filter(({ part, kind }) => part === "moved" && kind !== "refund").length > MAX_SINGLE_ENTRIES;
  const parts = isGrouped ? await read(true) : found;
  if (!parts.some(({ part }) => part === "balance")) return undefined;
  const closing = sumOf(parts, "balance") + sumOf(parts, "used_after") - sumOf(parts, "moved_after");
  const lines = linesOf(parts, dayOf, isGrouped);
  const opening = closing - lines.reduce((sum, { quota }) => sum + quota, 0);
  let balance = opening;
  return { opening, closing, isGrouped, lines: lines.map((line) => ({ ...line, balance: (balance += line.quota) })) };
}
