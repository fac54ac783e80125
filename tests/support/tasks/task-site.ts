/** A whole server in this process with a channel of tasks and users with tokens, and a poller with a clock of the test's own. */
import { startApp, type RunningApp } from "../../../server/src/app.ts";
import { auditDatabase } from "../../../server/src/billing/audit.ts";
import type { Engine } from "../../../server/src/db/database.ts";
import { createLogger } from "../../../server/src/observe/logger.ts";
import { type ProviderRegistry, providerRegistry } from "../../../server/src/providers/registry.ts";
import { askOfTask } from "../../../server/src/relay/tasks/ask.ts";
import type { PushRequest } from "../../../server/src/notify/ways/way.ts";
import type { TaskContext } from "../../../server/src/tasks/context.ts";
import type { StoredTask } from "../../../server/src/tasks/kinds/kind.ts";
import { notificationQueue } from "../../../server/src/tasks/events.ts";
import { taskPoller } from "../../../server/src/tasks/poller.ts";
import { createUpstreamClient } from "../../../server/src/upstream/client.ts";
import { addPerson } from "../../../tools/seed/people.ts";
import { memoryTokens } from "../relay/memory-stores.ts";
import { createTestPlace } from "../databases/databases.ts";
import { ROOT_PASSWORD, TestClient, setupForm } from "../systems/server.ts";
import { PERSON_PASSWORD, dataOf, loggedIn } from "../systems/site.ts";

export interface TaskPerson {
  userId: number;
  tokenId: number;
  /** Headers of their calls. */
  headers: Record<string, string>;
  client: TestClient;
}

export interface TaskChannel {
  type: number;
  url: string;
  key: string;
  models: readonly string[];
  /** The channel's further field, such as a region. */
  other?: string;
  /** An override of its requests, as JSON text. */
  override?: string;
}

export interface TaskSite {
  app: RunningApp;
  root: TestClient;
  channelIds: readonly number[];
  option(key: string, value: string): Promise<unknown>;
  person(wish?: PersonWish): Promise<TaskPerson>;
  post(path: string, person: TaskPerson, body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, person?: TaskPerson): Promise<Response>;
  /** Polls once with the clock so many seconds ahead; each time later than the one before where absent. */
  poll(secondsAhead?: number): Promise<number>;
  /** What owners' webhooks received. */
  notified: PushRequest[];
  warnings: string[];
  tasks(): Promise<StoredTask[]>;
  /** Quota of the user and of a limited token. */
  left(person: TaskPerson): Promise<{ quota: number; token: number; used: number }>;
  /** Throws where the books are wrong. */
  audited(): Promise<number>;
  close(): Promise<void>;
}

/** Seconds between two questions for a task that is some minutes old. */
const LONGEST_PAUSE = 60;
const PERSON_QUOTA = 10_000_000;

/** A poller like the app's own, on the same database. */
export function ownPoller(site: Pick<TaskSite, "notified" | "warnings">, app: RunningApp, providers: ProviderRegistry) {
  let aheadSeconds = 0;
  const upstream = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 2_000 });
  const { database, billing, snapshot, secrets } = app.foundation;
  const context: TaskContext = {
    database,
    billing,
    snapshot,
    secrets,
    logger: {
      warn: (_fields, text) => void site.warnings.push(text),
      error: (_fields, text) => void site.warnings.push(text),
    },
    clock: () => Date.now() + aheadSeconds * 1000,
    post: (request) => {
      site.notified.push(request);
      return Promise.resolve({ status: 200, text: "" });
    },
    notifications: notificationQueue(),
  };
  const poller = taskPoller(context, (channel, question) =>
    askOfTask({ providers, upstream, accessTokens: memoryTokens() }, channel, question),
  );
  return {
    context,
    poll(seconds: number) {
      aheadSeconds = seconds;
      return poller.round();
    },
    close: () => upstream.close(),
  };
}

