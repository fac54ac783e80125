/** HTTP handlers of password login, logout, confirmation, registration and password resets. */
import { defineHandlers } from "../http/handlers.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { cookieHeader } from "../accounts/login-answer.ts";
import { endCookie, signIn, type SigningIn } from "../accounts/sign-in.ts";
import { sendEmailCode } from "../accounts/email-codes.ts";
import { checkHuman } from "./human-check.ts";
import { acceptInvitation } from "./invited.ts";
import { register } from "./register.ts";
import { requestReset, resetPassword } from "./reset.ts";
import { confirmByFactor } from "../factors/confirmation.ts";
import { checkLogin, confirmPassword } from "./service.ts";

async function logOut({ context, request }: { context: ConsoleContext; request: RequestFacts }) {
  await endCookie(context, request.sessionCookie);
  return { headers: cookieHeader("", 0, request) };
}

/**
 * Logs a new account in by the same step as a login: what the site demands first (a second factor) is demanded here too. The account stands
 * where that fails or passwords do not log in, and its owner comes in by the login page.
 */
async function enterNewAccount(context: ConsoleContext, signingIn: SigningIn, request: RequestFacts) {
  if (!context.snapshot.options.PasswordLoginEnabled) return { data: null };
  return signIn(context, signingIn, request).catch((error: unknown) => {
    context.logger.error({ err: error, userId: signingIn.account.id }, "a new account could not be logged in");
    return { data: null };
  });
}

interface ByMail {
  context: ConsoleContext;
  query: { email: string; turnstile: string };
  request: RequestFacts;
}

async function mailCode({ context, query, request }: ByMail) {
  await checkHuman(context.snapshot.options, query.turnstile, request.ip);
  await sendEmailCode(context, { email: query.email, language: request.language });
  return {};
}

async function mailReset({ context, query, request }: ByMail) {
  await checkHuman(context.snapshot.options, query.turnstile, request.ip);
  await requestReset(context, query.email);
  return {};
}

export const sessionsHandlers = defineHandlers("sessions", {
  login: async ({ context, body, query, request }) => {
    const form = { ...body, turnstile: query.turnstile };
    const account = await checkLogin(context, form, request);
    return signIn(context, { account, way: "password", password: body.password }, request);
  },
  register: async ({ context, body, query, request }) => {
    const account = await register(context, { ...body, turnstile: query.turnstile }, request);
    return enterNewAccount(context, { account, way: "password", password: body.password }, request);
  },
  acceptInvitation: async ({ context, body, request }) => {
    const account = await acceptInvitation(context, body, request);
    return enterNewAccount(context, { account, way: "password", password: body.password }, request);
  },
  sendEmailCode: mailCode,
  sendEmailCodeByGet: mailCode,
  requestReset: mailReset,
  requestResetByGet: mailReset,
  resetPassword: async ({ context, body, request }) => ({
    data: await resetPassword(context, { ...body, ip: request.ip }),
  }),
  logout: logOut,
  logoutByGet: logOut,
  async confirmPassword({ context, session, body, request }) {
    const { password, ...factor } = body;
    const hasFactor = factor.code !== undefined || factor.passkey !== undefined;
    const confirmed_until = hasFactor
      ? await confirmByFactor(context, session, factor, request)
      : await confirmPassword(context, session, { password: password ?? "", ip: request.ip, claim: request.claim });
    return { data: { confirmed_until } };
  },
});
