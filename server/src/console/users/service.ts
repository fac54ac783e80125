/** Reading users as an administrator: people of the caller's own role and above keep e-mail and bindings to themselves. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { ManagedState, ManagedUser, UserPage, UserSort } from "../../../../contract/src/features/users.ts";
import { permissionsOf } from "../../../../contract/src/permissions.ts";
import { isRoot, ROLE } from "../../../../contract/src/roles.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { NO_SUBJECTS, type Subjects, subjectsOf } from "../identity-store.ts";
import { type SortedPage, usernamesOf } from "../kit/lists.ts";
import { checkReadable } from "./authority.ts";
import { type PeopleFacts, peopleFacts } from "./people-facts.ts";
import { countUsers, findUser, findUsers, type Reach, type StoredUser, type UserFilter } from "./store.ts";

/** Whose addresses are open to the caller: everybody's to the super administrator, else those of lower roles and their own. */
const reachOf = (caller: { id: number; role: number }): Reach => ({
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
  facts: PeopleFacts;
}

function viewOf(row: StoredUser, reach: Reach, { names, subjects, facts }: Beside): ManagedUser {
  const { group_name, deleted_at, remark, permissions: _stored, ...columns } = row;
  const isOpen = row.role < reach.belowRole || row.id === reach.userId;
  return {
    ...columns,
    password: "",
    email: isOpen ? (row.email ?? "") : "",
    ...(isOpen ? subjects(row.id) : NO_SUBJECTS),
    group: group_name,
    inviter_name: names.get(row.inviter_id) ?? "",
    // A remark is for administrators, not for the user it is about.
    remark: row.role < reach.belowRole && row.id !== reach.userId ? remark : "",
    // Permissions are shown to the super administrator alone.
    admin_permissions: reach.belowRole > ROLE.root ? [...permissionsOf(row)] : null,
    last_active_time: isOpen ? (facts.lastActive.get(row.id) ?? 0) : 0,
    has_second_factor: isOpen ? facts.withFactor.has(row.id) : null,
    DeletedAt: timeText(deleted_at),
  };
}

/** The user after an action. */
export const stateOf = ({ role, status, deleted_at }: StoredUser): ManagedState => ({
  role,
  status,
  DeletedAt: timeText(deleted_at),
});

type UserContext = Pick<ConsoleContext, "database">;

interface Caller {
  id: number;
  role: number;
}

/** Rows as the caller may see them. */
export async function viewsOf(
  { database }: UserContext,
  caller: Caller,
  rows: readonly StoredUser[],
): Promise<ManagedUser[]> {
  const ids = rows.map(({ id }) => id);
  const inviters = rows.map(({ inviter_id }) => inviter_id);
  const [names, subjects, facts] = await Promise.all([
    usernamesOf(database.kysely, inviters),
    subjectsOf(database.kysely, ids),
    peopleFacts(database.kysely, ids),
  ]);
  const reach = reachOf(caller);
  return rows.map((row) => viewOf(row, reach, { names, subjects, facts }));
}

/** Users that the filter has, deregistered ones too. */
export async function listUsers(
  { database }: UserContext,
  caller: Caller,
  filter: UserFilter,
  paging: SortedPage<UserSort>,
): Promise<UserPage> {
  const reach = reachOf(caller);
  const [rows, total] = await Promise.all([
    findUsers(database, filter, reach, paging),
    countUsers(database, filter, reach),
  ]);
  const items = await viewsOf({ database }, caller, rows);
  return { items, total, page: paging.offset / paging.limit + 1, page_size: paging.limit };
}

/** One user that is not deregistered. Throws not_found, or user_role_not_lower for people of the caller's own role and above. */
export async function readUser({ database }: UserContext, caller: Caller, id: number): Promise<ManagedUser> {
  const row = await findUser(database.kysely, id);
  if (row === undefined || row.deleted_at !== null) throw userMissing();
  checkReadable(caller, row);
  const [view] = await viewsOf({ database }, caller, [row]);
  if (view === undefined) throw userMissing();
  return view;
}

export const userMissing = (): AppError => new AppError("not_found", { message: "There is no such user" });
