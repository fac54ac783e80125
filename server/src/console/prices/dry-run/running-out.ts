/** Whose balance would be used up within a week under the prices of a dry run and is not under today's, at the pace of the last 30 days. */
import type { DryRunResult } from "../../../../../contract/src/pricing/dry-run.ts";
import { USER_STATUS } from "../../../../../contract/src/features/users.ts";
import type { ConsoleContext } from "../../http/handlers.ts";
import { nowSeconds } from "../../../util/clock.ts";
import type { Summary } from "./sums.ts";

const PACE_DAYS = 30;
const WEEK_DAYS = 7;
const SECONDS_PER_DAY = 86_400;
const USERS_A_PAGE = 500;
/** People who are named; the others are counted. */
const NAMED_MOST = 100;

type RunningOut = DryRunResult["running_out"];
type Person = RunningOut["people"][number];
type UserSums = Summary["users"]["list"][number];

/** Days that a balance lasts, both in quota. @param used of the last 30 days */
const daysOf = (balance: bigint, used: bigint): number =>
  used === 0n ? Infinity : Number((balance * BigInt(PACE_DAYS) * 10n) / used) / 10;

const isShort = (balance: bigint, used: bigint): boolean => balance * BigInt(PACE_DAYS) < used * BigInt(WEEK_DAYS);

/** What 30 days cost under the draft: as much more as the run's calls do; of calls that cost nothing today their own new price. */
const usedUnder = ([, { old, new: renewed }]: UserSums, used: bigint, days: number): bigint =>
  old > 0 ? (used * BigInt(renewed)) / BigInt(old) : (BigInt(renewed) * BigInt(PACE_DAYS)) / BigInt(days);

async function peopleOf(
  { database: { kysely }, clock }: Pick<ConsoleContext, "database" | "clock">,
  page: readonly UserSums[],
  days: number,
): Promise<Person[]> {
  const ids = page.map(([id]) => id);
  const users = await kysely
    .selectFrom("users")
    .select(["id", "username", "quota"])
    .where("id", "in", ids)
    .where("status", "=", USER_STATUS.enabled)
    .where("deleted_at", "is", null)
    .where("quota", ">", 0)
    .execute();
  const hours = await kysely
    .selectFrom("usage_hours")
    .select(({ fn }) => ["user_id", fn.sum<number | string>("quota").as("quota")])
    .where("user_id", "in", ids)
    .where("hour", ">=", nowSeconds(clock) - PACE_DAYS * SECONDS_PER_DAY)
    .groupBy("user_id")
    .execute();
  const usedBy = new Map(hours.map(({ user_id, quota }) => [Number(user_id), BigInt(quota)]));
  const sumsBy = new Map(page.map((each) => [each[0], each]));
  return users.flatMap(({ id, username: name, quota }) => {
    const sums = sumsBy.get(id);
    if (sums === undefined) return [];
    const [balance, used] = [BigInt(quota), usedBy.get(id) ?? 0n];
    const renewed = usedUnder(sums, used, days);
    if (isShort(balance, used) || !isShort(balance, renewed)) return [];
    const before = daysOf(balance, used);
    const days_before = Number.isFinite(before) ? before : null;
    return [{ id, name, balance: Number(balance), days_before, days_left: daysOf(balance, renewed) }];
  });
}

/** Of those whom a run lists: who pays more and runs out, the first to run out at the head. @param days of the run */
export async function runningOut(
  context: Pick<ConsoleContext, "database" | "clock">,
  { users }: Pick<Summary, "users">,
  days: number,
): Promise<RunningOut> {
  const dearer = users.list.filter(([, { old, new: renewed }]) => renewed > old);
  const people: Person[] = [];
  for (let start = 0; start < dearer.length; start += USERS_A_PAGE)
    people.push(...(await peopleOf(context, dearer.slice(start, start + USERS_A_PAGE), days)));
  const sorted = people.toSorted((a, b) => a.days_left - b.days_left || a.id - b.id);
  return { count: people.length, people: sorted.slice(0, NAMED_MOST) };
}
