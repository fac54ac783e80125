/** Mounts every endpoint of the contract in one loop: both slash forms, guards, validation, handler, envelope. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { API, FEATURE_NAMES } from "../../../../contract/src/api.ts";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { ALIAS_CALLS, type AliasCall } from "../../../../contract/src/family/alias-calls.ts";
import {
  authenticate,
  authenticateIfPossible,
  cookieName,
  FLOW_COOKIE,
  identify,
  isByTokenAlone,
  readSessionCookie,
} from "./authenticate.ts";
import { preferredLanguage } from "../../../../contract/src/notifications.ts";
import type { Credentials, Identity } from "./authenticate.ts";
import { readTextBody } from "./body.ts";
import { parseAddress, parseBody } from "./parse-call.ts";
import { type AddressReader, createAddressReader, limitedNetwork } from "../../observe/client-address.ts";
import { CallLimits } from "./call-limits.ts";
import { answerCallback, failWithAny, redirectTo, succeed, tooManyRequests } from "./envelope.ts";
import { succeedStreaming } from "./stream-answer.ts";
import {
  checkAccessToken,
  checkAct,
  checkDemo,
  checkOrigin,
  checkRateLimits,
  checkRequiredAction,
  checkRequiredFields,
  checkRole,
  checkStepUp,
  isOpenBefore,
} from "./guards.ts";
import type { CountedCaller, GiveBack } from "./guards.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { seenIdentity } from "./seeing.ts";
import { recordAct, recordRefusal } from "./security-acts.ts";
import type { RefusedCall } from "./security-acts.ts";
import type {
  AnyAnswer,
  AnyHandler,
  ConsoleContext,
  FeatureHandlers,
  HandlerInput,
  ReceivedCallback,
  RequestFacts,
  Session,
} from "./handlers.ts";

/** What @hono/node-server puts into a request's environment. */
export interface NodeBindings {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export type ConsoleApp = Hono<{ Bindings: NodeBindings }>;
type CallContext = Context<{ Bindings: NodeBindings }>;

interface Route {
  /** `<feature>.<endpoint>`. */
  name: string;
  endpoint: Endpoint;
  handler: AnyHandler;
  /** Where it was called at an address of other gateways. */
  alias?: AliasCall;
}

/** Says to the console's pages, beside any answer, whether their bar has to warn. */
const LOW_BALANCE_HEADER = "Turnpike-Low-Balance";

/** Every endpoint with its handler, in the order in which they are asked. */
function routesOf(features: readonly FeatureHandlers[]): Route[] {
  const byName = new Map(features.map(({ feature, handlers }) => [feature, handlers]));
  const routes = FEATURE_NAMES.flatMap((feature) =>
    Object.entries(API[feature]).map(([name, endpoint]) => {
      const handler = byName.get(feature)?.[name];
      if (handler === undefined) throw new Error(`The endpoint ${feature}.${name} has no handler`);
      return { name: `${feature}.${name}`, endpoint, handler };
    }),
  );
  return withAliases(routes);
}

const pathOf = ({ endpoint, alias }: Route): string => (alias ?? endpoint).path;

/** The same routes with the addresses that other gateways have for some of them. Throws where an alias leads nowhere. */
function withAliases(routes: readonly Route[]): Route[] {
  const aliases = ALIAS_CALLS.map((alias): Route => {
    const route = routes.find(({ name }) => name === alias.to);
    if (route === undefined) throw new Error(`The alias ${alias.path} leads to ${alias.to}, which is no endpoint`);
    return { ...route, alias };
  });
  return [...routes, ...aliases].toSorted((a, b) => byFixedParts(pathOf(a), pathOf(b)));
}

/** One character a part of the path, `0` for a fixed one and `1` for a parameter. */
const shapeOf = (path: string): string =>
  path
    .split("/")
    .map((part) => (part.startsWith("{") ? "1" : "0"))
    .join("");

/** Order of two paths in which the first fixed part wins over a parameter in its place, so that /self is not taken for an id. */
export const byFixedParts = (a: string, b: string): number =>
  Number(shapeOf(a) > shapeOf(b)) - Number(shapeOf(a) < shapeOf(b));

/** Puts every endpoint of the contract on the app. Throws where a feature is missing. */
export function mountConsole(app: ConsoleApp, context: ConsoleContext, features: readonly FeatureHandlers[]): void {
  const seam = { context, addresses: createAddressReader(context.site.trustedProxies), limits: new CallLimits() };
  for (const route of routesOf(features)) {
    const { endpoint, alias } = route;
    const path = pathOf(route).replaceAll(/\{(\w+)\}/g, ":$1");
    app.on((alias ?? endpoint).method, [path, `${path}/`], async (c) => {
      try {
        return send(c, context, route, await call(c, seam, route));
      } catch (error) {
        return failWithAny(c, error, context.logger);
      }
    });
  }
}

/** State that the calls of one console share. */
interface Seam {
  context: ConsoleContext;
  addresses: AddressReader;
  limits: CallLimits;
}

/** Throws AppError 429 if the budget of these credentials was used up just now, without a query for the user. */
async function refuseUsedUp(
  c: CallContext,
  { limits }: Seam,
  { access }: Endpoint,
  credentials: Credentials,
): Promise<void> {
  const leftSeconds = access === "signed" ? 0 : limits.secondsUsedUp(credentials);
  if (leftSeconds === 0) return;
  await limits.hold(credentials.cookie || (credentials.authorization ?? ""), c.env.outgoing);
  throw tooManyRequests(leftSeconds);
}

/** The limits by number and time; refusals are delayed for callers with many of them. Throws AppError 429. */
async function limited(
  c: CallContext,
  { context, limits }: Seam,
  endpoint: Endpoint,
  credentials: Credentials,
  counted: CountedCaller,
): Promise<GiveBack> {
  try {
    return await checkRateLimits(context, endpoint, counted);
  } catch (error) {
    const { identity, ip } = counted;
    const isOwnBudget = endpoint.rateLimit === undefined && identity?.user.status === USER_STATUS.enabled;
    if (isOwnBudget && error instanceof AppError) limits.noteUsedUp(credentials, error.retryAfterSeconds);
    await limits.hold(identity === undefined ? limitedNetwork(ip) : String(identity.user.id), c.env.outgoing);
    throw error;
  }
}

/** An answer, with the names of the fields that were sent and have no meaning here, and the form in which its data goes out. */
type ToldAnswer = AnyAnswer & Pick<Awaited<ReturnType<typeof parseBody>>, "ignored" | "dataForm">;

async function call(c: CallContext, seam: Seam, route: Route): Promise<ToldAnswer> {
  const { name, endpoint, handler } = route;
  const { context, addresses } = seam;
  const request = requestFacts(c, addresses);
  const { ip, requestId } = request;
  const caller: RefusedCall = { name, userId: 0, isByToken: false, sent: undefined, ip, requestId };
  let endTurn: (() => void) | undefined;
  try {
    const credentials = credentialsOf(c, request);
    checkOrigin(endpoint, originInfo(c, context, credentials));
    await refuseUsedUp(c, seam, endpoint, credentials);
    const identity = await identityFor(context, endpoint, credentials);
    caller.userId = identity?.user.id ?? 0;
    caller.isByToken = identity?.scope !== undefined;
    const counted = { ip, claim: request.claim, identity };
    const giveBack = await limited(c, seam, endpoint, credentials, counted);
    if (identity !== undefined) endTurn = await seam.limits.begin(identity.user.id, c.env.outgoing);
    const session = admit(
      context,
      endpoint,
      seenIdentity(context, name, identity, credentials.userHeader),
      credentials,
    );
    if (session?.lowBalance !== undefined) c.header(LOW_BALANCE_HEADER, String(session.lowBalance));
    const requireStepUp = () => checkStepUp(context, session);
    if (endpoint.stepUp === true) requireStepUp();
    const { body, ignored, dataForm } = await parseBody(c.env.incoming, c.req.param(), route);
    const sentAddress = { params: c.req.param(), query: c.req.query() };
    const parsed = { ...parseAddress(endpoint, sentAddress), body };
    caller.sent = parsed;
    checkRequiredFields(endpoint, session, parsed.body);
    const received = endpoint.answerKind === "callback" ? await receivedOf(c, endpoint) : undefined;
    // The schemas above made params, query and body what this endpoint's own handler type says.
    const input = { context, session, request, requireStepUp, received, ...parsed } as HandlerInput;
    const answer = await settled(Promise.resolve(handler(input)), giveBack);
    recordAct(name, input, answer);
    return { ...answer, ignored, dataForm };
  } catch (error) {
    recordRefusal(context, error, caller);
    throw error;
  } finally {
    endTurn?.();
  }
}

/** Only what the caller got wrong is a failure: neither what we could not do, nor what was refused unheard. */
async function settled(answer: Promise<AnyAnswer>, giveBack: GiveBack): Promise<AnyAnswer> {
  try {
    const given = await answer;
    await giveBack();
    return given;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.code === "too_many_requests") await giveBack();
    throw error;
  }
}

