/** A relay on a real port for tests: snapshot and ledger in memory, everything else as in production. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "../../../contract/src/errors.ts";
import { appliedRatio, type RatioTables, usableGroupsFor } from "../../../contract/src/group-rules.ts";
import { type OptionValues, parseOptions } from "../../../contract/src/options/options.ts";
import { DEFAULT_RATIOS, type ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import { NO_COSTS, upstreamPrice } from "../../../contract/src/pricing/upstream-cost.ts";
import type { Cache } from "../../../server/src/cache/cache.ts";
import { createMemoryCache } from "../../../server/src/cache/memory.ts";
import { ChannelHealth } from "../../../server/src/channels/health.ts";
import { KeyChoice } from "../../../server/src/channels/key-choice.ts";
import { createSecrets } from "../../../server/src/db/secrets.ts";
import { sealedCompactions } from "../../../server/src/stores/stored-responses.ts";
import { Metrics } from "../../../server/src/observe/metrics.ts";
import { providerRegistry } from "../../../server/src/providers/registry.ts";
import type { Snapshot, SnapshotChannel, SnapshotToken, SnapshotUser } from "../../../server/src/snapshot/snapshot.ts";
import { ByteBudget } from "../../../server/src/upstream/budget.ts";
import { type UpstreamClient, createUpstreamClient } from "../../../server/src/upstream/client.ts";
import { MemoryBilling } from "./memory-billing.ts";
import { memoryBackground, memoryKeys, memoryResponses, memoryTokens } from "./memory-stores.ts";
import type {
  AccessTokens,
  BackgroundResponses,
  IdempotencyStore,
  StoredResponses,
} from "../../../server/src/relay/call/ports.ts";
import type { RelayDeps } from "../../../server/src/relay/call/context.ts";
import type { RouteExplanation } from "../../../contract/src/features/routing.ts";
import type { AskedCall } from "../../../server/src/relay/routing/explain.ts";
import { type Relay, createRelay } from "../../../server/src/relay/router.ts";

export const TEST_KEY = "a".repeat(48);
const perToken = (ratio: string, completionRatio = "1"): ModelPrice => ({
  kind: "per_token",
  ratio,
  ...DEFAULT_RATIOS,
  completionRatio,
});

export const newUser = (changes: Partial<SnapshotUser> = {}): SnapshotUser => ({
  id: 1,
  username: "alice",
  displayName: "Alice",
  role: 1,
  status: 1,
  groupName: "default",
  email: "",
  permissions: null,
  acceptsUnpricedModels: false,
  keepsClientAddresses: true,
  isDeleted: false,
  ...changes,
});

export const newToken = (changes: Partial<SnapshotToken> = {}): SnapshotToken => ({
  id: 1,
  userId: 1,
  name: "main",
  status: 1,
  expiredTime: -1,
  isUnlimited: true,
  modelLimits: undefined,
  isAddressAllowed: undefined,
  groupName: "",
  autoGroups: [],
  retriesAcrossGroups: false,
  isKeyUnknown: false,
  keyFirst: "aaaaaa",
  keyLast: "aaaa",
  ...changes,
});

export const newChannel = (changes: Partial<SnapshotChannel> = {}): SnapshotChannel => ({
  id: 1,
  type: 1,
  name: "first",
  key: "sk-upstream-secret-key",
  status: 1,
  baseUrl: "",
  other: "",
  models: new Set(["gpt-4o", "gpt-4o-mini"]),
  groupNames: ["default"],
  modelMapping: {},
  statusCodeMapping: {},
  paramOverride: {},
  setting: {},
  openaiOrganization: "",
  testModel: "",
  tag: "",
  priority: 0,
  weight: 0,
  maxInputTokens: 0,
  autoBan: true,
  costs: NO_COSTS,
  ...changes,
});

/** What a test may change while the relay runs. */
export interface World {
  options: OptionValues;
  users: SnapshotUser[];
  tokens: Map<string, SnapshotToken>;
  channels: SnapshotChannel[];
  prices: Map<string, ModelPrice>;
  /** What the price list says, where that is not what the site charges. */
  listPrices?: Map<string, ModelPrice>;
  groupRatios: Map<string, string>;
  priceVersion: number;
  priceSince: number;
}

/** The group ratios of a world as the rules of groups read them. */
export const ratioTables = ({ groupRatios, options }: Pick<World, "groupRatios" | "options">): RatioTables => ({
  GroupRatio: Object.fromEntries(groupRatios),
  GroupGroupRatio: options.GroupGroupRatio,
});

export const newWorld = (changes: Partial<World> = {}): World => ({
  options: parseOptions(new Map()),
  users: [newUser()],
  tokens: new Map([[TEST_KEY, newToken()]]),
  channels: [],
  prices: new Map([
    ["gpt-4o", perToken("1.25", "4")],
    ["gpt-4o-mini", perToken("0.075", "4")],
    ["text-embedding-3-small", perToken("0.01")],
    ["o3-mini", perToken("0.55", "4")],
  ]),
  groupRatios: new Map([
    ["default", "1"],
    ["vip", "0.5"],
  ]),
  priceVersion: 7,
  priceSince: 1_750_000_000,
  ...changes,
});

