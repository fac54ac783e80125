/** One short loop over the contract: every endpoint gets both slash forms, its guards, validation, its handler and the envelope. */
import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import type { z } from "zod";
import { API, FEATURE_NAMES } from "../../../contract/src/api.ts";
import type { Endpoint } from "../../../contract/src/endpoint.ts";
import { AppError } from "../../../contract/src/errors.ts";
import { authenticate, authenticateIfPossible, SESSION_COOKIE } from "./authenticate.ts";
import { readJsonBody } from "./body.ts";
import { createAddressReader, plainAddress } from "../observe/client-address.ts";
import type { AddressReader } from "../observe/client-address.ts";
import { failWithAny, succeed } from "./envelope.ts";
import { succeedStreaming } from "./stream-answer.ts";
import { checkDemo, checkOrigin, checkRateLimits, checkRole, checkStepUp } from "./guards.ts";
import type {
  AnyAnswer,
  AnyHandler,
  ConsoleContext,
  FeatureHandlers,
  HandlerInput,
  RequestFacts,
  Session,
} from "./handlers.ts";

/** What @hono/node-server puts into a request's environment. */
export interface NodeBindings {
  incoming: { socket: { remoteAddress?: string | undefined; encrypted?: boolean } };
}

export type ConsoleApp = Hono<{ Bindings: NodeBindings }>;
type CallContext = Context<{ Bindings: NodeBindings }>;

interface Route {
  endpoint: Endpoint;
  handler: AnyHandler;
}

/** Paths without parameters come before those with one, so that /self is not taken for an id. */
function routesOf(features: readonly FeatureHandlers[]): Route[] {
  const byName = new Map(features.map(({ feature, handlers }) => [feature, handlers]));
  const routes = FEATURE_NAMES.flatMap((feature) =>
    Object.entries(API[feature]).map(([name, endpoint]) => {
      const handler = byName.get(feature)?.[name];
      if (handler === undefined) throw new Error(`The endpoint ${feature}.${name} has no handler`);
      return { endpoint, handler };
    }),
  );
  return routes.toSorted((a, b) => parameterCount(a) - parameterCount(b));
}

const parameterCount = ({ endpoint }: Route): number => endpoint.path.split("{").length;

/** Puts every endpoint of the contract on the app. Throws where a feature is missing. */
export function mountConsole(app: ConsoleApp, context: ConsoleContext, features: readonly FeatureHandlers[]): void {
  const addresses = createAddressReader(context.site.trustedProxies);
  for (const { endpoint, handler } of routesOf(features)) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(endpoint.method, [path, `${path}/`], async (c) => {
      try {
        return send(c, context, endpoint, await call(c, context, addresses, endpoint, handler));
      } catch (error) {
        return failWithAny(c, error, context.logger);
      }
    });
  }
}

async function call(
  c: CallContext,
  context: ConsoleContext,
  addresses: AddressReader,
  endpoint: Endpoint,
  handler: AnyHandler,
): Promise<AnyAnswer> {
  const request = requestFacts(c, addresses);
  checkOrigin(endpoint, originFacts(c, context));
  await checkRateLimits(context, endpoint, request.ip);
  const session = await admit(c, context, endpoint, request);
  const requireStepUp = () => checkStepUp(context, session);
  if (endpoint.stepUp === true) requireStepUp();
  const parsed = { ...parseAddress(c, endpoint), body: await parseBody(c, endpoint) };
  const input = { context, session, request, requireStepUp, ...parsed };
  // The schemas above made params, query and body what this endpoint's own handler type says.
  return handler(input as HandlerInput);
}

function send(c: CallContext, context: ConsoleContext, endpoint: Endpoint, answer: AnyAnswer): Response {
  if (endpoint.answerKind !== "stream" || answer.stream === undefined) return succeed(c, encode(endpoint, answer));
  const onError = (error: unknown) =>
    context.logger.error({ err: error, method: c.req.method, path: c.req.path }, "a streamed answer broke off");
  const headers = { ...answer.headers, "Content-Type": endpoint.mediaType ?? "text/plain; charset=utf-8" };
  return succeedStreaming(c, answer.stream, headers, onError);
}

