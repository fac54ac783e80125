/** Reading users as an administrator. */
import type { UserRow } from "../../../../contract/src/features/users.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { countUsers, findUsers, type Reach, type StoredUser, type UserFilter } from "./store.ts";

type UserContext = Pick<ConsoleContext, "database">;

export interface PageQuery {
  /** From 1. */
  p: number;
  page_size: number;
}

export interface UserPage {
  items: UserRow[];
  total: number;
  page: number;
  page_size: number;
}

/** As everywhere, people of the caller's own role and above are closed to anybody but the super administrator and themselves. */
const reachOf = (caller: { id: number; role: number }): Reach => ({
  userId: caller.id,
  belowRole: isRoot(caller.role) ? Number.MAX_SAFE_INTEGER : caller.role,
});

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

function viewOf(row: StoredUser, reach: Reach): UserRow {
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
    DeletedAt: deleted_at === null ? null : isoTime(deleted_at),
  };
}

/** Users that the filter has, newest first, deregistered ones too. */
export async function listUsers(
  { database }: UserContext,
  caller: { id: number; role: number },
  filter: UserFilter,
  { p, page_size }: PageQuery,
): Promise<UserPage> {
  const reach = reachOf(caller);
  const [rows, total] = await Promise.all([
    findUsers(database, filter, reach, { offset: (p - 1) * page_size, limit: page_size }),
    countUsers(database, filter, reach),
  ]);
  return { items: rows.map((row) => viewOf(row, reach)), total, page: p, page_size };
}
