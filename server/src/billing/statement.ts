/** Monthly statements of accounts, from the ledger and its hourly roll-up: opening balance, changes by kind, closing balance. */
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { ADJUSTMENT_KINDS } from "./billing.ts";

/** The month, in Unix seconds; the end is the beginning of the next one. */
export interface StatementSpan {
  start: number;
  end: number;
}

/** Amounts in quota. `opening` + `topUps` + `reversals` + `credits` - `spent` + `refunds` = `closing`, to the unit. */
export interface Statement {
  opening: number;
  topUps: number;
  /** What refunded and disputed payments took back; below 0. */
  reversals: number;
  /** All other changes: gifts, codes, check-ins, rewards, corrections; below 0 where more was taken. */
  credits: number;
  /** Charges of calls. */
  spent: number;
  /** Charges given back, such as those of tasks that failed. */
  refunds: number;
  closing: number;
  requests: number;
  /** Charges by model less what was given back, the largest first. */
  models: readonly { model: string; quota: number; requests: number }[];
}

interface Part {
  user_id: number;
  part: "balance" | "used" | "used_after" | "moved" | "moved_after";
  name: string;
  /** Sums come as text on some engines. */
  amount: number | string;
  requests: number | string;
}

export const HOUR_S = 3600;
/** The first whole hour from a second on, and the last one up to it; both Unix seconds. */
export const hourFrom = (second: number): number => Math.ceil(second / HOUR_S) * HOUR_S;
export const hourUpTo = (second: number): number => Math.floor(second / HOUR_S) * HOUR_S;

const listOf = (values: readonly (number | string)[]): RawBuilder<unknown> =>
  sql.join(values.map((value) => sql`${value}`));

/**
 * All parts as one statement, which sees one state of the database: whole hours from the roll-up, the ledger for the parts of hours at both
 * ends (zones that are half an hour off) and for what is no call.
 */
function partsOf(userIds: readonly number[], { start, end }: StatementSpan): RawBuilder<Part> {
  const users = listOf(userIds);
  const kinds = listOf(ADJUSTMENT_KINDS);
  const [first, last, after] = [hourFrom(start), hourUpTo(end), hourFrom(end)];
  return sql<Part>`
    SELECT id AS user_id, 'balance' AS part, '' AS name, quota AS amount, 0 AS requests FROM users WHERE id IN (${users})
    UNION ALL SELECT user_id, 'used', model, SUM(quota), SUM(requests) FROM usage_hours
      WHERE user_id IN (${users}) AND hour >= ${first} AND hour < ${last} GROUP BY user_id, model
    UNION ALL SELECT user_id, 'used', model, SUM(used_delta), SUM(request_delta) FROM ledger
      WHERE kind IN ('charge', 'refund') AND user_id IN (${users})
        AND ((created_at >= ${start} AND created_at < ${first}) OR (created_at >= ${last} AND created_at < ${end}))
      GROUP BY user_id, model
    UNION ALL SELECT user_id, 'used_after', '', SUM(quota), 0 FROM usage_hours
      WHERE user_id IN (${users}) AND hour >= ${after} GROUP BY user_id
    UNION ALL SELECT user_id, 'used_after', '', SUM(used_delta), 0 FROM ledger
      WHERE kind IN ('charge', 'refund') AND user_id IN (${users}) AND created_at >= ${end} AND created_at < ${after}
      GROUP BY user_id
    UNION ALL SELECT user_id, 'moved', kind, SUM(quota_delta), 0 FROM ledger
      WHERE kind IN (${kinds}) AND user_id IN (${users}) AND created_at >= ${start} AND created_at < ${end}
      GROUP BY user_id, kind
    UNION ALL SELECT user_id, 'moved_after', kind, SUM(quota_delta), 0 FROM ledger
      WHERE kind IN (${kinds}) AND user_id IN (${users}) AND created_at >= ${end} GROUP BY user_id, kind`;
}

const sumOf = (parts: readonly Part[], isOf: (part: Part) => boolean): number =>
  parts.filter(isOf).reduce((sum, { amount }) => sum + Number(amount), 0);

const isMovedAs =
  (kind: string) =>
  ({ part, name }: Part): boolean =>
    part === "moved" && name === kind;

function modelsOf(parts: readonly Part[]): Statement["models"] {
  const models = new Map<string, { quota: number; requests: number }>();
  for (const { part, name, amount, requests } of parts) {
    if (part !== "used") continue;
    const { quota, requests: before } = models.get(name) ?? { quota: 0, requests: 0 };
    models.set(name, { quota: quota + Number(amount), requests: before + Number(requests) });
  }
  return [...models]
    .map(([model, sums]) => ({ model, ...sums }))
    .toSorted((a, b) => b.quota - a.quota || (a.model < b.model ? -1 : 1));
}

/** Refunds of charges are in the used sums of the roll-up and in the moves of the ledger: they count as moves. */
function statementOf(parts: readonly Part[]): Statement {
  const models = modelsOf(parts);
  const used = models.reduce((sum, { quota }) => sum + quota, 0);
  const refunds = sumOf(parts, isMovedAs("refund"));
  const [topUps, reversals] = [sumOf(parts, isMovedAs("top_up")), sumOf(parts, isMovedAs("reversal"))];
  const moved = sumOf(parts, ({ part }) => part === "moved");
  const refundsAfter = sumOf(parts, ({ part, name }) => part === "moved_after" && name === "refund");
  const movedAfter = sumOf(parts, ({ part }) => part === "moved_after") - refundsAfter;
  const balance = sumOf(parts, ({ part }) => part === "balance");
  const usedAfter = sumOf(parts, ({ part }) => part === "used_after");
  const closing = balance + usedAfter - movedAfter;
  return {
    opening: closing + used - (moved - refunds),
    topUps,
    reversals,
    credits: moved - topUps - reversals - refunds,
    spent: used + refunds,
    refunds,
    closing,
    requests: models.reduce((sum, { requests }) => sum + requests, 0),
    models,
  };
}

/** Whether anything was charged, paid or credited. */
export const hasMovement = ({ topUps, reversals, credits, spent, refunds, requests }: Statement): boolean =>
  [topUps, reversals, credits, spent, refunds, requests].some((amount) => amount !== 0);

/**
 * The statements of accounts; of those that exist. A call counts to the month in which it began, so that one that is under way at the end
 * of a month is in its statement once it is settled.
 * @param userIds at most some hundreds
 */
export async function readStatements(
  { kysely }: Pick<Database, "kysely">,
  userIds: readonly number[],
  span: StatementSpan,
): Promise<ReadonlyMap<number, Statement>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await partsOf(userIds, span).execute(kysely);
  const byUser = Map.groupBy(rows, ({ user_id: id }) => Number(id));
  return new Map(
    [...byUser]
      .filter(([, parts]) => parts.some(({ part }) => part === "balance"))
      .map(([id, parts]) => [id, statementOf(parts)]),
  );
}
