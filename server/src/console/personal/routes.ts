/** HTTP handlers of the own account. */
import { defineHandlers } from "../http/handlers.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { endAccessToken, listAccessTokens, makeAccessToken, replaceAccessToken } from "./access-tokens.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { sendEmailCode } from "../accounts/email-codes.ts";
import { cookieHeader } from "../accounts/login-answer.ts";
import { bindEmail, deleteSelf, readSelf, updateSelf, updateSetting } from "./service.ts";
import { inviteCode, transferRewards } from "./rewards.ts";
import { securityEvents } from "../security-log.ts";
import { sendTestMessage } from "./setting.ts";

const newAccessToken = async (call: { context: ConsoleContext; session: Session; request: RequestFacts }) => ({
  data: await replaceAccessToken(call.context, call.session, call.request),
});

export const personalHandlers = defineHandlers("personal", {
  getSelf: async ({ context, session }) => ({ data: await readSelf(context, session) }),
  async updateSelf({ context, session, body, request, requireStepUp }) {
    await updateSelf(context, { session, ip: request.ip, claim: request.claim, requireStepUp }, body);
    const { sidebar_modules } = body;
    if (sidebar_modules !== undefined) await updateSetting(context, { session, requireStepUp }, { sidebar_modules });
    return {};
  },
  ownModels({ context, session }) {
    const usable = [...context.snapshot.usableGroups(session.user.groupName).keys()];
    return { data: [...context.snapshot.modelsFor(usable)] };
  },
  listAccessTokens: async ({ context, session }) => ({ data: await listAccessTokens(context, session) }),
  makeAccessToken: async ({ context, session, body, request }) => ({
    data: await makeAccessToken(context, session, body, request),
  }),
  async endAccessToken({ context, session, params }) {
    await endAccessToken(context, session, params.id);
    return {};
  },
  createAccessTokenByGet: newAccessToken,
  createAccessToken: newAccessToken,
  async updateSetting({ context, session, body, requireStepUp }) {
    await updateSetting(context, { session, requireStepUp }, body);
    return {};
  },
  async sendOwnEmailCode({ context, body, request }) {
    if (body.email.trim() === "") throw new AppError("email_code_missing", { field: "email" });
    await sendEmailCode(context, { email: body.email, language: request.language });
    return {};
  },
  async bindEmailByGet({ context, session, query, request }) {
    await bindEmail(context, { session, ip: request.ip, claim: request.claim }, query);
    return {};
  },
  async bindEmail({ context, session, body, request }) {
    await bindEmail(context, { session, ip: request.ip, claim: request.claim }, body);
    return {};
  },
  getInviteCode: async ({ context, session }) => ({ data: await inviteCode(context, session.user.id) }),
  async transferRewards({ context, session, body }) {
    await transferRewards(context, session, body.quota);
    return {};
  },
  async deleteSelf({ context, session, request }) {
    await deleteSelf(context, session, request);
    return { headers: cookieHeader("", 0, request) };
  },
  ownSecurityEvents: async ({ context, session, query }) => ({
    data: await securityEvents(context, query.before, session.user.id),
  }),
  allSecurityEvents: async ({ context, query }) => ({ data: await securityEvents(context, query.before, undefined) }),
  sendTestMessage: async ({ context, session, body, requireStepUp }) => ({
    data: await sendTestMessage(context, { session, requireStepUp }, body),
  }),
});