export const withOptions = (world: World, changes: Partial<OptionValues>): void => {
  world.options = { ...world.options, ...changes };
};

function tiersOf(world: World, group: string, model: string) {
  const offering = world.channels.filter(
    (each) => each.status === 1 && each.groupNames.includes(group) && each.models.has(model),
  );
  const priorities = [...new Set(offering.map(({ priority }) => priority))].toSorted((a, b) => b - a);
  return priorities.map((priority) => ({ priority, channels: offering.filter((each) => each.priority === priority) }));
}

/** A snapshot that reads the world as it is now. */
export function memorySnapshot(world: World): Snapshot {
  return {
    get options() {
      return world.options;
    },
    get priceVersion() {
      return world.priceVersion;
    },
    get priceSince() {
      return world.priceSince;
    },
    isHealthy: true,
    ageMs: 0,
    userById: (id) => world.users.find((each) => each.id === id),
    tokenByKey: (key) => world.tokens.get(key),
    tokenById: (id) => [...world.tokens.values()].find((each) => each.id === id),
    channelById: (id) => world.channels.find((each) => each.id === id),
    channels: () => world.channels,
    tiersFor: (group, model) => tiersOf(world, group, model),
    forEachOffer: () => {
      throw new Error("the relay asks about one model at a time");
    },
    modelsFor: (groups) =>
      [
        ...new Set(
          world.channels
            .filter((each) => each.groupNames.some((group) => groups.includes(group)))
            .flatMap((each) => [...each.models]),
        ),
      ].toSorted(),
    hasGroup: (group) => world.groupRatios.has(group),
    groupRatio: (userGroup, group) => appliedRatio(ratioTables(world), userGroup, group),
    usableGroups: (group) => usableGroupsFor({ ...world.options, UserUsableGroups: { default: "Default" } }, group),
    priceOf: (model) => world.prices.get(model),
    upstreamPriceOf: ({ costs }, model) => upstreamPrice(costs, model, (world.listPrices ?? world.prices).get(model)),
    listPriceOf: (model) => world.listPrices?.get(model),
    factsOf: () => ({}),
    refresh: async () => undefined,
    close: async () => undefined,
  };
}

const MIB = 1024 * 1024;
const TEST_LIMITS: RelayDeps["limits"] = {
  bodyBytes: 32 * MIB,
  jsonDepth: 64,
  headerBytes: 16_384,
  urlBytes: 8192,
  sseLineBytes: 32 * MIB,
  sseBudgetBytes: 256 * MIB,
};
const TEST_TIMEOUTS: RelayDeps["timeouts"] = {
  connectMs: 10_000,
  firstByteStreamMs: 300_000,
  firstByteMs: 600_000,
  idleMs: 300_000,
};

export interface TestRelay {
  url: string;
  world: World;
  /** What the relay sees of the world. */
  snapshot: Snapshot;
  billing: MemoryBilling;
  metrics: Metrics;
  health: ChannelHealth;
  disabled: { id: number; reason: string; keyId?: number }[];
  /** Of the memory for all calls together. */
  takenBytes(): number;
  /** Tests a channel, as the console does. */
  probe: Relay["probe"];
  upstream: UpstreamClient;
  /** Ends open answers as a server does whose grace is over. */
  stop(): void;
  /** The route of a call without a particular user. */
  explain(asked: Partial<AskedCall>): RouteExplanation;
  /** Posts JSON with the test key. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export interface TestRelayOptions extends Partial<
  Pick<
    RelayDeps,
    "sessionOf" | "siteId" | "tasks" | "tracer" | "logger" | "socketBounds" | "backgroundRetryMs" | "nowSeconds"
  >
> {
  world?: World;
  billing?: MemoryBilling;
  limits?: Partial<RelayDeps["limits"]>;
  timeouts?: Partial<RelayDeps["timeouts"]>;
  allowsPrivate?: boolean;
  trustedProxies?: readonly string[];
  health?: ChannelHealth;
  providers?: RelayDeps["providers"];
  bodyPauseMs?: number;
  cache?: Cache;
  processCount?: number;
  callCounter?: RelayDeps["callCounter"];
  keyCounter?: RelayDeps["keyCounter"];
  idempotency?: IdempotencyStore;
  accessTokens?: AccessTokens;
  storedResponses?: StoredResponses;
  backgroundResponses?: BackgroundResponses;
  /** 20 ms where absent, so that a refusal comes soon. */
  limitWaitMs?: number;
  /** Errors of the gateway are what the test is about. */
  isQuiet?: boolean;
}

/** No task is stored, and none can be. */
const NO_TASKS = new Proxy({} as RelayDeps["tasks"], {
  get: () => () => Promise.reject(new Error("this relay keeps no tasks")),
});

