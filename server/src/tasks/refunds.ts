/** Settles the charge of a task that has ended: that of a failed one is refunded once, and a charge that never came is given up. */
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import type { LogEvent } from "../../../contract/src/logs/events.ts";
import type { Refund } from "../billing/billing.ts";
import { BLANK_ENTRY } from "../billing/log-row.ts";
import { type TaskContext, CHARGE_WAIT_SECONDS, LIFE_SECONDS, POLL_SECONDS, nowSeconds } from "./context.ts";
import type { StoredTask } from "./kinds/kind.ts";
import { moveCharge, postpone } from "./store.ts";

/** The context of a refund. */
export type RefundContext = Pick<TaskContext, "database" | "billing" | "snapshot" | "clock">;

/** Id of the refund's entry in the ledger, one for each task. */
const refundEntryOf = (requestId: string): string => `refund:${requestId}`;

const chargeOf = ({ database }: RefundContext, { request_id }: StoredTask) =>
  database.kysely
    .selectFrom("ledger")
    .select(["quota_delta", "token_quota_delta", "token_id", "channel_id", "model", "group_name", "cost"])
    .where("entry_id", "=", request_id)
    .where("kind", "=", "charge")
    .executeTakeFirst();

type Charge = NonNullable<Awaited<ReturnType<typeof chargeOf>>>;

function refundOf(context: RefundContext, task: StoredTask, charge: Charge): Refund {
  const { request_id, user_id, platform, action, task_id } = task;
  const createdAt = nowSeconds(context);
  const quota = 0 - charge.quota_delta;
  const event: LogEvent = { code: "task_refunded", values: { quota, platform, action, task: task_id } };
  const about = { tokenId: charge.token_id, channelId: charge.channel_id, groupName: charge.group_name };
  return {
    ...about,
    entryId: refundEntryOf(request_id),
    userId: user_id,
    model: charge.model,
    quota,
    tokenQuota: 0 - charge.token_quota_delta,
    hasCost: charge.cost !== null,
    createdAt,
    detail: JSON.stringify({ reason: "task_failed", task: task_id, platform }),
    log: {
      ...BLANK_ENTRY,
      ...about,
      type: LOG_TYPE.system,
      requestId: request_id,
      createdAt,
      userId: user_id,
      username: context.snapshot.userById(user_id)?.username ?? "",
      tokenName: context.snapshot.tokenById(charge.token_id)?.name ?? "",
      modelName: charge.model,
      other: JSON.stringify({ event }),
    },
  };
}

/** Posts the refund. Another process that does so at the same time posts the same entry, which the ledger takes once. */
async function refund(context: RefundContext, task: StoredTask, charge: Charge): Promise<void> {
  const quota = 0 - charge.quota_delta;
  if (quota > 0) await context.billing.refund(refundOf(context, task, charge));
  await moveCharge(context, task, { charge: quota > 0 ? "refunded" : "uncharged", quota, next_poll_time: 0 });
}

/** Waits for a charge that the ledger may still get, then continues without it. */
async function waitForCharge(context: RefundContext, task: StoredTask): Promise<void> {
  const now = nowSeconds(context);
  // A charge that its call has posted may stand in the journal of a process that is down.
  const waitSeconds = task.charge === "refund_due" ? LIFE_SECONDS : CHARGE_WAIT_SECONDS;
  if (now < task.created_at + waitSeconds)
    return postpone(context, [task], { next_poll_time: now + POLL_SECONDS * 4, silent_polls: 0 });
  await moveCharge(context, task, { charge: "uncharged", next_poll_time: 0 });
}

/** Settles the charge of a task that has ended. Rejects where the database or the ledger does not answer. */
export async function settleEnded(context: RefundContext, task: StoredTask): Promise<void> {
  const charge = await chargeOf(context, task);
  if (charge === undefined) return waitForCharge(context, task);
  if (task.status === "FAILURE") return refund(context, task, charge);
  await moveCharge(context, task, { charge: "charged", quota: 0 - charge.quota_delta, next_poll_time: 0 });
}
