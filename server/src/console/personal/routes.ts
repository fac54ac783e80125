/** The own account over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { sendEmailCode } from "../accounts/email-codes.ts";
import { cookieHeader } from "../accounts/login-answer.ts";
import { deleteSelf } from "./deletion.ts";
import { bindEmail } from "./email.ts";
import { inviteCode, transferRewards } from "./rewards.ts";
import { createAccessToken, readSelf, updateSelf, updateSetting } from "./service.ts";
import { sendTestMessage } from "./test-message.ts";

const newAccessToken = async ({ context, session }: { context: ConsoleContext; session: Session }) => ({
  data: await createAccessToken(context, session.user.id),
});

export const personalHandlers = defineHandlers("personal", {
  getSelf: async ({ context, session }) => ({ data: await readSelf(context, session.user.id) }),
  async updateSelf({ context, session, body, request }) {
    await updateSelf(context, { session, ip: request.ip }, body);
    return {};
  },
  ownModels({ context, session }) {
    const usable = [...context.snapshot.usableGroups(session.user.groupName).keys()];
    return { data: [...context.snapshot.modelsFor(usable)] };
  },
  createAccessTokenByGet: newAccessToken,
  createAccessToken: newAccessToken,
  async updateSetting({ context, session, body }) {
    await updateSetting(context, session.user.id, body);
    return {};
  },
  async sendOwnEmailCode({ context, body, request }) {
    if (body.email.trim() === "") throw new AppError("email_code_missing", { field: "email" });
    await sendEmailCode(context, { email: body.email, language: request.language });
    return {};
  },
  async bindEmailByGet({ context, session, query, request }) {
    await bindEmail(context, { session, ip: request.ip }, query);
    return {};
  },
  async bindEmail({ context, session, body, request }) {
    await bindEmail(context, { session, ip: request.ip }, body);
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
  sendTestMessage: async ({ context, session }) => ({ data: await sendTestMessage(context, session) }),
});