interface PersonWish {
  quota?: number;
  tokenQuota?: number;
  /** Models that the token may use, joined by commas; all where absent. */
  limits?: string;
  /** Addresses that the token may be used from; all where absent. */
  allowIps?: string;
}

/** A user with a token, whose quota is unlimited if none is given. */
async function addTaskPerson(
  app: RunningApp,
  number: number,
  { quota = PERSON_QUOTA, tokenQuota, limits = "", allowIps = "" }: PersonWish,
): Promise<TaskPerson> {
  const username = `person${number}`;
  const seed = { username, displayName: username, role: 1 as const, group: "default", quota, tokens: [] };
  const userId = await addPerson(app.foundation, seed, PERSON_PASSWORD, 1_700_000_000);
  await app.foundation.snapshot.refresh();
  const client = await loggedIn(app.url, username);
  const token = await dataOf<{ id: number; key: string }>(
    client.post("/api/token", {
      name: "main",
      unlimited_quota: tokenQuota === undefined,
      remain_quota: tokenQuota ?? 0,
      expired_time: -1,
      model_limits_enabled: limits !== "",
      model_limits: limits,
      allow_ips: allowIps,
    }),
  );
  return { userId, tokenId: token.id, client, headers: { authorization: `Bearer sk-${token.key}` } };
}

export async function startTaskSite(channels: readonly TaskChannel[], engine: Engine = "sqlite"): Promise<TaskSite> {
  const env = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", SHUTDOWN_GRACE_SECONDS: "2", ALLOW_PRIVATE_UPSTREAMS: "1" };
  const place = await createTestPlace(engine, { env });
  const app = await startApp(place.config, {
    logger: createLogger({ level: "silent" }),
    webDirectory: `${place.config.dataDir}/no-web`,
    pollMs: 50,
  });
  const root = new TestClient(app.url);
  await dataOf(root.post("/api/setup", await setupForm(app)));
  await dataOf(root.login("root", ROOT_PASSWORD));
  const channelIds: number[] = [];
  for (const { type, url, key, models, other = "", override = "" } of channels) {
    const form = {
      type,
      name: `c${type}`,
      key,
      base_url: url,
      models: models.join(","),
      groups: ["default"],
      auto_ban: 0,
      other,
      param_override: override,
    };
    channelIds.push(...(await dataOf<number[]>(root.post("/api/channel", form))));
  }
  const [notified, warnings]: [PushRequest[], string[]] = [[], []];
  const poller = ownPoller({ notified, warnings }, app, providerRegistry());
  let people = 0;
  let aheadSeconds = 0;
  const { database } = app.foundation;
  return {
    app,
    root,
    channelIds,
    notified,
    warnings,
    option: (key, value) => dataOf(root.put("/api/option", { key, value })),
    person: (wish = {}) => addTaskPerson(app, (people += 1), wish),
    post: (path, { headers }, body, more = {}) =>
      fetch(app.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers, ...more },
        body: JSON.stringify(body),
      }),
    get: (path, person) => fetch(app.url + path, { headers: person?.headers ?? {}, redirect: "manual" }),
    poll: (secondsAhead) => poller.poll(secondsAhead ?? (aheadSeconds += LONGEST_PAUSE)),
    tasks: () => database.kysely.selectFrom("tasks").selectAll().orderBy("id").execute(),
    async left({ userId, tokenId }) {
      const [user, token] = await Promise.all([
        database.kysely.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow(),
        database.kysely.selectFrom("tokens").selectAll().where("id", "=", tokenId).executeTakeFirstOrThrow(),
      ]);
      return { quota: user.quota, token: token.remain_quota, used: token.used_quota };
    },
    async audited() {
      const { faults, ledgerRows } = await auditDatabase(database);
      if (faults.length > 0) throw new Error(JSON.stringify(faults));
      return ledgerRows;
    },
    async close() {
      await poller.close();
      await app.close();
      await place.remove();
    },
  };
}
