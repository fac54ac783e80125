/** Redeeming a code: the first request gets its quota, by one transaction that uses the code and posts to the ledger. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { REDEMPTION_STATUS } from "../../../../contract/src/features/redemptions.ts";
import { type Adjustment, isBalanceLimit } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { GuardContext, Guesser } from "../accounts/guesses.ts";
import { guard } from "../accounts/guesses.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { normalCode } from "./service.ts";
import type { StoredRedemption } from "./store.ts";
import { findByHash, findRedemption, takeCode } from "./store.ts";

type RedeemContext = GuardContext & Pick<ConsoleContext, "billing">;

/** An administrator who changes a code again and again while it is redeemed does not keep its holder waiting for ever. */
const MAX_ATTEMPTS = 5;

/** Who redeems, and from where. */
interface Redeemer extends Guesser {
  user: Pick<Session["user"], "id" | "username" | "groupName">;
}

/** Looks a code up; wrong ones count as guesses and are slowed down. Throws redemption_unknown, too_many_requests. */
async function findCode(
  context: RedeemContext,
  { user, ...guesser }: Redeemer,
  code: string,
): Promise<StoredRedemption> {
  const hash = context.secrets.hash("redemption", code);
  const guess = { kind: "redemption", account: String(user.id), userId: user.id, ...guesser } as const;
  const row = await guard(context, guess, () => findByHash(context.database.kysely, hash));
  if (row === undefined) throw new AppError("redemption_unknown", { field: "key" });
  return row;
}

/** Throws redemption_used, redemption_used_by_you, redemption_disabled or redemption_expired, whichever it is. `now` in Unix seconds. */
function refuseSpent({ status, used_user_id, expired_time }: StoredRedemption, userId: number, now: number): void {
  const isExpired = expired_time !== 0 && expired_time <= now;
  if (status === REDEMPTION_STATUS.unused && isExpired) throw new AppError("redemption_expired", { field: "key" });
  if (status === REDEMPTION_STATUS.unused) return;
  if (status !== REDEMPTION_STATUS.used) throw new AppError("redemption_disabled", { field: "key" });
  throw new AppError(used_user_id === userId ? "redemption_used_by_you" : "redemption_used", { field: "key" });
}

/** The entry of the ledger and the log row (type 1) of a redeemed code. */
function entryOf({ id, name, quota }: StoredRedemption, { user, ip }: Redeemer, now: number): Adjustment {
  const entryId = `redemption:${id}`;
  const event = { code: "code_redeemed", values: { name, id, quota } } as const;
  return {
    entryId,
    kind: "redemption",
    userId: user.id,
    quotaDelta: quota,
    detail: JSON.stringify({ reason: "code_redeemed", code: id }),
    log: {
      ...BLANK_ENTRY,
      type: LOG_TYPE.topUp,
      requestId: entryId,
      createdAt: now,
      userId: user.id,
      username: user.username,
      groupName: user.groupName,
      quota,
      ip,
      other: JSON.stringify({ event }),
    },
  };
}

/**
 * Credits what a code is worth and marks it as used, both or neither; of any number of people at once one gets it.
 * @returns the quota that was added
 * @throws AppError redemption_code_missing, balance_limit, redemption_unknown, redemption_disabled, redemption_used, redemption_used_by_you, redemption_expired; too_many_requests
 * after wrong codes
 */
export async function redeemCode(context: RedeemContext, redeemer: Redeemer, typed: string): Promise<number> {
  const code = normalCode(typed);
  if (code === "") throw new AppError("redemption_code_missing", { field: "key" });
  const userId = redeemer.user.id;
  let row: StoredRedemption | undefined = await findCode(context, redeemer, code);
  for (let attempt = 1; row !== undefined && attempt <= MAX_ATTEMPTS; attempt += 1) {
    const now = nowSeconds(context.clock);
    refuseSpent(row, userId, now);
    const { id, quota } = row;
    const claim = { id, quota, userId, now };
    const entry = entryOf(row, redeemer, now);
    const isTaken = await context.billing
      .move(entry, (transaction) => takeCode(transaction, claim))
      .catch((error: unknown) => {
        throw isBalanceLimit(error) ? new AppError("balance_limit", { field: "key", cause: error }) : error;
      });
    if (isTaken) return quota;
    // Another request was faster, or an administrator changed it meanwhile: it is judged as it stands now.
    row = await findRedemption(context.database.kysely, id);
  }
  throw new AppError("redemption_unknown", { field: "key" });
}
