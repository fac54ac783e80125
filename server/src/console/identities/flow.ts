/** The OAuth state of one sign-in at another site: valid once, for ten minutes, in the browser that started it. */
import { createHash, randomBytes } from "node:crypto";
import { generateCookie } from "hono/cookie";
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import { CODE_SECONDS, giveTicket, newTicket, takeTicket } from "../accounts/one-time-codes.ts";
import { cookieName, FLOW_COOKIE } from "../http/authenticate.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import type { Flow } from "./providers/provider.ts";

const begunFlow = z.object({
  /** Hash of the browser's cookie. */
  browser: z.string(),
  /** "" for clients of this API family that ask for a state alone and build the other site's address themselves: it fits every site. */
  provider: z.string(),
  /** The account that gets the identity; 0 for signing in. */
  bindUserId: z.number(),
  verifier: z.string(),
  nonce: z.string(),
  redirectUri: z.string(),
  inviteCode: z.string(),
});
export type BegunFlow = z.output<typeof begunFlow>;

const COOKIE_SHAPE = /^[\w-]{43}$/;
const hashOf = (cookie: string): string => createHash("sha256").update(cookie).digest("base64url");
const nowOf = (context: ConsoleContext): number => Math.floor(context.clock() / 1000);

/** Where another site leads back to: a page of the console, at the address that people reach it by. */
export function redirectUriOf(context: ConsoleContext, request: RequestFacts, provider: string): string {
  const base = context.snapshot.options.ServerAddress || `${request.isSecure ? "https" : "http"}://${request.host}`;
  return `${base}/oauth/${provider}`;
}

export interface FlowRequest {
  provider: string;
  bind: boolean;
  inviteCode: string;
}

/**
 * Begins one. @returns the state inside the flow, and the header that gives the browser its cookie; a browser that has one keeps it, so
 * that two tabs may sign in.
 * @throws AppError not_logged_in where a guest wants to bind.
 */
export async function beginFlow(
  context: ConsoleContext,
  asked: FlowRequest,
  session: Session | undefined,
  request: RequestFacts,
): Promise<{ flow: Flow; headers: Record<string, string> }> {
  if (asked.bind && session === undefined) throw new AppError("not_logged_in");
  const cookie = COOKIE_SHAPE.test(request.flowCookie) ? request.flowCookie : newTicket();
  const random = () => (asked.provider === "" ? "" : randomBytes(32).toString("base64url"));
  const payload: BegunFlow = {
    browser: hashOf(cookie),
    provider: asked.provider,
    bindUserId: asked.bind ? (session?.user.id ?? 0) : 0,
    verifier: random(),
    nonce: random(),
    redirectUri: asked.provider === "" ? "" : redirectUriOf(context, request, asked.provider),
    inviteCode: asked.inviteCode,
  };
  const state = await giveTicket(context, { purpose: "oauth", payload, now: nowOf(context) });
  const { verifier, nonce, redirectUri } = payload;
  const headers = { "Set-Cookie": flowCookie(cookie, request) };
  return { flow: { state, verifier, nonce, redirectUri }, headers };
}

const flowCookie = (value: string, { isSecure }: RequestFacts): string =>
  generateCookie(cookieName(FLOW_COOKIE, isSecure), value, {
    // The prefix wants the whole host.
    path: isSecure ? "/" : "/api/oauth",
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure,
    maxAge: CODE_SECONDS,
  });

/**
 * Takes the state: it is used up, whatever is found out about it.
 * @throws AppError oauth_state_invalid where it is none, was used, is another browser's or another provider's, or was made to bind to
 * an account that is not signed in here.
 */
export async function takeFlow(
  context: ConsoleContext,
  asked: { state: string; provider: string },
  session: Session | undefined,
  request: RequestFacts,
): Promise<BegunFlow> {
  const refused = (cause?: unknown) => new AppError("oauth_state_invalid", { field: "state", cause });
  if (asked.state === "" || request.flowCookie === "") throw refused();
  const taken = await takeTicket(context, { purpose: "oauth", ticket: asked.state, now: nowOf(context) }).catch(
    (error: unknown) => {
      throw error instanceof AppError ? refused(error) : error;
    },
  );
  const flow = begunFlow.parse(taken);
  const isOfBrowser = flow.browser === hashOf(request.flowCookie);
  const isOfProvider = flow.provider === "" || flow.provider === asked.provider;
  const isOfSession = flow.bindUserId === 0 || flow.bindUserId === session?.user.id;
  if (!isOfBrowser || !isOfProvider || !isOfSession) throw refused();
  return flow;
}
