/** The console's HTTP application: headers, endpoints, documents, health, and the pages of the built web. */
import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { Context } from "hono";
import { compress } from "hono/compress";
import { createAddressReader } from "../observe/client-address.ts";
import { failWithAny, RateLimited, unknownPath } from "./envelope.ts";
import type { ConsoleContext, FeatureHandlers } from "./handlers.ts";
import { mountHealth } from "./health.ts";
import type { HealthFacts } from "./health.ts";
import { mountConsole } from "./mount.ts";
import type { ConsoleApp, NodeBindings } from "./mount.ts";
import { buildOpenApi } from "./openapi.ts";
import { referencePage } from "./reference-page.ts";
import { API_POLICY, COMMON_HEADERS, pagePolicy } from "./security-headers.ts";
import type { Site } from "./site-files.ts";

export interface ConsoleParts {
  context: ConsoleContext;
  features: readonly FeatureHandlers[];
  health: HealthFacts;
  /** The built web; undefined runs the API alone. */
  site: Site | undefined;
  newRequestId(): string;
  /** Limit of page requests for each client address. */
  pageLimit: { isEnabled: boolean; count: number; durationSeconds: number };
}

type PageContext = Context<{ Bindings: NodeBindings }>;

/** Paths that never give a page. */
const NOT_A_PAGE = /^\/(api|v1|v1beta|assets|pg|mj|suno|dashboard)(\/|$)/;

export function createConsoleApp(parts: ConsoleParts): ConsoleApp {
  const { context } = parts;
  const app: ConsoleApp = new Hono<{ Bindings: NodeBindings }>({ strict: true });
  app.use(async (c, next) => {
    c.header("X-Oneapi-Request-Id", parts.newRequestId());
    c.header("Content-Security-Policy", API_POLICY);
    for (const [name, value] of Object.entries(COMMON_HEADERS)) c.header(name, value);
    await next();
  });
  app.use("/api/*", compress());
  mountConsole(app, context, parts.features);
  mountDocuments(app, context);
  mountHealth(app, parts.health);
  mountSite(app, parts);
  app.onError((error, c) => failWithAny(c, error, context.logger));
  return app;
}

function html(c: PageContext, context: ConsoleContext, nonce: string, body: string): Response {
  c.header("Content-Security-Policy", pagePolicy(nonce, context.snapshot.options));
  c.header("Cache-Control", "no-cache");
  return c.html(body);
}

const newNonce = (): string => randomBytes(16).toString("base64url");

function mountDocuments(app: ConsoleApp, context: ConsoleContext): void {
  let document: string | undefined;
  app.on("GET", ["/api/openapi.json"], (c) => {
    document ??= JSON.stringify(buildOpenApi());
    return c.body(document, 200, { "Content-Type": "application/json", "Cache-Control": "no-cache" });
  });
  app.on("GET", ["/api/docs", "/api/docs/"], (c) => {
    const nonce = newNonce();
    return html(c, context, nonce, referencePage(nonce));
  });
}

/** Everything no endpoint took: a file of the build, the page, or a 404. */
function mountSite(app: ConsoleApp, { context, site, pageLimit }: ConsoleParts): void {
  const addresses = createAddressReader(context.site.trustedProxies);
  app.notFound(async (c) => {
    if (site === undefined || !["GET", "HEAD"].includes(c.req.method)) return unknownPath(c);
    const file = await site.file(c.req.path, c.req.header("accept-encoding") ?? "");
    if (file !== undefined && c.req.path !== "/index.html") return c.body(file.body, 200, file.headers);
    if (NOT_A_PAGE.test(c.req.path)) return unknownPath(c);
    const page = c as PageContext; // Hono's not-found handler does not carry the app's bindings in its type.
    const ip = addresses.client(page.env.incoming.socket.remoteAddress ?? "", c.req.header("x-forwarded-for"));
    const decision = pageLimit.isEnabled
      ? await context.limiter.take(`GW:${ip}`, pageLimit.count, pageLimit.durationSeconds)
      : { isAllowed: true, retryAfterSeconds: 0 };
    if (!decision.isAllowed) throw new RateLimited(decision.retryAfterSeconds);
    const nonce = newNonce();
    return html(page, context, nonce, site.page(nonce));
  });
}