function requestFacts(c: CallContext, addresses: AddressReader): RequestFacts {
  const { socket } = c.env.incoming;
  const peer = socket.remoteAddress ?? "";
  const isForwardedSecure = addresses.isTrusted(peer) && c.req.header("x-forwarded-proto") === "https";
  return {
    ip: addresses.client(peer, c.req.header("x-forwarded-for")),
    userAgent: c.req.header("user-agent") ?? "",
    requestId: c.res.headers.get("x-oneapi-request-id") ?? "",
    isSecure: socket.encrypted === true || isForwardedSecure,
    isLocal: isLocalCall(peer, c),
    sessionCookie: getCookie(c, SESSION_COOKIE) ?? "",
  };
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** A foreign Host on a local connection is a proxy, or a page that rebound its name to this machine. */
function isLocalCall(peer: string, c: CallContext): boolean {
  const isForwarded = ["x-forwarded-for", "forwarded", "x-real-ip"].some((name) => c.req.header(name) !== undefined);
  return LOOPBACK.test(plainAddress(peer)) && !isForwarded && LOCAL_HOST.test(c.req.header("host") ?? "");
}

const userHeader = (c: CallContext): string | undefined =>
  c.req.header("new-api-user") ?? c.req.header("turnpike-user");

function originFacts(c: CallContext, context: ConsoleContext) {
  return {
    host: c.req.header("host"),
    origin: c.req.header("origin"),
    fetchSite: c.req.header("sec-fetch-site"),
    userHeader: userHeader(c),
    serverAddress: context.snapshot.options.ServerAddress,
  };
}

/** Authentication, demo rule and role, in the order that gives a demo site's guest 405 and not 401. */
async function admit(
  c: CallContext,
  context: ConsoleContext,
  endpoint: Endpoint,
  request: RequestFacts,
): Promise<Session | undefined> {
  if (endpoint.access === "public" || endpoint.access === "signed") {
    checkDemo(context, endpoint, undefined);
    return undefined;
  }
  const credentials = {
    cookie: request.sessionCookie,
    authorization: c.req.header("authorization"),
    userHeader: userHeader(c),
  };
  if (endpoint.access === "optional") {
    const guestOrUser = await authenticateIfPossible(context, credentials);
    checkDemo(context, endpoint, guestOrUser);
    return guestOrUser;
  }
  const session = await authenticate(context, credentials).catch((error: unknown) => {
    checkDemo(context, endpoint, undefined);
    throw error;
  });
  checkDemo(context, endpoint, session);
  checkRole(endpoint, session);
  return session;
}

function parseAddress(c: CallContext, endpoint: Endpoint) {
  return { params: parseWith(endpoint.params, c.req.param()), query: parseWith(endpoint.query, c.req.query()) };
}

async function parseBody(c: CallContext, endpoint: Endpoint): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  return parseWith(endpoint.body, await readJsonBody(c.req.raw));
}

/** Path of the first text with a zero character: PostgreSQL stores none, and SQLite's patterns end there. */
function zeroCharacterIn(value: unknown, path = ""): string | undefined {
  if (typeof value === "string") return value.includes("\0") ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = zeroCharacterIn(inner, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Throws AppError invalid_field, naming the field, where the schema refuses or a text has a character that no database takes. */
function parseWith(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const zero = zeroCharacterIn(value);
  if (zero !== undefined)
    throw new AppError("invalid_field", { message: "Please take out the zero character", field: zero });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new AppError("invalid_field", { message: issue?.message ?? "", ...(field === "" ? {} : { field }) });
}

/** The allow list: what the endpoint's schemas do not name never leaves. A shape that does not fit is our fault (500). */
function encode(endpoint: Endpoint, answer: AnyAnswer) {
  const data = endpoint.data?.parse(answer.data);
  const extra = endpoint.extra?.parse(answer.extra) as object | undefined;
  return {
    ...(data === undefined ? {} : { data }),
    ...(extra === undefined ? {} : { extra }),
    ...(answer.message === undefined ? {} : { message: answer.message }),
    ...(answer.headers === undefined ? {} : { headers: answer.headers }),
    ...(answer.success === undefined ? {} : { success: answer.success }),
  };
}
