/** A console over real HTTP on a fresh database, with logged-in users; upstreams are behind the interface that the relay implements (RelayTools). */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { nameColumns, NEW_USER } from "../../../server/src/db/new-user.ts";
import { getRequestListener } from "@hono/node-server";
import { ROLE } from "../../../contract/src/roles.ts";
import { SESSION_COOKIE } from "../../../server/src/console/http/authenticate.ts";
import { createConsoleApp } from "../../../server/src/console/console-app.ts";
import { CONSOLE_FEATURES } from "../../../server/src/console/features.ts";
import type { ConsoleContext } from "../../../server/src/console/http/handlers.ts";
import { createRateLimiter } from "../../../server/src/console/http/rate-limit.ts";
import type { RelayTools } from "../../../server/src/console/relay-tools.ts";
import { createSession } from "../../../server/src/console/session-store.ts";
import type { Engine } from "../../../server/src/db/database.ts";
import { insertReturningId } from "../../../server/src/db/portable.ts";
import { bumpVersion } from "../../../server/src/db/versions.ts";
import { deliver } from "../../../server/src/notify/deliver.ts";
import { createMailer } from "../../../server/src/notify/mail.ts";
import type { PostToPublic } from "../../../server/src/notify/ways/way.ts";
import { openFoundation } from "../../../server/src/composition/foundation.ts";
import type { Config } from "../../../server/src/config.ts";
import { systemTools } from "../../../server/src/composition/system-tools.ts";
import type { Foundation } from "../../../server/src/composition/foundation.ts";
import { createLogger } from "../../../server/src/observe/logger.ts";
import { Metrics } from "../../../server/src/observe/metrics.ts";
import { BUILT_IN_PROVIDERS } from "../../../server/src/providers/registry.ts";
import { openSecurityLog, type SecurityLog } from "../../../server/src/stores/security-events.ts";
import { newRequestId } from "../../../server/src/http/request-id.ts";
import { createTestPlace } from "../databases/databases.ts";

/** An answer of the console: envelope, status and headers. `text` is the body as it came. */
export interface ConsoleAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: { success: boolean; message: string; data: unknown; code?: string; field?: string } & Record<string, unknown>;
}

export interface Caller {
  userId: number;
  username: string;
  /** Value of the session cookie. */
  cookie: string;
  call(method: string, path: string, body?: unknown, more?: Readonly<Record<string, string>>): Promise<ConsoleAnswer>;
  /** The `data` of a call that must succeed. */
  data<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface TestConsole {
  url: string;
  foundation: Foundation;
  /** Opens what another process of the same system knows; the test closes it. */
  second(): Promise<Foundation>;
  context: ConsoleContext;
  config: Config;
  securityLog: SecurityLog;
  /** Makes a user with this role, logged in; `quota` is their opening balance. */
  person(role?: number, options?: { quota?: number; group?: string; passwordHash?: string }): Promise<Caller>;
  /** Another session of a user. */
  session(caller: Pick<Caller, "userId" | "username">): Promise<Caller>;
  close(): Promise<void>;
}

async function addPerson(foundation: Foundation, role: number, group: string, passwordHash: string | null) {
  const { database } = foundation;
  const username = `u${randomUUID().slice(0, 8)}`;
  const userId = await database.kysely.transaction().execute(async (transaction) =>
    insertReturningId(database, transaction, "users", {
      ...NEW_USER,
      ...nameColumns(username),
      password_hash: passwordHash,
      role,
      group_name: group,
      aff_code: username,
      changed_version: await bumpVersion(transaction, "users"),
    }),
  );
  return { userId, username };
}

function callerOf(url: string, who: { userId: number; username: string }, cookie: string): Caller {
  const call: Caller["call"] = async (method, path, body, more = {}) => {
    const headers = { Cookie: `${SESSION_COOKIE}=${cookie}`, "New-Api-User": String(who.userId), ...more };
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const sent = body === undefined ? headers : { ...headers, "Content-Type": "application/json" };
    const response = await fetch(url + path, { method, headers: sent, ...json });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as ConsoleAnswer["body"],
    };
  };
  const data = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call(method, path, body);
    if (!answer.body.success) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body.data as T; // The endpoint's schema has encoded it; the test says which.
  };
  return { ...who, cookie, call, data };
}

