/** The job that notifies users of a price change, each with their own figures: it prices their calls again and queues the messages. */
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import type { PriceDraft } from "../../../../contract/src/pricing/dry-run.ts";
import {
  NOTIFIED_DAYS,
  NOTIFIED_PEOPLE_MOST,
  type PriceChangeDraft,
} from "../../../../contract/src/pricing/price-changes.ts";
import { affectedRows, retryDeadlocks } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { noticeKey, withRatios } from "./changes.ts";
import { dryRunResult } from "./dry-run/dry-run.ts";

/** Changes of one round; the others come in the next. */
const AT_ONCE = 20;
/** People of one transaction: what changes prices waits for it. */
const PEOPLE_AT_ONCE = 50;

/** Those whose people are not all notified yet, and that were not cancelled or refused since. */
const wantedRows = ({ database }: ConsoleContext, limit: number) =>
  database.kysely
    .selectFrom("price_changes")
    .select(["id", "draft", "ratios_before", "apply_time", "created_time"])
    .where("notify", "=", "waiting")
    .where("state", "in", ["waiting", "applied"])
    .orderBy("id")
    .limit(limit)
    .execute();
type WantedRow = Awaited<ReturnType<typeof wantedRows>>[number];

/** Everything as it is now, but for what the change changes: that before it and after it. */
function comparedDrafts({ snapshot }: ConsoleContext, row: WantedRow): { before: PriceDraft; after: PriceDraft } {
  // Both columns are written by changes.ts alone.
  const { changes, group_ratios: ratios } = JSON.parse(row.draft) as PriceChangeDraft;
  const ratiosBefore = JSON.parse(row.ratios_before ?? "{}") as Record<string, string>;
  const { GroupRatio: now } = snapshot.options;
  return {
    before: {
      changes: changes.map(({ model, from }) => ({ model, to: from })),
      options: { GroupRatio: withRatios(now, ratiosBefore) },
    },
    after: {
      changes: changes.map(({ model, to }) => ({ model, to })),
      options: { GroupRatio: withRatios(now, ratios) },
    },
  };
}

interface Concerned {
  id: number;
  old: number;
  new: number;
}

function noticeOf({ snapshot }: ConsoleContext, row: WantedRow, figures: Concerned): Notification {
  const { ServerAddress: site } = snapshot.options;
  const address = site === "" ? "" : `${site.replace(/\/+$/, "")}/pricing`;
  const values = { old_cost: figures.old, new_cost: figures.new, days: NOTIFIED_DAYS, address };
  return row.apply_time > row.created_time
    ? { code: "prices_announced", values: { ...values, start: row.apply_time } }
    : { code: "prices_changed", values };
}

/** Writes the messages of a few people, and how many there were; false where the change was cancelled meanwhile. */
function notifyPage(context: ConsoleContext, row: WantedRow, page: readonly Concerned[]): Promise<boolean> {
  const { kysely } = context.database;
  const work = kysely.transaction();
  return retryDeadlocks(() =>
    work.execute(async (transaction) => {
      const wanted = await transaction
        .updateTable("price_changes")
        .set({ notify: "waiting" })
        .where("id", "=", row.id)
        .where("notify", "=", "waiting")
        .where("state", "in", ["waiting", "applied"])
        .executeTakeFirstOrThrow();
      if (affectedRows(wanted) !== 1) return false;
      const living = await transaction
        .selectFrom("users")
        .select("id")
        .where(
          "id",
          "in",
          page.map(({ id }) => id),
        )
        .where("status", "=", USER_STATUS.enabled)
        .where("deleted_at", "is", null)
        .execute();
      const ids = new Set(living.map(({ id }) => id));
      let written = 0;
      for (const figures of page.filter(({ id }) => ids.has(id))) {
        const message = { userId: figures.id, notification: noticeOf(context, row, figures) };
        // The key keeps a round that begins anew from writing to them again.
        if (await notifyUser(context, transaction, { ...message, onceKey: noticeKey(row.id, figures.id) }))
          written += 1;
      }
      await transaction
        .updateTable("price_changes")
        .set(({ eb }) => ({ notified: eb("notified", "+", written) }))
        .where("id", "=", row.id)
        .execute();
      return true;
    }),
  );
}

async function end({ database }: ConsoleContext, id: number, notify: "sent" | "failed"): Promise<void> {
  const update = database.kysely.updateTable("price_changes").set({ notify });
  await update.where("id", "=", id).where("notify", "=", "waiting").execute();
}

async function announce(context: ConsoleContext, row: WantedRow, signal: AbortSignal | undefined): Promise<void> {
  const result = await dryRunResult(context, { ...comparedDrafts(context, row), days: NOTIFIED_DAYS }, signal);
  if (result === undefined) return;
  const concerned = result.users.filter(({ old, new: renewed }) => old !== renewed).slice(0, NOTIFIED_PEOPLE_MOST);
  for (let start = 0; start < concerned.length; start += PEOPLE_AT_ONCE) {
    if (signal?.aborted === true) return;
    if (!(await notifyPage(context, row, concerned.slice(start, start + PEOPLE_AT_ONCE)))) return;
  }
  await end(context, row.id, "sent");
}

/** Notifies of every change for which that was asked, the oldest first. A failure of the database ends the round; the next one continues. */
export async function announceChanges(context: ConsoleContext, signal?: AbortSignal): Promise<void> {
  for (const row of await wantedRows(context, AT_ONCE))
    try {
      await announce(context, row, signal);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Another dry run takes its time: the next round asks again.
      if (error.code === "dry_run_running") return;
      context.logger.warn({ err: error, change: row.id }, "the people of a change of prices could not be notified");
      await end(context, row.id, "failed");
    }
}

/** Looks every few seconds; most of the time there is nothing to do, and nothing is written. */
export const announceJob = (context: ConsoleContext) => ({
  name: "price_notices",
  everySeconds: 5,
  hasWork: async () => (await wantedRows(context, 1)).length > 0,
  run: (signal?: AbortSignal) => announceChanges(context, signal),
});
