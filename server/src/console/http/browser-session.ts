/** Finds the session of a request to the relay, for playground calls. */
import type { IncomingMessage } from "node:http";
import { parse } from "hono/utils/cookie";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { type IdentityContext, authenticate, identify, isByTokenAlone, readSessionCookie } from "./authenticate.ts";
import { createAddressReader } from "../../observe/client-address.ts";
import { checkOrigin, checkRateLimits, checkRequiredAction } from "./guards.ts";
import type { ConsoleContext } from "./handlers.ts";

/** The access rule of such a request: it spends, and needs a user. */
const SPENDING = {
  method: "POST",
  path: "/pg",
  access: "user",
  object: "self",
  summary: "",
} as const satisfies Endpoint;

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** What the finder of sessions reads: less than the console's context, so that the relay can be opened before that. */
export type SessionFinderContext = IdentityContext & Pick<ConsoleContext, "limiter" | "forwarders">;

/**
 * Gives a function that finds the session, behind the console's own guards: origin, rate limit, living session, user header, what has to be
 * done first;
 * but for the rule of demo sites, which are there to be tried.
 * It throws AppError. `isBrowser` is false for a call with an access token.
 */
export function browserSessions(context: SessionFinderContext) {
  const addresses = createAddressReader(context.site.trustedProxies);
  return async (request: IncomingMessage): Promise<{ userId: number; isBrowser: boolean }> => {
    const header = (name: string): string | undefined => headerOf(request, name);
    const userHeader = header("new-api-user") ?? header("turnpike-user");
    const [peer, forwardedFor] = [request.socket.remoteAddress ?? "", header("x-forwarded-for")];
    const ip = addresses.client(peer, forwardedFor);
    const claim = addresses.claim(peer, { forwardedFor, forwarded: header("forwarded") });
    const isSecure = addresses.isTrusted(peer) && header("x-forwarded-proto") === "https";
    const cookies = parse(header("cookie") ?? "");
    const session = readSessionCookie((name) => cookies[name], isSecure);
    const credentials = { ...session, authorization: header("authorization"), userHeader };
    checkOrigin(SPENDING, {
      host: header("host"),
      origin: header("origin"),
      fetchSite: header("sec-fetch-site"),
      userHeader,
      isByToken: isByTokenAlone(credentials),
      serverAddress: context.snapshot.options.ServerAddress,
    });
    const identity = await identify(context, credentials);
    await checkRateLimits(context, SPENDING, { ip, claim, identity });
    const caller = authenticate(identity, credentials);
    checkRequiredAction(SPENDING, caller);
    return { userId: caller.user.id, isBrowser: caller.sessionId !== undefined };
  };
}
