/** Queries and mutations of the users page. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  batchUsers,
  type PeopleAction,
  inviteUsers,
  listInvitations,
  type NewInvitations,
  revokeInvitation,
} from "../../../../contract/src/people.ts";
import { listGroups } from "../../../../contract/src/features/groups.ts";
import {
  createUser,
  getUser,
  listUsers,
  type ManagedUser,
  manageUser,
  searchUsers,
  updateUser,
  type UserAction,
  type UserChange,
  type UserPage,
} from "../../../../contract/src/features/users.ts";
import { call } from "../../lib/api.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";

export const USER_FILTERS = ["keyword", "group", "status", "role"] as const;
export type UserList = ListState<(typeof USER_FILTERS)[number]>;

/** Everything that was loaded about users begins with this key. */
export const USERS_KEY = ["users"] as const;
const LISTS_KEY = [...USERS_KEY, "list"] as const;

export function usersQuery({ page, size, sort, filters }: UserList) {
  const { keyword, group, status, role } = filters;
  const query = {
    p: page,
    page_size: size,
    group,
    ...(status !== undefined && { status: Number(status) }),
    ...(role !== undefined && { role: Number(role) }),
    ...(sort && { sort: sort.by, order: sort.isDescending ? "desc" : "asc" }),
  };
  return queryOptions({
    queryKey: [...LISTS_KEY, { ...query, keyword }],
    queryFn: ({ signal }) =>
      keyword === undefined
        ? call(listUsers, { query, signal })
        : call(searchUsers, { query: { ...query, keyword }, signal }),
    placeholderData: keepPreviousData,
  });
}

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...USERS_KEY, "one", id],
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
    // The form must start from what is stored now.
    staleTime: 0,
    gcTime: 0,
  });

export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: ({ signal }) => call(listGroups, { signal }),
});

/** Writes what the server answered into every loaded page of the list. */
function usePatchRow() {
  const client = useQueryClient();
  return (id: number, change: Partial<ManagedUser>) =>
    client.setQueriesData<UserPage>(
      { queryKey: LISTS_KEY },
      (page) => page && { ...page, items: page.items.map((user) => (user.id === id ? { ...user, ...change } : user)) },
    );
}

/** The row shows what the answer says; a list that is filtered by it is asked again. Gives undefined where no confirmation was given. */
export function useManageUser() {
  const client = useQueryClient();
  const patchRow = usePatchRow();
  return useMutation({
    mutationFn: ({ user, action }: { user: ManagedUser; action: UserAction }) =>
      withStepUp(() => call(manageUser, { body: { id: user.id, action } })),
    onSuccess: (state, { user }) => state && patchRow(user.id, state),
    onSettled: () => client.invalidateQueries({ queryKey: USERS_KEY }),
    meta: { showsOwnError: true },
  });
}

/** Gives undefined where no confirmation was given: nothing was done then. */
export function useBatchUsers() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { ids: number[]; action: PeopleAction; group?: string }) =>
      withStepUp(() => call(batchUsers, { body })),
    onSettled: () => client.invalidateQueries({ queryKey: USERS_KEY }),
    meta: { showsOwnError: true },
  });
}

export const invitationsQuery = queryOptions({
  queryKey: [...USERS_KEY, "invitations"],
  queryFn: ({ signal }) => call(listInvitations, { signal }),
});

export function useInviteUsers() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewInvitations) => call(inviteUsers, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
    meta: { showsOwnError: true },
  });
}

export function useRevokeInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(revokeInvitation, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
    meta: { showsOwnError: true },
  });
}

export function useCreateUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; password: string; display_name: string }) => call(createUser, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: USERS_KEY }),
    meta: { showsOwnError: true },
  });
}

/** Gives undefined where no confirmation was given: nothing was saved then. */
export function useUpdateUser() {
  const client = useQueryClient();
  const patchRow = usePatchRow();
  return useMutation({
    mutationFn: (body: UserChange) => withStepUp(() => call(updateUser, { body })),
    onSuccess: async (user) => {
      if (user === undefined) return;
      patchRow(user.id, user);
      await client.invalidateQueries({ queryKey: USERS_KEY });
    },
    meta: { showsOwnError: true },
  });
}
