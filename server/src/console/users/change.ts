/** Making users and changing their fields as an administrator; a balance moves through the ledger alone. */
import { randomUUID } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { ManagedState, ManagedUser, QuotaMode, UserChange } from "../../../../contract/src/features/users.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { type Permission, permissionsOf, storedPermissions } from "../../../../contract/src/permissions.ts";
import { isRoot, ROLE } from "../../../../contract/src/roles.ts";
import type { Adjustment, Decision } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { nameColumns } from "../../db/new-user.ts";
import { type Queries, isUniqueViolation } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { storable } from "../../util/text.ts";
import { checkDisplayName, checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { refuseLookAlike } from "../accounts/look-alikes.ts";
import { createAccount } from "../accounts/new-account.ts";
import { hashPassword } from "../passwords.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import { checkActor, checkEditable, checkNewRole, checkPermitted, isWayIn } from "./authority.ts";
import { readUser, userMissing } from "./service.ts";
import { balanceSetLast, findUser, isPosted, patchUser, patchUserIn } from "./store.ts";
import type { PatchedUser, StoredUser, UserPatch } from "./store.ts";

export type UserChangeContext = Pick<
  ConsoleContext,
  "database" | "snapshot" | "billing" | "secrets" | "clock" | "logger"
>;

interface SentAccount {
  username: string;
  password: string;
  display_name?: string | undefined;
  /** 1 where absent. */
  role?: number | undefined;
}

/**
 * Makes a user with a temporary password. Throws username_invalid, password_*, display_name_long or username_taken; for another role than 1 what
 * `checkNewRole` throws, and step_up_required where the caller has not confirmed who he is, as for a promotion.
 */
export async function createUser(
  context: UserChangeContext,
  actor: ConfirmingActor,
  sent: SentAccount,
): Promise<ManagedUser> {
  const { role = ROLE.user } = sent;
  checkNewRole(actor.session.user, role);
  if (role !== ROLE.user) actor.requireStepUp();
  const username = checkUsername(sent.username.trim());
  checkNewPassword(context, sent.password, { username, email: null });
  const display_name = checkDisplayName(sent.display_name ?? "") || username;
  const password_hash = await hashPassword(sent.password);
  // Two people know it from now on.
  const columns = { display_name, password_hash, is_password_temporary: 1 } as const;
  const { id } = await createAccount(context, { username, ...columns }, async (queries, made) => {
    if (role === ROLE.user) return;
    // All writers of users stand in one line: what the caller is now holds until this is written.
    const doer = await findUser(queries, actor.session.user.id);
    checkActor(doer);
    checkNewRole(doer, role);
    await queries.updateTable("users").set({ role }).where("id", "=", made).execute();
  });
  await audit(context, actor, { code: "user_created", values: { name: username, id } }, { role });
  return readUser(context, actor.session.user, id);
}

/**
 * The whole number by which the balance moves, of a row that is locked. A balance that is wanted is reached whatever it was; one that goes
 * with what the editor saw moves by the difference, unless it has been changed since.
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
  const remark = sent.remark?.trim();
  if (remark !== undefined && remark !== row.remark) patch.remark = remark;
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
  // It is not shown to its user, whose form would send it back blank.
  if (patch.remark !== undefined) throw new AppError("user_is_self", { field: "remark" });
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
 * @param check sees the row as it is in the transaction, and may throw
 */
export async function updateUser(
  context: UserChangeContext,
  actor: ConfirmingActor,
  sent: UserChange,
  check: (row: StoredUser) => void = () => undefined,
): Promise<ManagedUser> {
  const passwordHash = await hashOf(sent.password);
  const ids = { actorId: actor.session.user.id, userId: sent.id };
  const done: { change?: PatchedUser; posting?: QuotaPosting } = {};
  const decide: Decision = async (transaction) => {
    let delta = 0;
    const change = await patchUserIn(context.database, transaction, ids, async (doer, row) => {
      checkActor(doer, ["users", "money"]);
      checkEditable(doer, row);
      check(row);
      delta = await quotaChange(transaction, sent, row, nowSeconds(context.clock));
      const patch = patchOf(context, row, sent, passwordHash);
      checkOwnFields(doer, row, patch);
      checkPermitted(doer, patch, delta);
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
    const posting = postingOf(context, actor, change.after, { delta, changeId: sent.change_id, note: sent.reason });
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

/**
 * Says what an administrator may do, in force everywhere within a second. Throws not_found, permission_denied for everybody but the super
 * administrator, user_is_common for people who are no administrators, and what `checkEditable` throws.
 */
export async function setPermissions(
  context: UserChangeContext,
  actor: ConfirmingActor,
  { id, permissions }: { id: number; permissions: readonly Permission[] },
): Promise<ManagedUser> {
  const ids = { actorId: actor.session.user.id, userId: id };
  const change = await patchUser(context.database, ids, (doer, row) => {
    checkActor(doer);
    if (!isRoot(doer.role)) throw new AppError("permission_denied");
    if (doer.id === row.id) throw new AppError("user_is_self", { field: "id" });
    checkEditable(doer, row);
    if (row.role !== ROLE.admin) throw new AppError("user_is_common", { field: "id" });
    return Promise.resolve({ patch: { permissions: storedPermissions(permissions) } });
  });
  if (change === undefined) throw userMissing();
  const { before, after } = change;
  await context.snapshot.refresh();
  const event = { code: "user_permissions_changed", values: { name: before.username, id } } as const;
  await audit(context, actor, event, { before: permissionsOf(before), after: permissionsOf(after) });
  return readUser(context, actor.session.user, id);
}

export interface QuotaMove {
  id: number;
  mode?: QuotaMode | undefined;
  /** Whole units of quota. */
  value?: number | undefined;
  change_id?: string | undefined;
}

/**
 * Adds quota to a balance, takes some away, or sets it, as an entry of the ledger; what calls use meanwhile stays used.
 * Throws invalid_field without a mode, user_quota_invalid without a value or for one that is not above 0, unless it is the wanted balance, and what
 * `updateUser` throws.
 */
export async function moveQuota(
  context: UserChangeContext,
  actor: ConfirmingActor,
  { id, mode, value, change_id }: QuotaMove,
): Promise<ManagedState> {
  if (mode === undefined)
    throw new AppError("invalid_field", { field: "mode", message: "Expected add, subtract or override" });
  if (value === undefined) throw new AppError("user_quota_invalid", { field: "value" });
  if (mode !== "override" && value <= 0) throw new AppError("user_quota_invalid", { field: "value" });
  const move = mode === "override" ? { quota: value } : { quota_delta: mode === "add" ? value : 0 - value };
  const { role, status, DeletedAt } = await updateUser(context, actor, { id, change_id, ...move });
  return { role, status, DeletedAt };
}

const SHOWN = ["username", "display_name", "group_name"] as const;

/** Changed fields before and after; of a password only that it changed. */
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

interface QuotaChange {
  delta: number;
  changeId: string | undefined;
  /** Why, in the administrator's words. */
  note: string | undefined;
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
  { delta, changeId = randomUUID(), note = "" }: QuotaChange,
): QuotaPosting {
  const { id, username, quota, group_name } = user;
  const amounts = { from: quota, to: quota + delta };
  const entryId = `adjustment:${id}:${changeId}`;
  const why = note.trim() === "" ? {} : { note: storable(note.trim()) };
  const reason = { reason: "changed by an administrator", actor: actor.session.user.id, ...why };
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
  return { entry, event, facts: { delta, entry: entryId, ...why } };
}
