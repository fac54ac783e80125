/** Users over HTTP: thin, from parsed input to the service and back. */
import { USER_SORTS } from "../../../../contract/src/features/users.ts";
import { PERMISSION_CATALOGUE } from "../../../../contract/src/family/permission-catalogue.ts";
import { defineHandlers } from "../http/handlers.ts";
import { sortedPageOf } from "../kit/lists.ts";
import { batchUsers } from "./batch.ts";
import { createUser, moveQuota, setPermissions, updateUser } from "./change.ts";
import { invite, listInvitations, revokeInvitation } from "./invitations.ts";
import { manageUser } from "./manage.ts";
import { readLedger, readPerson, readSecurityEvents, readSessions, readTokens } from "./person.ts";
import { endSeeing, seeAs } from "./see-as.ts";
import { listUsers, readUser } from "./service.ts";

export const usersHandlers = defineHandlers("users", {
  async listUsers({ context, session, query }) {
    const { status, role, group } = query;
    return { data: await listUsers(context, session.user, { status, role, group }, sortedPageOf(query, USER_SORTS)) };
  },
  async searchUsers({ context, session, query }) {
    const { keyword, status, role, group } = query;
    return {
      data: await listUsers(context, session.user, { keyword, status, role, group }, sortedPageOf(query, USER_SORTS)),
    };
  },
  async getUser({ context, session, params }) {
    return { data: await readUser(context, session.user, params.id) };
  },
  async createUser({ context, body, ...actor }) {
    return { data: await createUser(context, actor, body) };
  },
  async updateUser({ context, body, ...actor }) {
    return { data: await updateUser(context, actor, body) };
  },
  async manageUser({ context, body, ...actor }) {
    const { id, action } = body;
    if (action === "add_quota") return { data: await moveQuota(context, actor, body) };
    return { data: await manageUser(context, actor, { id, action }) };
  },
  async setPermissions({ context, params, body, ...actor }) {
    return { data: await setPermissions(context, actor, { id: params.id, permissions: body.permissions }) };
  },
  getPermissionCatalogue: () => ({ data: PERMISSION_CATALOGUE }),
  getPerson: async ({ context, session, params }) => ({ data: await readPerson(context, session.user, params.id) }),
  listTokensOf: async ({ context, session, params, query }) => ({
    data: await readTokens(context, session.user, params.id, query),
  }),
  listLedgerOf: async ({ context, session, params, query }) => ({
    data: await readLedger(context, session.user, params.id, query.before),
  }),
  listSessionsOf: async ({ context, session, params }) => ({
    data: await readSessions(context, session.user, params.id),
  }),
  listSecurityEventsOf: async ({ context, session, params, query }) => ({
    data: await readSecurityEvents(context, session.user, params.id, query.before),
  }),
  batchUsers: async ({ context, body, ...actor }) => ({ data: await batchUsers(context, actor, body) }),
  async deleteUser({ context, params, ...actor }) {
    await manageUser(context, actor, { id: params.id, action: "delete" });
    return {};
  },
  inviteUsers: async ({ context, body, ...actor }) => ({ data: { invited: await invite(context, actor, body) } }),
  listInvitations: async ({ context }) => ({ data: await listInvitations(context) }),
  async revokeInvitation({ context, params, ...actor }) {
    await revokeInvitation(context, actor, params.id);
    return {};
  },
  seeAs: async ({ context, params, ...actor }) => ({ data: await seeAs(context, actor, params.id) }),
  async endSeeing({ context, session }) {
    await endSeeing(context, session);
    return {};
  },
});
