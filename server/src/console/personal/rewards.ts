/** Invitation rewards: the invitation code, and the transfer of rewards to the balance. */
import { AppError } from "../../../../contract/src/errors.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { quotaDisplayOf } from "../../../../contract/src/options/quota-unit.ts";
import { formatQuota } from "../../../../contract/src/quota-display.ts";
import { LedgerFault, isBalanceLimit } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import type { StoredUser } from "./store.ts";
import { findSelf } from "./store.ts";

type RewardContext = Pick<ConsoleContext, "database" | "snapshot" | "billing" | "clock">;

async function ownRow({ database }: Pick<ConsoleContext, "database">, userId: number): Promise<StoredUser> {
  const row = await findSelf(database, userId);
  if (row === undefined) throw new AppError("not_found", { message: "This account was not found" });
  return row;
}

/** The code of the own invitation link. Throws not_found. */
export const inviteCode = async (context: RewardContext, userId: number): Promise<string> =>
  (await ownRow(context, userId)).aff_code;

/** @param entryId also the log row's request id */
function transferLog({ clock }: RewardContext, { user }: Pick<Session, "user">, entryId: string, quota: number) {
  const event = { code: "rewards_transferred", values: { quota } } as const;
  return {
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: entryId,
    createdAt: nowSeconds(clock),
    userId: user.id,
    username: user.username,
    groupName: user.groupName,
    other: JSON.stringify({ event }),
  };
}

/**
 * Moves rewards to the balance by one entry of the ledger. What was spent of the rewards so far is part of the entry's id, so of several
 * that are sent at once, or sent again, one is posted.
 * @param quota whole units, at least one QuotaPerUnit
 * @throws AppError transfer_too_small, rewards_insufficient, balance_limit, transfer_repeated, not_found
 */
export async function transferRewards(
  context: RewardContext,
  session: Pick<Session, "user">,
  quota: number,
): Promise<void> {
  const { user } = session;
  const { options } = context.snapshot;
  const minimum = Math.ceil(Number(options.QuotaPerUnit));
  if (!Number.isSafeInteger(quota) || quota < minimum) {
    const amount = formatQuota(minimum, quotaDisplayOf(options));
    const message = `The transfer amount minimum is ${amount}`;
    throw new AppError("transfer_too_small", { message, field: "quota", values: { quota: minimum } });
  }
  const row = await ownRow(context, user.id);
  if (row.aff_quota < quota) throw new AppError("rewards_insufficient", { field: "quota" });
  const entryId = `transfer:${user.id}:${row.aff_history_quota - row.aff_quota}`;
  const isPosted = await context.billing
    .move({
      entryId,
      kind: "transfer",
      userId: user.id,
      quotaDelta: quota,
      affQuotaDelta: -quota,
      detail: JSON.stringify({ reason: "rewards_transferred" }),
      log: transferLog(context, session, entryId, quota),
    })
    .catch((error: unknown) => {
      if (error instanceof LedgerFault && error.kind === "reward_quota")
        throw new AppError("rewards_insufficient", { field: "quota", cause: error });
      if (isBalanceLimit(error)) throw new AppError("balance_limit", { field: "quota", cause: error });
      throw error;
    });
  if (!isPosted) throw new AppError("transfer_repeated");
}
