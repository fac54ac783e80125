/** The console's HTTP application: headers, endpoints, documents, health, and the pages of the built web. */
import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { Context } from "hono";
import { compress } from "hono/compress";
import { LEAVE_PAGE } from "../../../contract/src/payments/leave-page.ts";
import { failWithAny, redirectTo, unknownPath } from "./http/envelope.ts";
import type { ConsoleContext, FeatureHandlers } from "./http/handlers.ts";
import { mountHealth } from "./http/health.ts";
import type { HealthInfo } from "./http/health.ts";
import { mountConsole } from "./http/mount.ts";
import type { ConsoleApp, NodeBindings } from "./http/mount.ts";
import { CONFIGURATION_SCHEMA_PATH, configurationSchema } from "./openapi/configuration-schema.ts";
import { buildOpenApi } from "./openapi/openapi.ts";
import { referencePage } from "./openapi/reference-page.ts";
import { createAddressReader } from "../observe/client-address.ts";
import { API_POLICY, COMMON_HEADERS, HTTPS_ONLY, PAYMENT_FORM_POLICY, pagePolicy } from "./http/security-headers.ts";
import { mountSitePictures } from "./options/site-pictures.ts";
import { isUnchanged } from "./http/site-files.ts";
import type { Site, SiteFile } from "./http/site-files.ts";

export interface ConsoleParts {
  context: ConsoleContext;
  features: readonly FeatureHandlers[];
  health: HealthInfo;
  /** The built web; undefined runs the API alone. */
  site: Site | undefined;
  newRequestId(): string;
}

type PageContext = Context<{ Bindings: NodeBindings }>;

/** Pages by the addresses that other consoles of this API family have for them. */
const OTHER_CONSOLES = /^\/console(?:\/(\w+))?\/?$/;
const PAGES: ReadonlySet<string> = new Set(
  "token log personal topup channel user setting redemption midjourney task detail playground".split(" "),
);

/** Our page for an address of another console, with its query; undefined for other addresses. */
function pageElsewhere(path: string, search: string): string | undefined {
  const found = OTHER_CONSOLES.exec(path);
  if (found === null) return undefined;
  const [, name = "detail"] = found;
  return PAGES.has(name) ? `/${name}${search}` : undefined;
}

const SHARED = /^\/(?:api\/)?share(?:\/|$)/;
/** Paths that never give a page. */
const NOT_A_PAGE = /^\/(api|v1|v1beta|assets|pg|mj|suno|dashboard)(\/|$)/;

export function createConsoleApp(parts: ConsoleParts): ConsoleApp {
  const { context } = parts;
  const addresses = createAddressReader(context.site.trustedProxies);
  const app: ConsoleApp = new Hono<{ Bindings: NodeBindings }>({ strict: true });
  app.use(async (c, next) => {
    c.header("X-Oneapi-Request-Id", parts.newRequestId());
    c.header("Content-Security-Policy", API_POLICY);
    for (const [name, value] of Object.entries(COMMON_HEADERS)) c.header(name, value);
    // A link is for those who were given it: search engines list neither the page nor what it reads.
    if (SHARED.test(c.req.path)) c.header("X-Robots-Tag", "noindex, nofollow");
    const peer = c.env.incoming.socket.remoteAddress ?? "";
    if (addresses.isTrusted(peer) && c.req.header("x-forwarded-proto") === "https")
      c.header("Strict-Transport-Security", HTTPS_ONLY);
    await next();
  });
  app.use("/api/*", compress());
  mountConsole(app, context, parts.features);
  mountDocuments(app, context);
  mountSitePictures(app, context);
  mountHealth(app, parts.health);
  mountSite(app, parts);
  app.onError((error, c) => failWithAny(c, error, context.logger));
  return app;
}

/**
 * A page has no ETag: each answer has a nonce of its own, in its text and in its policy. After a 304 the browser would show the stored text
 * under the policy of the new answer, which refuses the styles of the old nonce; a nonce kept for both could be used again by an attacker.
 */
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
  app.on("GET", [CONFIGURATION_SCHEMA_PATH], (c) =>
    c.json(configurationSchema(), 200, { "Cache-Control": "no-cache" }),
  );
  app.on("GET", ["/api/docs", "/api/docs/"], (c) => {
    const nonce = newNonce();
    return html(c, context, nonce, referencePage(nonce));
  });
}

/** The file, or 304 where the client has this very one. */
const sendFile = (c: Context, { body, headers }: SiteFile): Response =>
  isUnchanged(c.req.header("if-none-match"), headers.ETag) ? c.body(null, 304, headers) : c.body(body, 200, headers);

/** Everything no endpoint took: a file of the build, the page, or a 404. */
function mountSite(app: ConsoleApp, { context, site }: ConsoleParts): void {
  app.notFound(async (c) => {
    if (site === undefined || !["GET", "HEAD"].includes(c.req.method)) return unknownPath(c);
    const file = await site.file(c.req.path, c.req.header("accept-encoding") ?? "");
    if (file !== undefined && c.req.path !== "/index.html") {
      if (c.req.path === LEAVE_PAGE) c.header("Content-Security-Policy", PAYMENT_FORM_POLICY);
      return sendFile(c, file);
    }
    if (NOT_A_PAGE.test(c.req.path)) return unknownPath(c);
    const elsewhere = pageElsewhere(c.req.path, URL.parse(c.req.url)?.search ?? "");
    if (elsewhere !== undefined) return redirectTo(c, elsewhere);
    const page = c as PageContext; // Hono's not-found handler does not carry the app's bindings in its type.
    const nonce = newNonce();
    return html(page, context, nonce, site.page(nonce));
  });
}
