/** An invitation as its link names it: finding one that is open, and using it up with the account that it makes. */
import { AppError } from "../../../../contract/src/errors.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { NEW_USER } from "../../db/new-user.ts";
import { affectedRows, insertOrIgnore, type Queries } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";

/** The hash by which a link's token is stored and found. */
export const invitationHash = ({ secrets }: Pick<ConsoleContext, "secrets">, token: string): string =>
  secrets.hash("one_time_code", `invitation\0${token}`);

/** Those that make an account now. @param now Unix seconds */
export const openInvitations = (queries: Queries, now: number) =>
  queries
    .selectFrom("invitations")
    .where("used_time", "=", 0)
    .where("revoked_time", "=", 0)
    .where("expires_time", ">", now);

export interface OpenInvitation {
  id: number;
  email: string;
  group_name: string;
  quota: number;
}

/** Throws AppError invitation_invalid where the link is used, over or revoked, or its sender may not invite any more. */
export async function findInvitation(context: ConsoleContext, token: string): Promise<OpenInvitation> {
  const row = await openInvitations(context.database.kysely, nowSeconds(context.clock))
    .selectAll()
    .where("token_hash", "=", invitationHash(context, token.trim()))
    .executeTakeFirst();
  const sender = row && context.snapshot.userById(row.created_by);
  if (row === undefined || sender === undefined || sender.isDeleted || sender.status !== 1)
    throw new AppError("invitation_invalid");
  const isMoney = row.quota > 0 || row.group_name !== NEW_USER.group_name;
  if (!mayDo(sender, "users") || (isMoney && !mayDo(sender, "money"))) throw new AppError("invitation_invalid");
  return row;
}

/** Uses it up for an account that the same transaction makes. Throws AppError invitation_invalid where another was faster. */
export async function spendInvitation(
  { database, clock }: Pick<ConsoleContext, "database" | "clock">,
  queries: Queries,
  { id, group_name, quota }: OpenInvitation,
  userId: number,
): Promise<void> {
  const now = nowSeconds(clock);
  const used = await queries
    .updateTable("invitations")
    .set({ used_time: now, used_by: userId })
    .where("id", "=", id)
    .where("used_time", "=", 0)
    .where("revoked_time", "=", 0)
    .where("expires_time", ">", now)
    .executeTakeFirstOrThrow();
  if (affectedRows(used) !== 1) throw new AppError("invitation_invalid");
  await queries.updateTable("users").set({ group_name }).where("id", "=", userId).execute();
  if (quota === 0) return;
  // Posted to the ledger with what every new account is given (payRewards).
  const rewards = { user_id: userId, gift: quota, invitee: 0, inviter_id: 0, inviter: 0 };
  if (await insertOrIgnore(database, queries, "pending_rewards", rewards)) return;
  const rewarded = queries.updateTable("pending_rewards").where("user_id", "=", userId);
  await rewarded.set(({ eb }) => ({ gift: eb("gift", "+", quota) })).execute();
}
