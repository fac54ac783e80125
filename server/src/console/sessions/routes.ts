/** Handlers of password login, logout and confirmation. */
import { generateCookie } from "hono/cookie";
import { SESSION_COOKIE } from "../authenticate.ts";
import { defineHandlers } from "../handlers.ts";
import type { ConsoleContext, RequestFacts } from "../handlers.ts";
import { SESSION_SECONDS } from "../session-store.ts";
import { createLoginBackoff } from "./backoff.ts";
import type { LoginBackoff } from "./backoff.ts";
import { confirmPassword, endCookie, login } from "./service.ts";
import type { Account } from "./store.ts";

/** One backoff for each running server. */
const backoffs = new WeakMap<ConsoleContext, LoginBackoff>();

function backoffOf(context: ConsoleContext): LoginBackoff {
  const known = backoffs.get(context) ?? createLoginBackoff(context.clock);
  backoffs.set(context, known);
  return known;
}

function cookieHeader(value: string, maxAge: number, request: RequestFacts) {
  const options = { path: "/", httpOnly: true, sameSite: "Lax", secure: request.isSecure, maxAge } as const;
  return { "Set-Cookie": generateCookie(SESSION_COOKIE, value, options) };
}

/** Credentials that every guesser knows; the console warns whoever still has them. */
const isDefault = (username: string, password: string): boolean => username === "root" && password === "123456";

const loginUser = (account: Account, password: string) => ({
  id: account.id,
  username: account.username,
  display_name: account.display_name,
  role: account.role,
  status: account.status,
  group: account.group_name,
  default_credentials: isDefault(account.username, password),
});

async function logOut({ context, request }: { context: ConsoleContext; request: RequestFacts }) {
  await endCookie(context, request.sessionCookie);
  return { headers: cookieHeader("", 0, request) };
}

export const sessionsHandlers = defineHandlers("sessions", {
  login: async ({ context, body, query, request }) => {
    const form = { ...body, turnstile: query.turnstile };
    const { account, cookie } = await login(context, backoffOf(context), form, request);
    return { data: loginUser(account, body.password), headers: cookieHeader(cookie, SESSION_SECONDS, request) };
  },
  logout: logOut,
  logoutByGet: logOut,
  confirmPassword: async ({ context, session, body }) => ({
    data: { confirmed_until: await confirmPassword(context, backoffOf(context), session, body.password) },
  }),
});
