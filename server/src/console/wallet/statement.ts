/** The own statement of a month, its lines, and how long the balance lasts, as its owner asks for them; notify/statements.ts sends the first. */
import { z } from "zod";
import { type LedgerLine, readStatementLines } from "../../billing/statement-lines.ts";
import { readStatements } from "../../billing/statement.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Pace, StatementLines } from "../../../../contract/src/payments/statement.ts";
import { objectOf, parseJson } from "../../util/json-read.ts";
import { monthAfter, monthIn, monthStart } from "../../util/months.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { dayIn } from "./checkin.ts";
import { orderIdsOf } from "./store.ts";

/** Models of one answer; more are not used in a month. */
const MODELS_MAX = 100;

type StatementContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

/** A month as it was asked for; the present one where none was. */
function monthOf({ snapshot, clock }: StatementContext, month: string | undefined) {
  const zone = snapshot.options.CheckinTimeZone;
  const shown = month ?? monthIn(zone, clock());
  return { zone, shown, span: { start: monthStart(zone, shown), end: monthStart(zone, monthAfter(shown, 1)) } };
}

const accountIsGone = () => new AppError("not_found", { message: "This account was not found" });

/**
 * What came to and went from a balance in a month.
 * @param month `YYYY-MM` of the site's time zone; the present one where undefined
 * @throws AppError not_found where the account is gone
 */
export async function ownStatement(context: StatementContext, userId: number, month: string | undefined) {
  const { zone, shown, span } = monthOf(context, month);
  const statement = (await readStatements(context.database.questions, [userId], span)).get(userId);
  if (statement === undefined) throw accountIsGone();
  const { topUps: top_ups, models, ...amounts } = statement;
  return { month: shown, time_zone: zone, ...span, ...amounts, top_ups, models: models.slice(0, MODELS_MAX) };
}

/** The subject of a ledger entry, as far as its owner may see it: never who did it, and nothing of other people. */
const ledgerDetail = z.object({ order: z.string().catch(""), code: z.number().catch(0) }).partial();

function referenceOf({ kind, detail }: LedgerLine): string {
  if (detail === "") return "";
  const { order = "", code = 0 } = ledgerDetail.parse(objectOf(parseJson(detail)));
  if (kind === "redemption") return code === 0 ? "" : `#${code}`;
  return kind === "top_up" || kind === "reversal" ? order : "";
}

/**
 * Every change of a balance in a month, oldest first.
 * @param month `YYYY-MM` of the site's time zone; the present one where undefined
 * @throws AppError not_found where the account is gone
 */
export async function ownStatementLines(
  context: StatementContext,
  userId: number,
  month: string | undefined,
): Promise<StatementLines> {
  const { zone, shown, span } = monthOf(context, month);
  const dayOf = (second: number): string => dayIn(zone, second * 1000);
  const found = await readStatementLines(context.database.questions, userId, span, dayOf);
  if (found === undefined) throw accountIsGone();
  const numbers = found.lines.filter(({ kind }) => kind !== "redemption").map((line) => referenceOf(line));
  const orders = await orderIdsOf(context.database, userId, [...new Set(numbers)]);
  const lines = found.lines.map((line) => {
    const { time, until, day, kind, count, quota, balance } = line;
    const reference = referenceOf(line);
    return { time, until, day, kind, count, quota, balance, reference, order_id: orders.get(reference) ?? 0 };
  });
  const { opening, closing, isGrouped: is_grouped } = found;
  return { month: shown, time_zone: zone, ...span, opening, closing, lines, is_grouped };
}

const DAY_S = 86_400;
const PACE_DAYS = 30;
/** Of fewer days no pace can be read. */
const LEAST_DAYS = 3;
/** Ten years: longer is no forecast. */
const MOST_DAYS_LEFT = 3_650;

/** Whole days for which a balance lasts at a pace; null where none can be said. @param days that `spent` is of */
export function daysLeftOf(balance: number, spent: number, days: number): number | null {
  if (days < LEAST_DAYS || spent <= 0 || balance <= 0) return null;
  const left = Math.floor((balance / spent) * days);
  return left > MOST_DAYS_LEFT ? null : left;
}

/** How long the own balance lasts if the calls of the last 30 days go on. Throws AppError not_found where the account is gone. */
export async function ownPace({ database, clock }: StatementContext, userId: number): Promise<Pace> {
  const now = Math.floor(clock() / 1000);
  const user = await database.kysely.selectFrom("users").select("quota").where("id", "=", userId).executeTakeFirst();
  if (user === undefined) throw accountIsGone();
  const used = await database.questions.kysely
    .selectFrom("usage_hours")
    .select(({ fn }) => [fn.sum<number | string | null>("quota").as("spent"), fn.min("hour").as("first")])
    .where("user_id", "=", userId)
    .where("hour", ">=", now - PACE_DAYS * DAY_S)
    .executeTakeFirst();
  const days = Math.min(PACE_DAYS, Math.ceil((now - Number(used?.first ?? now)) / DAY_S));
  const spent = Number(used?.spent ?? 0);
  return { balance: user.quota, spent, days, days_left: daysLeftOf(user.quota, spent, days) };
}