function claimOf(c: CallContext, addresses: AddressReader): string | undefined {
  const headers = { forwardedFor: c.req.header("x-forwarded-for"), forwarded: c.req.header("forwarded") };
  return addresses.claim(c.env.incoming.socket.remoteAddress ?? "", headers);
}

function send(c: CallContext, context: ConsoleContext, route: Route, answer: ToldAnswer): Response {
  const { endpoint } = route;
  if (endpoint.answerKind === "callback") return answerCallback(c, answer.reply);
  if (endpoint.answerKind === "redirect" && answer.location !== undefined) return redirectTo(c, answer.location);
  if (endpoint.answerKind !== "stream" || answer.stream === undefined) return succeed(c, encode(route, answer));
  const onError = (error: unknown) =>
    context.logger.error({ err: error, method: c.req.method, path: c.req.path }, "a streamed answer broke off");
  const headers = { ...answer.headers, "Content-Type": endpoint.mediaType ?? "text/plain; charset=utf-8" };
  return succeedStreaming(c, answer.stream, headers, onError);
}

/** The request as it came: another site's signature is over its bytes. */
async function receivedOf(c: CallContext, endpoint: Endpoint): Promise<ReceivedCallback> {
  const { incoming } = c.env;
  return {
    query: URL.parse(c.req.url)?.search.slice(1) ?? "",
    body: endpoint.method === "GET" ? "" : await readTextBody(incoming, endpoint),
    header: (name) => c.req.header(name) ?? "",
  };
}

