/** Making users and changing their fields as an administrator; a balance moves through the ledger alone. */
import { randomUUID } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { ManagedUser, UserChange } from "../../../../contract/src/features/users.ts";
import type { LogEvent } from "../../../../contract/src/log-events.ts";
import type { Adjustment, Decision } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { nameColumns } from "../../db/new-user.ts";
import { type Queries, isUniqueViolation } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { checkDisplayName, checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { refuseLookAlike } from "../accounts/look-alikes.ts";
import { createAccount } from "../accounts/new-account.ts";
import { hashPassword } from "../passwords.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import { checkActor, checkEditable, isWayIn } from "./authority.ts";
import { readUser, userMissing } from "./service.ts";
import { balanceSetLast, isPosted, patchUserIn } from "./store.ts";
import type { PatchedUser, StoredUser, UserPatch } from "./store.ts";

export type UserChangeContext = Pick<
  ConsoleContext,
  "database" | "snapshot" | "billing" | "secrets" | "clock" | "logger"
>;

interface SentAccount {
  username: string;
  password: string;
  display_name?: string | undefined;
}

/** Makes an ordinary user with a temporary password. Throws username_invalid, password_*, display_name_long or username_taken. */
export async function createUser(
  context: UserChangeContext,
  actor: ConfirmingActor,
  sent: SentAccount,
): Promise<ManagedUser> {
  const username = checkUsername(sent.username.trim());
  checkNewPassword(context, sent.password, { username, email: null });
  const display_name = checkDisplayName(sent.display_name ?? "") || username;
  const password_hash = await hashPassword(sent.password);
  // Two people know it from now on.
  const columns = { display_name, password_hash, is_password_temporary: 1 } as const;
  const { id } = await createAccount(context, { username, ...columns });
  await audit(context, actor, { code: "user_created", values: { name: username, id } });
  return readUser(context, actor.session.user, id);
}

/**
 * The whole number by which the balance moves, of a row that is locked. A balance that is wanted is reached whatever it was; one that goes
 * with what the editor saw moves by the difference, unless somebody else has changed it since.
 * Throws user_quota_invalid, naming the field, and user_quota_changed.
 */
async function quotaChange(queries: Queries, sent: UserChange, row: StoredUser, now: number): Promise<number> {
  const { quota, quota_seen: seen, quota_delta } = sent;
  const { id, quota: balance } = row;
  const check = (field: string, value: number): void => {
    if (!Number.isSafeInteger(value)) throw new AppError("user_quota_invalid", { field });
  };
  const field = quota_delta === undefined ? "quota" : "quota_delta";
  const isAsSeen = quota === undefined || seen === undefined || seen === balance || quota === balance;
  const delta = quota_delta ?? (quota === undefined ? 0 : quota - (isAsSeen ? balance : seen));
  check(field, delta);
  // Rounding makes it even: a wanted balance beyond 2^53 is no amount, though its difference may be one.
  check(field, quota_delta === undefined ? (quota ?? 0) : delta);
  check(field, balance + delta);
  if (quota_delta !== undefined || isAsSeen) return delta;
  // Calls lead from what was set last down to what there is; what was seen has to be on that way.
  const setLast = await balanceSetLast(queries, id, now);
  if (setLast !== undefined && (seen > setLast || seen < balance))
    throw new AppError("user_quota_changed", { field, values: { quota: balance } });
  return delta;
}

/** A password is hashed before the transaction: it takes as long as a hundred others of them. */
const hashOf = async (password: string | undefined): Promise<string | undefined> =>
  password === undefined || password === "" ? undefined : hashPassword(password);

function patchOf(
  context: UserChangeContext,
  row: StoredUser,
  sent: UserChange,
  passwordHash: string | undefined,
): UserPatch {
  const patch: UserPatch = {};
  const username = sent.username?.trim();
  if (username !== undefined && username !== row.username) Object.assign(patch, nameColumns(checkUsername(username)));
  const displayName = sent.display_name?.trim();
  if (displayName !== undefined && displayName !== row.display_name) patch.display_name = checkDisplayName(displayName);
  const group = sent.group?.trim();
  if (group !== undefined && group !== row.group_name) {
    if (!context.snapshot.hasGroup(group)) throw new AppError("group_unknown", { field: "group" });
    patch.group_name = group;
  }
  if (passwordHash !== undefined)
    checkNewPassword(context, sent.password ?? "", { username: username ?? row.username, email: row.email });
  if (passwordHash !== undefined) Object.assign(patch, { password_hash: passwordHash, is_password_temporary: 1 });
  return patch;
}

/** Their own name and password the super administrator changes with the old password, as everybody does. Throws user_is_self. */
function checkOwnFields(actor: StoredUser, row: StoredUser, patch: UserPatch): void {
  if (actor.id !== row.id) return;
  if (patch.password_hash !== undefined) throw new AppError("user_is_self", { field: "password" });
  if (patch.username !== undefined) throw new AppError("user_is_self", { field: "username" });
}

const takenName = (error: unknown): never => {
  if (isUniqueViolation(error)) throw new AppError("username_taken", { field: "username", cause: error });
  throw error;
};

/**
 * Changes the fields that are sent, each as a column of its own, and the balance by a difference to what it is in the same transaction, so
 * calls billed at the same time lose nothing. A new password ends the user's sessions and access tokens, and is
 * temporary. Throws the code of the first field that is not right or of the rule that refuses (authority.ts); step_up_required where another
 * password or user name is wanted and the caller has not confirmed who he is; quota_change_repeated where this change of the balance was
 * posted before: the answer to it was lost, or it was sent twice. Then nothing has changed.
 */
export async function updateUser(
  context: UserChangeContext,
  actor: ConfirmingActor,
  sent: UserChange,
): Promise<ManagedUser> {
  const passwordHash = await hashOf(sent.password);
  const ids = { actorId: actor.session.user.id, userId: sent.id };
  const done: { change?: PatchedUser; posting?: QuotaPosting } = {};
  const decide: Decision = async (transaction) => {
    let delta = 0;
    const change = await patchUserIn(context.database, transaction, ids, async (doer, row) => {
      checkActor(doer);
      checkEditable(doer, row);
      delta = await quotaChange(transaction, sent, row, nowSeconds(context.clock));
      const patch = patchOf(context, row, sent, passwordHash);
      checkOwnFields(doer, row, patch);
      if (isWayIn(patch)) actor.requireStepUp();
      if (patch.username !== undefined) await refuseLookAlike(transaction, patch.username, row.id);
      const endsSessions = passwordHash !== undefined;
      if (endsSessions) {
        const notification = { code: "password_set_by_administrator", values: {} } as const;
        await notifyUser(context, transaction, { userId: row.id, notification });
      }
      return { patch, endsSessions };
    });
    if (change === undefined) throw userMissing();
    const posting = postingOf(context, actor, change.after, { delta, changeId: sent.change_id });
    if (delta === 0 && sent.change_id !== undefined && (await isPosted(transaction, posting.entry.entryId)))
      throw new AppError("quota_change_repeated");
    Object.assign(done, { change, ...(delta === 0 ? { posting: undefined } : { posting }) });
    return delta === 0 ? undefined : posting.entry;
  };
  const isNew = await context.billing.moveAsDecided(decide).catch(takenName);
  if (!isNew) throw new AppError("quota_change_repeated");
  if (done.change !== undefined) await auditChange(context, actor, done.change);
  if (done.posting !== undefined) await audit(context, actor, done.posting.event, done.posting.facts);
  await context.snapshot.refresh();
  return readUser(context, actor.session.user, sent.id);
}

const SHOWN = ["username", "display_name", "group_name"] as const;

/** What was and what is, of the fields that changed; of a password only that it is another. */
async function auditChange(
  context: UserChangeContext,
  actor: ConfirmingActor,
  { before, after }: PatchedUser,
): Promise<void> {
  const changed = SHOWN.filter((field) => before[field] !== after[field]);
  const hasNewPassword = "password_hash" in after;
  if (changed.length === 0 && !hasNewPassword) return;
  const pick = (row: StoredUser) => Object.fromEntries(changed.map((field) => [field, row[field]]));
  const event = { code: "user_changed", values: { name: before.username, id: before.id } } as const;
  const password = hasNewPassword ? { password: "changed" } : {};
  await audit(context, actor, event, { before: pick(before), after: pick(after), ...password });
}

interface QuotaPosting {
  entry: Adjustment;
  /** Of the administrator's log. */
  event: LogEvent;
  facts: object;
}

/** The difference as an entry of the ledger, with a row in the user's own log and one in the administrator's. */
function postingOf(
  context: UserChangeContext,
  actor: ConfirmingActor,
  user: StoredUser,
  { delta, changeId = randomUUID() }: { delta: number; changeId: string | undefined },
): QuotaPosting {
  const { id, username, quota, group_name } = user;
  const amounts = { from: quota, to: quota + delta };
  const entryId = `adjustment:${id}:${changeId}`;
  const reason = { reason: "changed by an administrator", actor: actor.session.user.id };
  const entry: Adjustment = {
    entryId,
    kind: "adjustment",
    userId: id,
    quotaDelta: delta,
    detail: JSON.stringify({ ...reason, to: amounts.to }),
    log: {
      ...BLANK_ENTRY,
      type: LOG_TYPE.admin,
      requestId: changeId,
      createdAt: nowSeconds(context.clock),
      userId: id,
      username,
      groupName: group_name,
      other: JSON.stringify({ event: { code: "quota_changed_by_admin", values: amounts } }),
    },
  };
  const event: LogEvent = { code: "user_quota_changed", values: { name: username, id, ...amounts } };
  return { entry, event, facts: { delta, entry: entryId } };
}
