/** The daily check-in: quota by chance, once a day of the site's time zone, by one transaction that notes the day and posts to the ledger. */
import { randomInt } from "node:crypto";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { CheckinStatus } from "../../../../contract/src/features/wallet.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { type Adjustment, isBalanceLimit } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import type { Database } from "../../db/database.ts";
import type { CheckinTable } from "../../db/money-tables.ts";
import { insertOrIgnore } from "../../db/portable.ts";
import { toSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { checkHuman } from "../sessions/human-check.ts";

type CheckinContext = Pick<ConsoleContext, "database" | "billing" | "snapshot" | "clock">;

/** Who checks in, from where, and the token of the human check; "" where none was sent. */
interface Visitor {
  user: Pick<Session["user"], "id" | "username" | "groupName">;
  ip: string;
  humanToken: string;
}

/** The day that a moment (Unix milliseconds) falls on in a time zone, as `YYYY-MM-DD`. Throws a RangeError for an unknown zone. */
export function dayIn(timeZone: string, moment: number): string {
  const format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
}

/** The bounds of what one check-in is worth, in quota; a largest amount below the smallest counts as the smallest. */
export function checkinBounds(options: Pick<OptionValues, "checkin_setting.min_quota" | "checkin_setting.max_quota">) {
  const least = options["checkin_setting.min_quota"];
  return { least, most: Math.max(least, options["checkin_setting.max_quota"]) };
}

const checkinsOf = ({ kysely }: Pick<Database, "kysely">, userId: number) =>
  kysely.selectFrom("checkins").where("user_id", "=", userId);

/** @throws AppError checkin_off */
function requireEnabled({ snapshot: { options } }: Pick<CheckinContext, "snapshot">): OptionValues {
  if (!options["checkin_setting.enabled"]) throw new AppError("checkin_off");
  return options;
}

/**
 * What the check-in is worth, whether today's was made, and the days of a month, newest first.
 * @param month `YYYY-MM`; undefined for the present one
 * @throws AppError checkin_off
 */
export async function checkinStatusOf(
  context: CheckinContext,
  userId: number,
  month: string | undefined,
): Promise<CheckinStatus> {
  const options = requireEnabled(context);
  const today = dayIn(options.CheckinTimeZone, context.clock());
  const shown = month ?? today.slice(0, 7);
  const own = checkinsOf(context.database, userId);
  const rows = await own
    .select(["day", "quota"])
    .where("day", ">=", `${shown}-01`)
    .where("day", "<=", `${shown}-31`)
    .orderBy("day", "desc")
    .execute();
  const sums = await own
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.sum<number | null>("quota").as("quota")])
    .executeTakeFirstOrThrow();
  const ofToday = await own.select("day").where("day", "=", today).executeTakeFirst();
  const { least, most } = checkinBounds(options);
  return {
    enabled: true,
    min_quota: least,
    max_quota: most,
    stats: {
      total_quota: Number(sums.quota ?? 0),
      total_checkins: Number(sums.count),
      checkin_count: rows.length,
      checked_in_today: ofToday !== undefined,
      records: rows.map(({ day, quota }) => ({ checkin_date: day, quota_awarded: quota })),
    },
    today,
    time_zone: options.CheckinTimeZone,
  };
}

function entryOf({ user_id: userId, day, quota, created_time: createdAt }: CheckinTable, visitor: Visitor): Adjustment {
  const entryId = `checkin:${userId}:${day}`;
  const { username, groupName } = visitor.user;
  const event = { code: "checked_in", values: { day, quota } } as const;
  return {
    entryId,
    kind: "checkin",
    userId,
    quotaDelta: quota,
    detail: JSON.stringify({ reason: "checked_in", day }),
    log: {
      ...BLANK_ENTRY,
      type: LOG_TYPE.system,
      requestId: entryId,
      createdAt,
      userId,
      username,
      groupName,
      quota,
      ip: visitor.ip,
      other: JSON.stringify({ event }),
    },
  };
}

/**
 * Credits today's check-in; of any number of calls at once, on whichever processes, one does.
 * @returns the day and the quota that was added
 * @throws AppError checkin_off, checkin_done, human_check_missing, human_check_failed, balance_limit
 */
export async function checkIn(context: CheckinContext, visitor: Visitor) {
  const { database, billing, clock } = context;
  const options = requireEnabled(context);
  const moment = clock();
  const day = dayIn(options.CheckinTimeZone, moment);
  const userId = visitor.user.id;
  // Asked before the human check, so that a second click does not use one up; the transaction decides.
  const before = await checkinsOf(database, userId).select("day").where("day", "=", day).executeTakeFirst();
  if (before !== undefined) throw new AppError("checkin_done");
  await checkHuman(options, visitor.humanToken, visitor.ip);
  const { least, most } = checkinBounds(options);
  const row = { user_id: userId, day, quota: randomInt(least, most + 1), created_time: toSeconds(moment) };
  const isCredited = await billing
    .move(entryOf(row, visitor), (transaction) => insertOrIgnore(database, transaction, "checkins", row))
    .catch((error: unknown) => {
      throw isBalanceLimit(error) ? new AppError("balance_limit", { cause: error }) : error;
    });
  if (!isCredited) throw new AppError("checkin_done");
  return { checkin_date: day, quota_awarded: row.quota };
}
