/** Notifies users of a model that it will be retired: 60, 30 and 7 days before, once each, read from the hourly roll-up. */
import { hash } from "node:crypto";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import {
  type Retirement,
  type RetirementStage,
  daysLeft,
  noticeStage,
  retirementOf,
} from "../../../contract/src/pricing/retirement.ts";
import type { KeyValueStore } from "../db/key-value-store.ts";
import { retryDeadlocks } from "../db/portable.ts";
import { nowSeconds } from "../util/clock.ts";
import { type NotifyContext, notifyUser } from "./notify-user.ts";

export interface RetirementContext extends NotifyContext {
  facts: Pick<KeyValueStore, "read" | "write">;
  options(): OptionValues;
}

const FACT = "model_retirement_notices";
const USED_SECONDS = 30 * 86_400;
/** People of one transaction. */
const PEOPLE_AT_ONCE = 50;

/** The last announcement, by model: `2026-12-31 30`. */
type Announced = Readonly<Record<string, string>>;

interface DueNotice {
  model: string;
  retirement: Retirement;
  stage: RetirementStage;
}

const markOf = ({ retirement, stage }: DueNotice): string => `${retirement.day} ${stage}`;

async function readAnnounced({ facts }: Pick<RetirementContext, "facts">): Promise<Announced> {
  // The fact is written below alone.
  return JSON.parse((await facts.read(FACT)) ?? "{}") as Announced;
}

/** Notices that are due and were not sent to everybody yet. */
async function dueNotices(context: RetirementContext): Promise<DueNotice[]> {
  const { ModelRetirementDates: days } = context.options();
  const models = Object.keys(days);
  if (models.length === 0) return [];
  const now = nowSeconds(context.clock);
  const announced = await readAnnounced(context);
  return models.flatMap((model) => {
    const retirement = retirementOf(days, model);
    const stage = retirement && noticeStage(retirement, now);
    if (retirement === undefined || stage === undefined) return [];
    const due = { model, retirement, stage };
    return announced[model] === markOf(due) ? [] : [due];
  });
}

/** True where users may have to be notified. */
export const hasDueRetirements = async (context: RetirementContext): Promise<boolean> =>
  (await dueNotices(context)).length > 0;

/** Enabled accounts whose tokens used the model lately, in pages by id. */
async function usersOf({ database, clock }: RetirementContext, model: string, afterId: number): Promise<number[]> {
  const used = database.kysely
    .selectFrom("usage_hours")
    .select("user_id")
    .where("hour", ">=", nowSeconds(clock) - USED_SECONDS)
    .where("model", "=", model)
    .where("token_id", ">", 0);
  const rows = await database.kysely
    .selectFrom("users")
    .select("id")
    .where("id", "in", used)
    .where("id", ">", afterId)
    .where("status", "=", USER_STATUS.enabled)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(PEOPLE_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/** The same for a round that begins anew: people who have the message do not get it again. */
const onceKeyOf = (due: DueNotice, userId: number): string =>
  `model retires ${hash("sha1", due.model, "base64url")} ${markOf(due)} ${userId}`;

async function notifyPage(context: RetirementContext, due: DueNotice, ids: readonly number[]): Promise<void> {
  const { model, retirement } = due;
  const site = context.options().ServerAddress.replace(/\/+$/, "");
  const address = site === "" ? "" : `${site}/pricing`;
  const values = { model, day: retirement.day, days: daysLeft(retirement, nowSeconds(context.clock)), address };
  const notification = { code: "model_retires", values } as const;
  await retryDeadlocks(() =>
    context.database.kysely.transaction().execute(async (transaction) => {
      for (const userId of ids)
        await notifyUser(context, transaction, { userId, notification, onceKey: onceKeyOf(due, userId) });
    }),
  );
}

async function announce(context: RetirementContext, due: DueNotice, signal?: AbortSignal): Promise<void> {
  let last = 0;
  for (;;) {
    const ids = await usersOf(context, due.model, last);
    if (ids.length === 0 || signal?.aborted === true) break;
    await notifyPage(context, due, ids);
    last = ids.at(-1) ?? last;
  }
  if (signal?.aborted === true) return;
  const { ModelRetirementDates: days } = context.options();
  const announced = Object.entries({ ...(await readAnnounced(context)), [due.model]: markOf(due) });
  const kept = announced.filter(([model]) => Object.hasOwn(days, model));
  await context.facts.write(FACT, JSON.stringify(Object.fromEntries(kept)));
}

/** Notifies of every model that is due, one after the other. A failure of the database ends the round; the next one continues. */
export async function announceRetirements(context: RetirementContext, signal?: AbortSignal): Promise<void> {
  for (const due of await dueNotices(context)) {
    if (signal?.aborted === true) return;
    await announce(context, due, signal);
  }
}
