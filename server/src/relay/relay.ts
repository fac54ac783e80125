/** The line of one call, mounted on node:http before everything else; each step is a file of its name. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ByteBudget } from "../upstream/budget.ts";
import { accept } from "./accept.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { createClientAddress } from "./client-address.ts";
import { type RelayContext, type RelayDeps, Exchange, known } from "./exchange.ts";
import { tryChannels } from "./failover.ts";
import { begin, conclude, refuse, startWaiting } from "./frame.ts";
import { answerListing } from "./listings.ts";
import { type RelayPath, findPath, isRelayPath } from "./paths.ts";
import { Refusal } from "./refusal.ts";
import { writePreflight, writeRefusal } from "./respond.ts";
import { settle } from "./settle.ts";

export interface Relay {
  /** True for requests that are the relay's; asked before anything else on the listener. */
  handles(url: string, method: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** Accept, authenticate, admit, then route, translate, send and reply for each channel tried, settle, record. */
async function run(exchange: Exchange): Promise<void> {
  const end = begin(exchange);
  try {
    const accepted = accept(exchange);
    // The head is enough to turn strangers away: their bodies are not waited for.
    accepted.catch(() => undefined);
    authenticate(exchange);
    await accepted;
    await admit(exchange);
    startWaiting(exchange);
    await tryChannels(exchange);
    const usage = await settle(exchange);
    known(exchange.answer, "answer").complete(usage);
    conclude(exchange);
  } catch (error) {
    await refuse(exchange, error);
  } finally {
    end();
  }
}

const MISDIRECTED = {
  unimplemented: "api_not_implemented",
  unknown: "invalid_url",
  wrong_method: "method_not_allowed",
} as const;

function pathFor(context: RelayContext, method: string, url: string): RelayPath | Refusal {
  if (url.length > context.limits.urlBytes) return new Refusal("url_too_long");
  const path = findPath(method, url);
  if (path === "wrong_method") return new Refusal(MISDIRECTED.wrong_method);
  if (path.kind === "unknown")
    return new Refusal("invalid_url", { message: `Invalid URL (${method} ${url.split("?")[0]})` });
  return path.kind === "unimplemented" ? new Refusal(MISDIRECTED.unimplemented) : path;
}

/** Builds the relay from its parts. */
export function createRelay(deps: RelayDeps): Relay {
  const context: RelayContext = {
    ...deps,
    budget: new ByteBudget(deps.limits.sseBudgetBytes),
    clientAddress: createClientAddress(deps.trustedProxies),
  };
  return {
    handles: (url) => isRelayPath(url),
    handle(request, response) {
      const [method, url] = [request.method ?? "GET", request.url ?? "/"];
      if (method === "OPTIONS") return writePreflight(response);
      const path = pathFor(context, method, url);
      if (path instanceof Refusal) return writeRefusal(response, context.newRequestId(), path, method === "GET");
      if (path.kind === "call") return void run(new Exchange(context, request, response, path.operation, url));
      return void answerListing(context, request, response, path);
    },
  };
}
