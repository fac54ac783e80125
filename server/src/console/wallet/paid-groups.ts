/** Moves a buyer into the group that they have paid for (option PaidGroups), in the transaction that credits their top-up. */
import type { Transaction } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { raisedGroup } from "../../../../contract/src/group-rules.ts";
import { BLANK_ENTRY, logRow } from "../../billing/log-row.ts";
import { locked } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { toSeconds } from "../../util/clock.ts";
import type { WalletContext } from "./payment-method.ts";
import type { StoredOrder } from "./store.ts";

export type RaiseContext = Pick<WalletContext, "database" | "snapshot" | "secrets" | "clock">;

/** Quota of a user's credited orders, less what refunds and disputes took back. */
async function paidQuotaOf(queries: Queries, userId: number): Promise<number> {
  const { quota, taken } = await queries
    .selectFrom("top_ups")
    .select(({ fn }) => [fn.sum<number | null>("quota").as("quota"), fn.sum<number | null>("taken_back").as("taken")])
    .where("user_id", "=", userId)
    .where("completed_time", ">", 0)
    .executeTakeFirstOrThrow();
  return Number(quota ?? 0) - Number(taken ?? 0);
}

/**
 * Raises the group of an order's buyer where what they have paid for by now, this order included, reaches one: with a row in their log and a
 * message. True where it did; the caller refreshes the snapshot after the commit.
 */
export async function raiseGroup(
  context: RaiseContext,
  transaction: Transaction<Schema>,
  order: Pick<StoredOrder, "user_id" | "trade_no">,
): Promise<boolean> {
  const { database, snapshot, clock } = context;
  const { PaidGroups, QuotaPerUnit: quotaPerUnit } = snapshot.options;
  if (Object.keys(PaidGroups).length === 0) return false;
  const userId = order.user_id;
  // Taken first: all who change users stand in this line, so that of two orders at once the second counts both.
  const changed_version = await bumpVersion(transaction, "users");
  const user = await locked(
    database,
    transaction.selectFrom("users").select(["username", "group_name"]).where("id", "=", userId),
  ).executeTakeFirst();
  if (user === undefined) return false;
  const { username, group_name: from } = user;
  const to = raisedGroup(PaidGroups, from, { paidQuota: await paidQuotaOf(transaction, userId), quotaPerUnit });
  // A group without a ratio would stop all calls of its users.
  if (to === undefined || !snapshot.hasGroup(to)) return false;
  await transaction.updateTable("users").set({ group_name: to, changed_version }).where("id", "=", userId).execute();
  const row = logRow({
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: `group_raised:${order.trade_no}`,
    createdAt: toSeconds(clock()),
    userId,
    username,
    groupName: to,
    other: JSON.stringify({ event: { code: "group_raised", values: { from, to } } }),
  });
  await transaction.insertInto("logs").values(row).execute();
  const notification = { code: "group_raised", values: { from, to } } as const;
  await notifyUser(context, transaction, { userId, notification, onceKey: `group_raised:${order.trade_no}` });
  return true;
}
