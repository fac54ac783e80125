/** Which requests are the relay's, and what becomes of each: a call goes down the line, a list or a refusal is answered at once. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { MissingFormats } from "../channels/missing-formats.ts";
import { ByteBudget } from "../upstream/budget.ts";
import { createClientAddress } from "./client-address.ts";
import { type RelayContext, type RelayDeps, Exchange } from "./exchange.ts";
import { answerListing, clientDialect } from "./listings.ts";
import { OpenCalls } from "./open-calls.ts";
import { type CallPath, type RelayPath, dialectAt, findPath, isRelayPath } from "./paths.ts";
import { isHandshake } from "./realtime-path.ts";
import { RealtimeSessions } from "./realtime-sessions.ts";
import { Refusal } from "./refusal.ts";
import { runCall } from "./relay.ts";
import { writePreflight, writeRefusal } from "./respond.ts";

export interface Relay {
  /** True for requests that are the relay's; asked before anything else on the listener. */
  handles(url: string, method: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** True for handshakes of WebSockets that the relay takes; others are requests like any. */
  upgrades(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the open WebSockets behind their answers, after `graceSeconds` at once; resolves when everything they used is booked. */
  endSessions(graceSeconds?: number): Promise<void>;
}

function pathFor(context: RelayContext, method: string, url: string): RelayPath | Refusal {
  if (url.length > context.limits.urlBytes) return new Refusal("url_too_long");
  const path = findPath(method, url);
  if (path.kind === "wrong_method") return new Refusal("method_not_allowed", { allowedMethods: path.allowed });
  if (path.kind === "unknown")
    return new Refusal("invalid_url", { message: `Invalid URL (${method} ${url.split("?")[0]})` });
  return path.kind === "unimplemented" ? new Refusal("api_not_implemented") : path;
}

/** The path of a WebSocket that is served here. */
function realtimeAt({ method, url }: IncomingMessage): CallPath | undefined {
  const path = findPath(method ?? "", url ?? "");
  return path.kind === "call" && path.operation === "realtime" ? path : undefined;
}

/** Answers a request that is the relay's. */
function handle(context: RelayContext, request: IncomingMessage, response: ServerResponse): void {
  const [asked, url] = [request.method ?? "GET", request.url ?? "/"];
  // The same answer, of which node sends the head alone (RFC 9110, 9.3.2).
  const method = asked === "HEAD" ? "GET" : asked;
  if (method === "OPTIONS") return writePreflight(response);
  const path = pathFor(context, method, url);
  if (path instanceof Refusal)
    return writeRefusal(
      response,
      context.newRequestId(),
      path,
      method === "GET",
      clientDialect(request, dialectAt(url)),
    );
  if (path.kind === "call" && path.operation === "realtime")
    return writeRefusal(response, context.newRequestId(), new Refusal("upgrade_required"), true);
  if (path.kind === "call") return void runCall(new Exchange(context, request, response, path, url));
  return void answerListing(context, request, response, path);
}

/** Builds the relay from its parts. */
export function createRelay(deps: RelayDeps): Relay {
  const context: RelayContext = {
    ...deps,
    budget: new ByteBudget(deps.limits.sseBudgetBytes),
    tokenCalls: new OpenCalls({ ...deps, kind: "token" }),
    channelCalls: new OpenCalls({ ...deps, kind: "channel" }),
    missingFormats: new MissingFormats(),
    clientAddress: createClientAddress(deps.trustedProxies),
  };
  const sessions = new RealtimeSessions();
  return {
    upgrades: (request) =>
      isHandshake(request) &&
      (request.url?.length ?? 0) <= context.limits.urlBytes &&
      realtimeAt(request) !== undefined,
    upgrade(request, socket, head) {
      const path = realtimeAt(request);
      if (path === undefined) socket.destroy();
      else sessions.run(context, request, path, socket, head);
    },
    endSessions: (graceSeconds = 0) => sessions.end(graceSeconds),
    handles: (url) => isRelayPath(url),
    handle: (request, response) => handle(context, request, response),
  };
}