const NOBODYS_CALL: AskedCall = {
  model: "gpt-4o",
  operation: "chat",
  inputTokens: 10,
  isStream: true,
  user: undefined,
  token: undefined,
  groupName: "",
};

const UNCOUNTED: RelayDeps["callCounter"] = {
  succeeded: () => undefined,
  failed: () => undefined,
  retried: () => undefined,
};

/** Bounds that are the product's own where a test has none. */
const boundsOf = ({ bodyPauseMs, socketBounds, backgroundRetryMs }: TestRelayOptions): Partial<RelayDeps> => {
  const bounds = Object.entries({ bodyPauseMs, socketBounds, backgroundRetryMs });
  return Object.fromEntries(bounds.filter(([, bound]) => bound !== undefined));
};

/** What is kept in the database elsewhere. */
const storesOf = ({ accessTokens, idempotency, storedResponses, backgroundResponses }: TestRelayOptions) => ({
  backgroundResponses: backgroundResponses ?? memoryBackground(),
  accessTokens: accessTokens ?? memoryTokens(),
  idempotency: idempotency ?? memoryKeys(),
  storedResponses: storedResponses ?? memoryResponses(),
  compactions: sealedCompactions(createSecrets("k".repeat(31) + "!")),
});

/** Starts a relay; `world` may be changed while it runs. */
export async function startTestRelay(options: TestRelayOptions = {}): Promise<TestRelay> {
  const [world, billing] = [options.world ?? newWorld(), options.billing ?? new MemoryBilling()];
  const [metrics, health] = [new Metrics(), options.health ?? new ChannelHealth()];
  const disabled: TestRelay["disabled"] = [];
  const timeouts = { ...TEST_TIMEOUTS, ...options.timeouts };
  const upstream = createUpstreamClient({
    allowsPrivate: () => options.allowsPrivate ?? true,
    allowsPrivateForUsers: () => options.allowsPrivate ?? true,
    connectTimeoutMs: timeouts.connectMs,
  });
  let count = 0;
  const snapshot = memorySnapshot(world);
  const limits = { ...TEST_LIMITS, ...options.limits };
  const budget = new ByteBudget(limits.sseBudgetBytes);
  const relay = createRelay({
    budget,
    snapshot,
    billing,
    providers: options.providers ?? providerRegistry(),
    upstream,
    health,
    cache: options.cache ?? createMemoryCache(),
    ...storesOf(options),
    metrics,
    callCounter: options.callCounter ?? UNCOUNTED,
    keyChoice: new KeyChoice(),
    keyCounter: options.keyCounter ?? { used: () => undefined },
    tracer: options.tracer,
    logger: options.logger ?? {
      error: (fields, text) =>
        void (options.isQuiet === true || process.stderr.write(`${text} ${JSON.stringify(fields, describe)}\n`)),
      warn: () => undefined,
    },
    limits,
    timeouts,
    trustedProxies: options.trustedProxies ?? [],
    ...boundsOf(options),
    limitWaitMs: options.limitWaitMs ?? 20,
    newRequestId: () => `req-test-${(count += 1)}`,
    nowSeconds: options.nowSeconds ?? (() => Math.floor(Date.now() / 1000)),
    disableChannel: (id, reason, keyId) =>
      void disabled.push(keyId === undefined ? { id, reason } : { id, reason, keyId }),
    learnKey: () => undefined,
    siteId: options.siteId ?? "testsite",
    processCount: () => options.processCount ?? 1,
    tasks: options.tasks ?? NO_TASKS,
    tokenTotals: () => Promise.resolve({ remaining: 1_000_000, used: 500_000 }),
    tokenLog: ({ tokenId }) => Promise.resolve([{ token_id: tokenId }]),
    usedQuota: () => Promise.resolve(250_000),
    sessionOf: options.sessionOf ?? (() => Promise.reject(new AppError("not_logged_in"))),
  });
  const { server, url } = await listen(relay);
  return {
    url,
    world,
    snapshot,
    billing,
    metrics,
    health,
    disabled,
    takenBytes: () => budget.takenBytes,
    stop: () => void relay.endCallsAfter(0),
    probe: relay.probe,
    upstream,
    explain: (asked) => relay.explainRoute({ ...NOBODYS_CALL, ...asked }),
    post: (path, body, headers) =>
      fetch(url + path, {
        method: "POST",
        headers: { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    close: async () => {
      await relay.endSessions();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await upstream.close();
    },
  };
}

/** The relay's part of the product's listener, on a port of its own. */
async function listen(relay: Relay) {
  const server = createServer({ shouldUpgradeCallback: relay.upgrades }, (request, response) => {
    if (relay.handles(request.url ?? "", request.method ?? "")) relay.handle(request, response);
    else response.writeHead(404).end();
  });
  server.on("upgrade", relay.upgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const describe = (_key: string, value: unknown): unknown =>
  value instanceof Error ? (value.stack ?? value.message) : value;

/** Waits until a condition holds; fails after the given time, which is no promise but longer than a busy machine takes. */
export async function until(condition: () => boolean, timeoutMs = 15_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error("the awaited condition did not come true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
