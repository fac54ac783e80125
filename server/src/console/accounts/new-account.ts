/** Creates accounts, on every path except the set-up wizard: the user's row, its inviter, and the quota granted to both, exactly once. */
import { randomBytes } from "node:crypto";
import type { Insertable } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { type Billing, isBalanceLimit } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import type { Database } from "../../db/database.ts";
import { nameColumns, NEW_USER } from "../../db/new-user.ts";
import { insertReturningId } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { PendingRewardTable } from "../../db/user-tables.ts";
import type { UserTable } from "../../db/schema.ts";
import { usernamesOf } from "../kit/lists.ts";
import { bumpVersion } from "../../db/versions.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { SignedInAccount } from "./login-answer.ts";
import { refuseLookAlike } from "./look-alikes.ts";

/** Columns that a way of coming in may fill besides the name. */
type GivenColumns = Partial<
  Pick<Insertable<UserTable>, "display_name" | "password_hash" | "is_password_temporary" | "email" | "setting">
>;

export interface NewAccount extends GivenColumns {
  username: string;
  /** Of a link with ?aff=; an unknown one is ignored. */
  inviteCode?: string;
}

/** 48 bits: of a million accounts no two draw the same in one of 500 sites, and then the unique key refuses it. */
const newInviteCode = (): string => randomBytes(6).toString("hex");

async function findInviter(queries: Queries, code: string): Promise<number> {
  if (code === "") return 0;
  const row = await queries
    .selectFrom("users")
    .select("id")
    .where("aff_code", "=", code)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Accounts that were deregistered keep their names and addresses, and no name may look like an administrator's.
 * Throws AppError username_taken, username_looks_like_administrator, email_taken.
 */
export async function refuseTaken(
  queries: Queries,
  { username, username_key, email }: { username: string; username_key: string; email: string | null },
): Promise<void> {
  const users = queries.selectFrom("users").select("id").limit(1);
  const named = users.where(({ or, eb }) => or([eb("username_key", "=", username_key), eb("username", "=", username)]));
  if ((await named.executeTakeFirst()) !== undefined) throw new AppError("username_taken", { field: "username" });
  await refuseLookAlike(queries, username);
  if (email === null) return;
  if ((await users.where("email", "=", email).executeTakeFirst()) !== undefined)
    throw new AppError("email_taken", { field: "email" });
}

/**
 * Makes an ordinary account with quota 0, notes what it and its inviter are to be given by the options of this moment, and posts it.
 * `more` runs in the same transaction, for rows that must come with the account. A process that dies in between has written the note, and
 * `payRewards` posts it later.
 * @param account its e-mail in small letters.
 * @throws AppError username_taken where the folded name is another account's, username_looks_like_administrator, email_taken; what `more` throws.
 */
export async function createAccount(
  context: Pick<ConsoleContext, "database" | "snapshot" | "billing" | "clock" | "logger">,
  account: NewAccount,
  more: (queries: Queries, userId: number) => Promise<void> = () => Promise.resolve(),
): Promise<SignedInAccount> {
  const { inviteCode = "", username, ...columns } = account;
  const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter } = context.snapshot.options;
  const { database } = context;
  const created_time = Math.floor(context.clock() / 1000);
  const created = await database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line.
    const changed_version = await bumpVersion(transaction, "users");
    const inviter_id = await findInviter(transaction, inviteCode);
    const names = nameColumns(username);
    const row = {
      ...NEW_USER,
      display_name: username,
      ...columns,
      ...names,
      inviter_id,
      created_time,
      changed_version,
    };
    await refuseTaken(transaction, { ...names, email: row.email });
    const id = await insertReturningId(database, transaction, "users", { ...row, aff_code: newInviteCode() });
    if (inviter_id !== 0) await countInvitation(transaction, inviter_id);
    const invited =
      inviter_id === 0 ? { invitee: 0, inviter: 0 } : { invitee: QuotaForInvitee, inviter: QuotaForInviter };
    const rewards = { user_id: id, gift: QuotaForNewUser, inviter_id, ...invited };
    if (rewards.gift + rewards.invitee + rewards.inviter > 0)
      await transaction.insertInto("pending_rewards").values(rewards).execute();
    await more(transaction, id);
    return {
      id,
      username,
      display_name: row.display_name,
      role: row.role,
      status: row.status,
      group_name: row.group_name,
      sign_in_epoch: 0,
    };
  });
  // The account is there; what it is given comes a minute later where the database fails just now.
  await payRewards(context, created.id).catch((error: unknown) =>
    context.logger.error({ err: error, userId: created.id }, "the rewards of a new account wait for the next run"),
  );
  await context.snapshot.refresh();
  return created;
}

async function countInvitation(queries: Queries, inviterId: number): Promise<void> {
  await queries
    .updateTable("users")
    .set((row) => ({ aff_count: row("aff_count", "+", 1) }))
    .where("id", "=", inviterId)
    .execute();
}

interface RewardContext {
  database: Database;
  billing: Pick<Billing, "move">;
  /** Unix milliseconds. */
  clock(): number;
}

/** Posts what one new account, or every one that was left behind, is still to be given. Each entry's id is unique, so twice is once. */
export async function payRewards(context: RewardContext, userId?: number): Promise<void> {
  const waiting = context.database.kysely.selectFrom("pending_rewards").selectAll();
  const rows = await (userId === undefined ? waiting : waiting.where("user_id", "=", userId)).execute();
  for (const row of rows) {
    if (!(await areRewardsPosted(context, row))) continue;
    await context.database.kysely.deleteFrom("pending_rewards").where("user_id", "=", row.user_id).execute();
  }
}

/** False where the inviter's rewards are as large as they can be: the rest waits until some are used, and all others are posted. */
const areRewardsPosted = (context: RewardContext, row: PendingRewardTable): Promise<boolean> =>
  postRewards(context, row).then(
    () => true,
    (error: unknown) => {
      if (isBalanceLimit(error)) return false;
      throw error;
    },
  );

async function postRewards(context: RewardContext, row: PendingRewardTable): Promise<void> {
  const { user_id: userId, inviter_id: inviterId } = row;
  const names = await usernamesOf(context.database.kysely, [userId, inviterId]);
  const nameOf = (id: number): string => names.get(id) ?? "";
  const log = (event: LogEvent, receiver: number) => ({
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: `${event.code}:${userId}`,
    createdAt: Math.floor(context.clock() / 1000),
    userId: receiver,
    username: nameOf(receiver),
    other: JSON.stringify({ event }),
  });
  const post = (event: LogEvent, receiver: number, kind: "gift" | "reward", deltas: object) =>
    context.billing.move({
      entryId: `${event.code}:${userId}`,
      kind,
      userId: receiver,
      ...deltas,
      detail: JSON.stringify({ reason: event.code, account: userId }),
      log: log(event, receiver),
    });
  if (row.gift > 0)
    await post({ code: "new_user_gift", values: { quota: row.gift } }, userId, "gift", { quotaDelta: row.gift });
  if (row.invitee > 0)
    await post({ code: "invitee_gift", values: { quota: row.invitee } }, userId, "gift", { quotaDelta: row.invitee });
  if (row.inviter > 0) {
    const event = { code: "inviter_reward", values: { quota: row.inviter, name: nameOf(userId) } } as const;
    await post(event, inviterId, "reward", { affQuotaDelta: row.inviter });
  }
}
