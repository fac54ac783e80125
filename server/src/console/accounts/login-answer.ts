/** The response of every kind of login: the account, and the cookie of its new session. */
import { generateCookie } from "hono/cookie";
import { permissionsOf } from "../../../../contract/src/permissions.ts";
import type { RequiredAction } from "../../../../contract/src/roles.ts";
import { cookieName, SESSION_COOKIE } from "../http/authenticate.ts";
import type { RequestFacts } from "../http/handlers.ts";
import { SESSION_SECONDS } from "../session-store.ts";

export interface SignedInAccount {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group_name: string;
  /** As it was when the sign-in was proved; where it was raised since, the sign-in has to be proved again. */
  sign_in_epoch: number;
}

/** The header that gives a browser its session's cookie for `maxAge` seconds; 0 takes it away. */
export function cookieHeader(value: string, maxAge: number, request: RequestFacts) {
  const options = { path: "/", httpOnly: true, sameSite: "Lax", secure: request.isSecure, maxAge } as const;
  return { "Set-Cookie": generateCookie(cookieName(SESSION_COOKIE, request.isSecure), value, options) };
}

/** Credentials that every guesser knows; the console warns accounts that still have them. */
export const isDefaultPassword = (username: string, password: string | undefined): boolean =>
  username === "root" && password === "123456";

/** @param login the account, the cookie of its new session, what that has to do first, and whether its password is the well-known first one. */
export function loginAnswer(
  login: {
    account: SignedInAccount;
    cookie: string;
    requiredAction?: RequiredAction | undefined;
    /** As stored; for an administrator. */
    permissions: string | null;
    hasDefaultPassword: boolean;
  },
  request: RequestFacts,
) {
  const { account, cookie, requiredAction, permissions, hasDefaultPassword } = login;
  return {
    data: {
      id: account.id,
      username: account.username,
      display_name: account.display_name,
      role: account.role,
      status: account.status,
      group: account.group_name,
      default_credentials: hasDefaultPassword,
      required_action: requiredAction ?? ("" as const),
      admin_permissions: [...permissionsOf({ role: account.role, permissions })],
    },
    headers: cookieHeader(cookie, SESSION_SECONDS, request),
  };
}
