/** Making users and changing their fields as an administrator; a balance moves through the ledger alone. */
import { randomUUID } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { ManagedUser, UserChange } from "../../../../contract/src/features/users.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { nameColumns } from "../../db/new-user.ts";
import { isUniqueViolation } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { checkDisplayName, checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { createAccount } from "../accounts/new-account.ts";
import { hashPassword } from "../passwords.ts";
import type { Actor, PeopleContext } from "./actor.ts";
import { auditAct } from "./actor.ts";
import { checkActor, checkEditable } from "./authority.ts";
import { readUser, userMissing } from "./service.ts";
import { patchUser } from "./store.ts";
import type { PatchedUser, StoredUser, UserPatch } from "./store.ts";

interface SentAccount {
  username: string;
  password: string;
  display_name?: string | undefined;
}

/** Makes an ordinary user. Throws username_invalid, password_short, password_long, display_name_long or username_taken. */
export async function createUser(context: PeopleContext, actor: Actor, sent: SentAccount): Promise<ManagedUser> {
  const username = checkUsername(sent.username.trim());
  checkNewPassword(sent.password);
  const display_name = checkDisplayName(sent.display_name ?? "") || username;
  const password_hash = await hashPassword(sent.password);
  const { id } = await createAccount(context, { username, display_name, password_hash });
  await auditAct(context, actor, { code: "user_created", values: { name: username, id } });
  return readUser(context, actor.session.user, id);
}

/** The whole number by which the balance moves. Throws user_quota_invalid, naming the field. */
function quotaChange(sent: UserChange, balance: number): number {
  const { quota, quota_seen, quota_delta } = sent;
  const check = (field: string, value: number): void => {
    if (!Number.isSafeInteger(value)) throw new AppError("user_quota_invalid", { field });
  };
  const field = quota_delta === undefined ? "quota" : "quota_delta";
  const delta = quota_delta ?? (quota === undefined ? 0 : quota - (quota_seen ?? balance));
  check(field, delta);
  // Rounding makes it even: a wanted balance beyond 2^53 is no amount, though its difference may be one.
  check(field, quota_delta === undefined ? (quota ?? 0) : delta);
  check(field, balance + delta);
  return delta;
}

/** A password is hashed before the transaction: it takes as long as a hundred others of them. */
const hashOf = async (password: string | undefined): Promise<string | undefined> => {
  if (password === undefined || password === "") return undefined;
  checkNewPassword(password);
  return hashPassword(password);
};

function patchOf(
  context: PeopleContext,
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
    if (context.snapshot.groupRatio(group) === undefined) throw new AppError("group_unknown", { field: "group" });
    patch.group_name = group;
  }
  if (passwordHash !== undefined) Object.assign(patch, { password_hash: passwordHash, access_token_hash: null });
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
 * Changes the fields that are sent, each as a column of its own; the balance by the difference, so calls billed at the same time lose
 * nothing. A new password ends the user's sessions and access token. Throws the code of the first field that is not right, or of the
 * rule that refuses (authority.ts); then nothing has changed.
 */
export async function updateUser(context: PeopleContext, actor: Actor, sent: UserChange): Promise<ManagedUser> {
  const passwordHash = await hashOf(sent.password);
  const endsSessions = passwordHash !== undefined;
  const ids = { actorId: actor.session.user.id, userId: sent.id };
  let delta = 0;
  const change = await patchUser(context.database, ids, async (doer, row, transaction) => {
    checkActor(doer);
    checkEditable(doer, row);
    delta = quotaChange(sent, row.quota);
    const patch = patchOf(context, row, sent, passwordHash);
    checkOwnFields(doer, row, patch);
    if (endsSessions) {
      const notification = { code: "password_set_by_administrator", values: {} } as const;
      await notifyUser(context, transaction, { userId: row.id, notification });
    }
    return { patch, endsSessions };
  }).catch(takenName);
  if (change === undefined) throw userMissing();
  await auditChange(context, actor, change);
  if (delta !== 0) await postQuota(context, actor, change.after, { delta, changeId: sent.change_id });
  await context.snapshot.refresh();
  return readUser(context, actor.session.user, sent.id);
}

const SHOWN = ["username", "display_name", "group_name"] as const;

/** What was and what is, of the fields that changed; of a password only that it is another. */
async function auditChange(context: PeopleContext, actor: Actor, { before, after }: PatchedUser): Promise<void> {
  const changed = SHOWN.filter((field) => before[field] !== after[field]);
  const hasNewPassword = "password_hash" in after;
  if (changed.length === 0 && !hasNewPassword) return;
  const pick = (row: StoredUser) => Object.fromEntries(changed.map((field) => [field, row[field]]));
  const event = { code: "user_changed", values: { name: before.username, id: before.id } } as const;
  const password = hasNewPassword ? { password: "changed" } : {};
  await auditAct(context, actor, event, { before: pick(before), after: pick(after), ...password });
}

/**
 * Posts the difference, with a row in the user's own log, and an audit row of the administrator.
 * Throws quota_change_repeated where this change was posted before: the answer to it was lost, or it was sent twice.
 */
async function postQuota(
  context: PeopleContext,
  actor: Actor,
  user: StoredUser,
  { delta, changeId = randomUUID() }: { delta: number; changeId: string | undefined },
): Promise<void> {
  const { id, username, quota, group_name } = user;
  const amounts = { from: quota, to: quota + delta };
  const entryId = `adjustment:${id}:${changeId}`;
  const { user: administrator } = actor.session;
  const isPosted = await context.billing.move({
    entryId,
    kind: "adjustment",
    userId: id,
    quotaDelta: delta,
    detail: JSON.stringify({ reason: "changed by an administrator", actor: administrator.id }),
    log: {
      ...BLANK_ENTRY,
      type: LOG_TYPE.admin,
      requestId: changeId,
      createdAt: Math.floor(context.clock() / 1000),
      userId: id,
      username,
      groupName: group_name,
      other: JSON.stringify({ event: { code: "quota_changed_by_admin", values: amounts } }),
    },
  });
  if (!isPosted) throw new AppError("quota_change_repeated");
  const event = { code: "user_quota_changed", values: { name: username, id, ...amounts } } as const;
  await auditAct(context, actor, event, { delta, entry: entryId });
}
