/** Monthly statements by mail: once a month, to every account that wants one and had any movement, in batches that continue after a restart. */
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { quotaDisplayOf } from "../../../contract/src/options/quota-unit.ts";
import { formatQuota } from "../../../contract/src/quota-display.ts";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import { hasMovement, readStatements, type Statement } from "../billing/statement.ts";
import type { KeyValueStore } from "../db/key-value-store.ts";
import { nowSeconds } from "../util/clock.ts";
import { monthAfter, monthIn, monthStart } from "../util/months.ts";
import { notifyUser, type NotifyContext } from "./notify-user.ts";
import { readSetting } from "./user-setting.ts";

export interface StatementContext extends NotifyContext {
  facts: Pick<KeyValueStore, "read" | "write">;
  options(): OptionValues;
}

/** `YYYY-MM <id>`: the month that is being sent, and the account up to which it is done; `YYYY-MM done` when all are. */
const FACT = "monthly_statements";
const DONE = "done";
/** Calls that began before the end of the month are settled by then. */
const WAIT_S = 6 * 3600;
/** A month is sent in its first week: who turns statements on later gets the next one. */
const LATE_S = 7 * 86_400;
const ACCOUNTS_A_BATCH = 200;
/** Models named in a message; the others are one line. */
const MODELS_SHOWN = 20;

interface DueMonth {
  month: string;
  start: number;
  end: number;
}

/** The month whose statements are due now; undefined where there is none. */
function dueMonth({ options, clock }: StatementContext): DueMonth | undefined {
  const { MonthlyStatementEnabled, CheckinTimeZone: zone } = options();
  if (!MonthlyStatementEnabled) return undefined;
  const now = nowSeconds(clock);
  const present = monthIn(zone, now * 1000);
  const end = monthStart(zone, present);
  if (now < end + WAIT_S || now >= end + LATE_S) return undefined;
  const month = monthAfter(present, -1);
  return { month, start: monthStart(zone, month), end };
}

async function progress({ facts }: StatementContext, month: string): Promise<{ isDone: boolean; after: number }> {
  const [stored, place = "0"] = ((await facts.read(FACT)) ?? "").split(" ");
  // A zone that was changed may lead back to a month that was sent.
  if (stored !== undefined && stored > month) return { isDone: true, after: 0 };
  return stored === month ? { isDone: place === DONE, after: Number(place) || 0 } : { isDone: false, after: 0 };
}

/** Whether statements are due that were not sent: one look-up, and none where they are off. */
export async function hasDueStatements(context: StatementContext): Promise<boolean> {
  const due = dueMonth(context);
  return due !== undefined && !(await progress(context, due.month)).isDone;
}

const walletAddress = ({ ServerAddress: address }: OptionValues): string =>
  address === "" ? "" : `${address.replace(/\/+$/, "")}/topup`;

/** "gpt-4o: $1.20", a line each. */
function modelLines({ models }: Statement, options: OptionValues): string {
  const display = quotaDisplayOf(options);
  const lines = models.slice(0, MODELS_SHOWN).map(({ model, quota }) => `${model}: ${formatQuota(quota, display)}`);
  const others = models.slice(MODELS_SHOWN).reduce((sum, { quota }) => sum + quota, 0);
  return [...lines, ...(models.length > MODELS_SHOWN ? [`…: ${formatQuota(others, display)}`] : [])].join("\n") || "–";
}

const notificationOf = (statement: Statement, month: string, options: OptionValues) =>
  ({
    code: "monthly_statement",
    values: {
      month,
      opening: statement.opening,
      opening_units: statement.opening,
      top_ups: statement.topUps,
      reversals: statement.reversals,
      credits: statement.credits,
      spent: statement.spent,
      requests: statement.requests,
      refunds: statement.refunds,
      closing: statement.closing,
      closing_units: statement.closing,
      models: modelLines(statement, options),
      address: walletAddress(options),
    },
  }) as const;

/** Accounts of one batch, with their settings. */
const batchAfter = ({ database }: StatementContext, after: number) =>
  database.kysely
    .selectFrom("users")
    .select(["id", "setting"])
    .where("id", ">", after)
    .where("status", "=", USER_STATUS.enabled)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(ACCOUNTS_A_BATCH)
    .execute();

/**
 * Writes the statements that are due into the outbox. The outbox has one message for each account and month, so a process that is killed
 * between a batch and its note, or a second one, sends none twice.
 * @param signal aborts when the process stops: no batch is begun then
 */
export async function sendStatements(context: StatementContext, signal?: AbortSignal): Promise<void> {
  const due = dueMonth(context);
  if (due === undefined) return;
  const { month } = due;
  let { isDone, after } = await progress(context, month);
  while (!isDone && signal?.aborted !== true) {
    const accounts = await batchAfter(context, after);
    const wanting = accounts.filter(({ setting }) => readSetting(setting).monthly_statement).map(({ id }) => id);
    const statements = await readStatements(context.database, wanting, due);
    for (const [userId, statement] of statements) {
      if (!hasMovement(statement)) continue;
      const notification = notificationOf(statement, month, context.options());
      await notifyUser(context, context.database.kysely, {
        userId,
        notification,
        onceKey: `statement:${userId}:${month}`,
      });
    }
    isDone = accounts.length < ACCOUNTS_A_BATCH;
    after = accounts.at(-1)?.id ?? after;
    await context.facts.write(FACT, `${month} ${isDone ? DONE : after}`);
  }
}
