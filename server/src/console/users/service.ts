/** Reading users as an administrator. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { ManagedUser, UserPage, UserSort } from "../../../../contract/src/features/users.ts";
import { subjectsOf } from "../identity-store.ts";
import { usernamesOf } from "../kit/user-names.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { SortedPage } from "../kit/list-query.ts";
import { checkReadable } from "./authority.ts";
import { countUsers, findUser, findUsers } from "./store.ts";
import type { UserFilter } from "./store.ts";
import { reachOf, viewOf } from "./views.ts";

type UserContext = Pick<ConsoleContext, "database">;

interface Caller {
  id: number;
  role: number;
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
  const names = await usernamesOf(
    database.kysely,
    rows.map(({ inviter_id }) => inviter_id),
  );
  const subjects = await subjectsOf(
    database.kysely,
    rows.map(({ id }) => id),
  );
  const items = rows.map((row) => viewOf(row, reach, { names, subjects }));
  return { items, total, page: paging.offset / paging.limit + 1, page_size: paging.limit };
}

/** One user that is not deregistered. Throws not_found, or user_role_not_lower for people of the caller's own role and above. */
export async function readUser({ database }: UserContext, caller: Caller, id: number): Promise<ManagedUser> {
  const row = await findUser(database.kysely, id);
  if (row === undefined || row.deleted_at !== null) throw userMissing();
  checkReadable(caller, row);
  const names = await usernamesOf(database.kysely, [row.inviter_id]);
  return viewOf(row, reachOf(caller), { names, subjects: await subjectsOf(database.kysely, [id]) });
}

export const userMissing = (): AppError => new AppError("not_found", { message: "There is no such user" });
