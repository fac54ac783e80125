/** Users over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import { listUsers } from "./service.ts";

export const usersHandlers = defineHandlers("users", {
  listUsers: async ({ context, session, query }) => ({ data: await listUsers(context, session.user, {}, query) }),
  searchUsers: async ({ context, session, query }) => ({
    data: await listUsers(context, session.user, { keyword: query.keyword, group: query.group }, query),
  }),
});