function requestFacts(c: CallContext, addresses: AddressReader): RequestFacts {
  const { socket } = c.env.incoming;
  const peer = socket.remoteAddress ?? "";
  const isSecure = addresses.isTrusted(peer) && c.req.header("x-forwarded-proto") === "https";
  const session = readSessionCookie((name) => getCookie(c, name), isSecure);
  return {
    ip: addresses.client(peer, c.req.header("x-forwarded-for")),
    claim: claimOf(c, addresses),
    userAgent: c.req.header("user-agent") ?? "",
    language: preferredLanguage(c.req.header("accept-language")),
    requestId: c.res.headers.get("x-oneapi-request-id") ?? "",
    origin: c.req.header("origin") ?? "",
    isOwnPage: c.req.header("sec-fetch-site") === "same-origin",
    isSecure,
    sessionCookie: session.cookie,
    isUnprefixedCookie: session.isUnprefixed,
    flowCookie: getCookie(c, cookieName(FLOW_COOKIE, isSecure)) ?? "",
    host: c.req.header("host") ?? "",
  };
}

const userHeader = (c: CallContext): string | undefined =>
  c.req.header("new-api-user") ?? c.req.header("turnpike-user");

function originInfo(c: CallContext, context: ConsoleContext, credentials: Credentials) {
  return {
    isByToken: isByTokenAlone(credentials),
    host: c.req.header("host"),
    origin: c.req.header("origin"),
    fetchSite: c.req.header("sec-fetch-site"),
    userHeader: userHeader(c),
    serverAddress: context.snapshot.options.ServerAddress,
  };
}

const credentialsOf = (c: CallContext, request: RequestFacts): Credentials => ({
  cookie: request.sessionCookie,
  isUnprefixed: request.isUnprefixedCookie,
  authorization: c.req.header("authorization"),
  userHeader: userHeader(c),
});

/**
 * The caller's identity. A public endpoint needs it only to charge the right rate-limit budget: it answers while the database is away too,
 * and counts every caller by address then.
 */
async function identityFor(
  context: ConsoleContext,
  endpoint: Endpoint,
  credentials: Credentials,
): Promise<Identity | undefined> {
  if (endpoint.access === "signed") return undefined;
  if (endpoint.access !== "public") return identify(context, credentials);
  if (!context.site.globalApiLimit.isEnabled) return undefined;
  return identify(context, credentials).catch((error: unknown) => {
    context.logger.warn({ err: error }, "a public call is counted by its address: its session could not be looked up");
    return undefined;
  });
}

/** Authentication, demo rule, role, scope and what has to be done first, in the order that gives a demo site's guest 405 and not 401. */
function admit(
  context: ConsoleContext,
  endpoint: Endpoint,
  identity: Identity | undefined,
  credentials: Credentials,
): Session | undefined {
  if (endpoint.access === "public" || endpoint.access === "signed") {
    checkDemo(context, endpoint, undefined);
    return undefined;
  }
  if (endpoint.access === "optional") {
    // A user with a required action counts as anonymous here: public data, and nothing of the account.
    const guestOrUser = isOpenBefore(endpoint, identity?.requiredAction) ? authenticateIfPossible(identity) : undefined;
    checkDemo(context, endpoint, guestOrUser);
    return guestOrUser;
  }
  const session = authenticateOrDemo(context, endpoint, identity, credentials);
  checkDemo(context, endpoint, session);
  checkRole(endpoint, session);
  checkAct(endpoint, session);
  checkAccessToken(endpoint, session);
  checkRequiredAction(endpoint, session);
  return session;
}

function authenticateOrDemo(
  context: ConsoleContext,
  endpoint: Endpoint,
  identity: Identity | undefined,
  credentials: Credentials,
): Session {
  try {
    return authenticate(identity, credentials);
  } catch (error) {
    checkDemo(context, endpoint, undefined);
    throw error;
  }
}

/** The allow list: what the endpoint's schemas do not name never leaves. A shape that does not fit is our fault (500). */
function encode({ endpoint, alias }: Route, { ignored, dataForm, ...answer }: ToldAnswer) {
  const parsed = endpoint.data?.parse(answer.data);
  const data = (alias?.data ?? dataForm)?.(parsed) ?? parsed;
  const extra = {
    ...(endpoint.extra?.parse(answer.extra) as object | undefined),
    ...(ignored.length === 0 ? {} : { ignored }),
  };
  return {
    ...(data === undefined ? {} : { data }),
    extra,
    ...(answer.message === undefined ? {} : { message: answer.message }),
    ...(endpoint.hasMessage === false && { hasMessage: false as const }),
    ...(answer.headers === undefined ? {} : { headers: answer.headers }),
    ...(answer.success === undefined ? {} : { success: answer.success }),
  };
}
