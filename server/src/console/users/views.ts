/** A user as an administrator may see them: people of the caller's own role and above keep e-mail and bindings to themselves. */
import type { ManagedState, ManagedUser } from "../../../../contract/src/features/users.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { NO_SUBJECTS, type Subjects } from "../identity-store.ts";
import type { Reach, StoredUser } from "./store.ts";

/** Whose addresses are open to the caller: everybody's to the super administrator, else those of lower roles and their own. */
export const reachOf = (caller: { id: number; role: number }): Reach => ({
  userId: caller.id,
  belowRole: isRoot(caller.role) ? Number.MAX_SAFE_INTEGER : caller.role,
});

const timeText = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();

interface Beside {
  /** User names by id, of those who invited. */
  names: ReadonlyMap<number, string>;
  /** Who a user is at other sites. */
  subjects: (userId: number) => Subjects;
}

export function viewOf(row: StoredUser, reach: Reach, { names, subjects }: Beside): ManagedUser {
  const { group_name, deleted_at, ...columns } = row;
  const isOpen = row.role < reach.belowRole || row.id === reach.userId;
  return {
    ...columns,
    password: "",
    email: isOpen ? (row.email ?? "") : "",
    ...(isOpen ? subjects(row.id) : NO_SUBJECTS),
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
