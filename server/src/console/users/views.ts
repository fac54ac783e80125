/** A user as an administrator may see them: people of the caller's own role and above keep e-mail and bindings to themselves. */
import type { ManagedState, ManagedUser } from "../../../../contract/src/features/users.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import type { Reach, StoredUser } from "./store.ts";

/** Whose addresses are open to the caller: everybody's to the super administrator, else those of lower roles and their own. */
export const reachOf = (caller: { id: number; role: number }): Reach => ({
  userId: caller.id,
  belowRole: isRoot(caller.role) ? Number.MAX_SAFE_INTEGER : caller.role,
});

const timeText = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();

/** @param names user names by id, of those who invited */
export function viewOf(row: StoredUser, reach: Reach, names: ReadonlyMap<number, string>): ManagedUser {
  const { group_name, deleted_at, ...columns } = row;
  const isOpen = row.role < reach.belowRole || row.id === reach.userId;
  const shown = (value: string | null): string => (isOpen ? (value ?? "") : "");
  return {
    ...columns,
    password: "",
    email: shown(row.email),
    github_id: shown(row.github_id),
    oidc_id: shown(row.oidc_id),
    wechat_id: shown(row.wechat_id),
    telegram_id: shown(row.telegram_id),
    linux_do_id: shown(row.linux_do_id),
    group: group_name,
    inviter_name: names.get(row.inviter_id) ?? "",
    DeletedAt: timeText(deleted_at),
  };
}

/** What an action made of the user. */
export const stateOf = ({ role, status, deleted_at }: StoredUser): ManagedState => ({
  role,
  status,
  DeletedAt: timeText(deleted_at),
});
