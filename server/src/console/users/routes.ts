/** Users over HTTP: thin, from parsed input to the service and back. */
import type { UserSort } from "../../../../contract/src/features/users.ts";
import { USER_SORTS } from "../../../../contract/src/features/users.ts";
import { defineHandlers } from "../http/handlers.ts";
import { createUser, updateUser } from "./change.ts";
import { manageUser } from "./manage.ts";
import { listUsers, readUser } from "./service.ts";
import type { UserPaging } from "./store.ts";

const sortOf = (text: string | undefined): UserSort => USER_SORTS.find((sort) => sort === text) ?? "id";

interface PageQuery {
  /** From 1. */
  p: number;
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}

const pagingOf = ({ p, page_size, sort, order }: PageQuery): UserPaging => ({
  sort: sortOf(sort),
  isDescending: order !== "asc",
  offset: (p - 1) * page_size,
  limit: page_size,
});

export const usersHandlers = defineHandlers("users", {
  async listUsers({ context, session, query }) {
    const { status, role, group } = query;
    return { data: await listUsers(context, session.user, { status, role, group }, pagingOf(query)) };
  },
  async searchUsers({ context, session, query }) {
    const { keyword, status, role, group } = query;
    return { data: await listUsers(context, session.user, { keyword, status, role, group }, pagingOf(query)) };
  },
  async getUser({ context, session, params }) {
    return { data: await readUser(context, session.user, params.id) };
  },
  async createUser({ context, session, request, body }) {
    return { data: await createUser(context, { session, request }, body) };
  },
  async updateUser({ context, session, request, body }) {
    return { data: await updateUser(context, { session, request }, body) };
  },
  async manageUser({ context, session, request, body }) {
    return { data: await manageUser(context, { session, request }, body) };
  },
  async deleteUser({ context, session, request, params }) {
    await manageUser(context, { session, request }, { id: params.id, action: "delete" });
    return {};
  },
});
