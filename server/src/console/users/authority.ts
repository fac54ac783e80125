/** Authorisation of acts on users, and which need a confirmation: no one acts on an equal or higher role, on themselves or on the super administrator. */
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import type { UserAction } from "../../../../contract/src/features/users.ts";
import { type Act, mayDo } from "../../../../contract/src/permissions.ts";
import { requirePermission, withheld } from "../kit/permitted.ts";
import { isAdmin, isRoot, ROLE } from "../../../../contract/src/roles.ts";
import type { StoredUser, UserPatch } from "./store.ts";

type Person = Pick<StoredUser, "id" | "role">;

/** No one above the super administrator could change their balance, group and name. */
const isOwnRoot = (actor: Person, target: Person): boolean => actor.id === target.id && isRoot(actor.role);

/** Throws user_role_not_lower. */
export function checkReadable(actor: Person, target: Person): void {
  if (target.role >= actor.role && !isOwnRoot(actor, target)) throw new AppError("user_role_not_lower");
}

/**
 * An actor who was demoted, disabled or deregistered a moment ago acts no more, nor one who is not permitted any of `acts`. Throws
 * permission_denied or permission_withheld.
 */
export function checkActor(actor: StoredUser | undefined, acts: Act = "users"): asserts actor is StoredUser {
  const isAble = actor?.deleted_at === null && actor.status === USER_STATUS.enabled && isAdmin(actor.role);
  if (!isAble) throw new AppError("permission_denied");
  if (!mayDo(actor, acts)) throw withheld(acts);
}

/**
 * What a change of an account takes: a balance, and a group with its prices, are money, and everything else is `users`. Throws
 * permission_withheld, naming the field.
 */
export function checkPermitted(actor: StoredUser, { group_name, ...others }: UserPatch, quotaDelta: number): void {
  if (quotaDelta !== 0) requirePermission(actor, "money", "quota");
  if (group_name !== undefined) requirePermission(actor, "money", "group");
  const [field] = Object.keys(others);
  if (field !== undefined) requirePermission(actor, "users", field);
}

/** Throws user_is_self, user_role_not_lower or user_deregistered. */
export function checkEditable(actor: Person, target: Person & Pick<StoredUser, "deleted_at">): void {
  if (actor.id === target.id && !isRoot(actor.role)) throw new AppError("user_is_self", { field: "id" });
  if (target.role >= actor.role && !isOwnRoot(actor, target))
    throw new AppError("user_role_not_lower", { field: "id" });
  if (target.deleted_at !== null) throw new AppError("user_deregistered", { field: "id" });
}

/** Throws the code of the rule that forbids this action. */
export function checkAction(actor: Person, target: StoredUser, action: UserAction): void {
  if (isRoot(target.role) && action !== "enable" && action !== "promote")
    throw new AppError("user_is_root", { field: "action" });
  if (actor.id === target.id) throw new AppError("user_is_self", { field: "id" });
  if (target.role >= actor.role) throw new AppError("user_role_not_lower", { field: "id" });
  if (target.deleted_at !== null) throw new AppError("user_deregistered", { field: "id" });
  if (action === "enable" && target.status === USER_STATUS.notActivated)
    throw new AppError("user_not_activated", { field: "action" });
  if (action === "promote" || action === "demote") checkRoleChange(actor, target, action);
}

function checkRoleChange(actor: Person, target: Person, action: "promote" | "demote"): void {
  if (!isRoot(actor.role)) throw new AppError("only_root_promotes", { field: "action" });
  if (action === "promote" && isAdmin(target.role)) throw new AppError("user_is_admin", { field: "action" });
  if (action === "demote" && target.role <= ROLE.user) throw new AppError("user_is_common", { field: "action" });
}

/**
 * The role that a new account is to have. A caller can only create users below their own role, and administrators are made by the super administrator alone.
 * Throws user_role_not_lower, only_root_promotes, or invalid_field for a number that is no role.
 */
export function checkNewRole(actor: Person, role: number): void {
  if (role === ROLE.user) return;
  if (role >= actor.role) throw new AppError("user_role_not_lower", { field: "role" });
  if (role !== ROLE.admin) throw new AppError("invalid_field", { field: "role", message: "The role must be 1 or 10" });
  if (!isRoot(actor.role)) throw new AppError("only_root_promotes", { field: "role" });
}

/** Fields that sign the account in: a borrowed access token or an open session must not change them. */
export const isWayIn = (patch: UserPatch): boolean => patch.password_hash !== undefined || patch.username !== undefined;

/** Who becomes an administrator, and who is one no longer. Ordinary people are deregistered without a confirmation: scripts do that. */
export const decidesRoles = (target: Person, action: UserAction): boolean =>
  action === "promote" || action === "demote" || (action === "delete" && isAdmin(target.role));
