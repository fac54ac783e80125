/** Deleting the own account: its row stays, so that the books and the log keep their names, but nothing of it signs in or calls again. */
import { AppError } from "../../../../contract/src/errors.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { markDeleted } from "./store.ts";

/**
 * Ends the account with its sessions, tokens and access token, and tells its address.
 * @throws AppError super_administrator_stays, not_found
 */
export async function deleteSelf(
  context: Pick<ConsoleContext, "database" | "secrets" | "snapshot" | "billing" | "clock">,
  { user, role }: Session,
  request: RequestFacts,
): Promise<void> {
  if (isRoot(role)) throw new AppError("super_administrator_stays");
  const now = nowSeconds(context.clock);
  const notification = { code: "account_deleted", values: {} } as const;
  const isDone = await markDeleted(context.database, user.id, now, (queries) =>
    notifyUser(context, queries, { userId: user.id, notification }),
  );
  if (!isDone) throw new AppError("not_found", { message: "This account was not found" });
  await context.snapshot.refresh();
  await context.billing.record({
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: `account_deleted:${user.id}`,
    createdAt: now,
    userId: user.id,
    username: user.username,
    groupName: user.groupName,
    ip: request.ip,
    other: JSON.stringify({ event: { code: "account_deleted", values: {} } }),
  });
}
