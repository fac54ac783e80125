/** Roles and states of users, and the actions of a viewer on them, by the server's rules. Pure. */
import { type ManagedUser, USER_STATUS, type UserAction } from "../../../../../contract/src/features/users.ts";
import { isAdmin, isRoot, ROLE } from "../../../../../contract/src/roles.ts";

export type RoleName = "user" | "admin" | "root" | "unknown";
export type StatusName = "enabled" | "disabled" | "notActivated" | "deregistered" | "unknown";

/** Only the three roles there are have a name. */
export function roleName(role: number): RoleName {
  if (role === ROLE.user) return "user";
  if (role === ROLE.admin) return "admin";
  return role === ROLE.root ? "root" : "unknown";
}

/** Deregistered wins over whatever the account was. */
export function statusName({ status, DeletedAt }: Pick<ManagedUser, "status" | "DeletedAt">): StatusName {
  if (DeletedAt !== null) return "deregistered";
  if (status === USER_STATUS.enabled) return "enabled";
  if (status === USER_STATUS.disabled) return "disabled";
  return status === USER_STATUS.notActivated ? "notActivated" : "unknown";
}

export interface Acting {
  id: number;
  role: number;
  /** Permissions of an administrator; null for all. */
  admin_permissions?: readonly string[] | null;
}

/** Lower roles are open to an administrator; the super administrator looks after their own account too. */
export function canEdit(viewer: Acting | null, user: ManagedUser): boolean {
  if (viewer === null || user.DeletedAt !== null || !isAdmin(viewer.role)) return false;
  return user.role < viewer.role || (user.id === viewer.id && isRoot(viewer.role));
}

/** Whose page is open to an administrator: those they may edit, and deregistered ones below their role. */
export const canOpen = (viewer: Acting | null, user: ManagedUser): boolean =>
  canEdit(viewer, { ...user, DeletedAt: null });

/** A disabled account has no sessions to end. */
const ENDING: readonly UserAction[] = ["end_sessions"];

/** The actions that the server would take, in the order in which a menu has them. */
export function actionsFor(viewer: Acting | null, user: ManagedUser): UserAction[] {
  const isPermitted = viewer?.admin_permissions?.includes("users") ?? true;
  if (viewer === null || !isPermitted || !canEdit(viewer, user) || user.id === viewer.id) return [];
  const isEnabled = user.status === USER_STATUS.enabled;
  const switches: UserAction[] = isEnabled ? ["disable"] : user.status === USER_STATUS.notActivated ? [] : ["enable"];
  const roles: UserAction[] = isAdmin(user.role) ? ["demote"] : ["promote"];
  return [...switches, ...(isRoot(viewer.role) ? roles : []), ...(isEnabled ? ENDING : []), "delete"];
}