const TEST_SITE: ConsoleContext["site"] = {
  version: "test",
  startTime: 0,
  cookiePrefixSince: 0,
  trustedProxies: [],
  setupCode: "test",
  databasePlace: "test",
  standIns: { "https://api.stripe.com": "http://127.0.0.1:9" },
  givesFirstToken: false,
  globalApiLimit: { isEnabled: false, count: 0, durationSeconds: 0 },
};

const SET_UP: Pick<ConsoleContext, "isSetupDone" | "forwarders"> = {
  isSetupDone: () => Promise.resolve(true),
  forwarders: { note: () => undefined },
};

const NO_UPSTREAM: RelayTools = {
  providers: BUILT_IN_PROVIDERS,
  testChannel: () => Promise.reject(new Error("this test has no upstream")),
  askBalance: () => Promise.reject(new Error("this test has no upstream")),
  explainRoute: () => {
    throw new Error("this test has no relay");
  },
  fetchUpstreamModels: () => Promise.reject(new Error("this test has no upstream")),
  pullModel: () => {
    throw new Error("this test has no upstream");
  },
  removeModel: () => Promise.reject(new Error("this test has no upstream")),
  checkAddress: () => Promise.resolve(),
  fetchGuarded: () => Promise.reject(new Error("this test reaches nobody")),
  trySearch: () => Promise.reject(new Error("this test searches nothing")),
};

/** Opens it. `relay` says what upstreams do; `clock` gives Unix milliseconds; `post` is what notices go out by. */
export async function openTestConsole(
  engine: Engine,
  relay: Partial<RelayTools> = {},
  clock: () => number = Date.now,
  post: PostToPublic = () => Promise.reject(new Error("this test has no way out")),
): Promise<TestConsole> {
  const place = await createTestPlace(engine);
  const logger = createLogger({ level: "silent" });
  const metrics = new Metrics();
  const onDeath = (error: Error) => {
    throw error;
  };
  const open = () => openFoundation({ config: place.config, logger, metrics, onPhase: () => undefined, onDeath });
  const foundation = await open();
  const { database, snapshot, billing, secrets, cache } = foundation;
  const options = () => snapshot.options;
  const securityLog = openSecurityLog({ database, logger, clock, processId: foundation.processId });
  const context: ConsoleContext = {
    database,
    snapshot,
    billing,
    secrets,
    cache,
    logger,
    clock,
    limiter: createRateLimiter(cache),
    recordSecurityEvent: securityLog.record,
    ...SET_UP,
    deliver: (delivery) =>
      deliver({ database, secrets, options, mailer: createMailer({ options }), post, clock }, delivery),
    relay: {
      ...NO_UPSTREAM,
      ...relay,
    },
    system: systemTools(place.config, database, () => undefined),
    site: { ...TEST_SITE },
  };
  const app = createConsoleApp({
    context,
    newRequestId,
    features: CONSOLE_FEATURES,
    site: undefined,
    health: { checks: {}, registry: metrics.registry, metricsToken: undefined },
  });
  const server = createServer(
    getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = async (who: { userId: number; username: string }) => {
    const row = { userId: who.userId, ip: "127.0.0.1", userAgent: "test", way: "password" };
    const cookie = await createSession(database.kysely, secrets, row, Math.floor(clock() / 1000));
    return callerOf(url, { userId: who.userId, username: who.username }, cookie);
  };
  const person: TestConsole["person"] = async (role = ROLE.user, options = {}) => {
    const who = await addPerson(foundation, role, options.group ?? "default", options.passwordHash ?? null);
    const { userId } = who;
    if (options.quota !== undefined) {
      const opening = { entryId: `opening:${userId}`, kind: "opening", detail: "{}" } as const;
      await billing.move({ ...opening, userId, quotaDelta: options.quota });
    }
    await snapshot.refresh();
    return session(who);
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await securityLog.close();
    await foundation.close();
    await place.remove();
  };
  return { url, foundation, config: place.config, second: open, context, securityLog, person, session, close };
}
