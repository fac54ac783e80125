/** Handlers of password login, logout and confirmation. */
import { defineHandlers } from "../http/handlers.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { cookieHeader } from "../accounts/login-answer.ts";
import { endCookie, signIn } from "../accounts/sign-in.ts";
import { checkLogin, confirmPassword } from "./service.ts";

async function logOut({ context, request }: { context: ConsoleContext; request: RequestFacts }) {
  await endCookie(context, request.sessionCookie);
  return { headers: cookieHeader("", 0, request) };
}

export const sessionsHandlers = defineHandlers("sessions", {
  login: async ({ context, body, query, request }) => {
    const form = { ...body, turnstile: query.turnstile };
    const account = await checkLogin(context, form, request.ip);
    return signIn(context, { account, way: "password", password: body.password }, request);
  },
  logout: logOut,
  logoutByGet: logOut,
  confirmPassword: async ({ context, session, body, request }) => ({
    data: { confirmed_until: await confirmPassword(context, session, { password: body.password, ip: request.ip }) },
  }),
});
