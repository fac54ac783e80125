/** Loads the snapshot at startup and polls the version rows: a change in the database is in force here within a second. */
import type { Logger } from "pino";
import { appliedRatio, usableGroupsFor } from "../../../contract/src/group-rules.ts";
import {
  isOptionName,
  type OptionValues,
  parseOptions,
  SECRET_OPTION_NAMES,
} from "../../../contract/src/options/options.ts";
import type { ListedFacts } from "../../../contract/src/pricing/listed-facts.ts";
import type { ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import { upstreamPrice } from "../../../contract/src/pricing/upstream-cost.ts";
import type { Cache } from "../cache/cache.ts";
import type { Database } from "../db/database.ts";
import { openOption, type Secrets } from "../db/secrets.ts";
import type { VersionName } from "../db/versions.ts";
import { nowSeconds } from "../util/clock.ts";
import { channelLoader } from "./channels.ts";
import { enterPriceVersion, priceTablesText, type PriceVersion } from "./price-version.ts";
import { forEachPage, TOKEN_COLUMNS, toUser, USER_COLUMNS } from "./rows.ts";
import type { Snapshot, SnapshotUser } from "./snapshot.ts";
import { createTokenIndex } from "./tokens.ts";

// Follows the version rows: polls every half second, loads what changed, and continues while the database is away.

interface FollowerOptions {
  database: Database;
  logger: Logger;
  cache?: Cache;
  pollMs?: number;
  /** Called when a version rose, with the previously known version, -1 to read everything. */
  load: Partial<Record<VersionName, (since: number) => Promise<void>>>;
}

interface Follower {
  refresh(): Promise<void>;
  readonly isHealthy: boolean;
  readonly ageMs: number;
  close(): Promise<void>;
}

const POLL_MS = 500;
const UNHEALTHY_AFTER_MS = 5_000;
const NEWS = "versions";
/** Below every version: rows that were written without a version row have 0. */
const EVERYTHING = -1;

/** Reads the versions before the rows, so that a concurrent change is read twice rather than never. */
function versionReader({ database, load }: FollowerOptions): () => Promise<boolean> {
  const known = new Map<string, number>();
  return async () => {
    const rows = await database.kysely.selectFrom("versions").select(["name", "version"]).execute();
    const risen = rows.filter(({ name, version }) => version !== (known.get(name) ?? 0));
    for (const { name, version } of risen) {
      // A lower version means that the database was restored from a backup: everything is read again.
      const before = known.get(name) ?? 0;
      await load[name as VersionName]?.(version < before || before === 0 ? EVERYTHING : before);
      known.set(name, version);
    }
    return risen.length > 0;
  };
}

/** Runs one at a time; callers during a run share the next one, which starts after they asked. */
function serialised(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const running = work().finally(() => {
      if (current === running) current = undefined;
    });
    current = running;
    return running;
  };
  return () => {
    if (current === undefined) return start();
    next ??= current.then(start, start);
    return next;
  };
}

/** Loads everything once (throws if that fails) and follows until closed. */
async function createFollower(options: FollowerOptions): Promise<Follower> {
  const { logger, cache, pollMs = POLL_MS } = options;
  const read = versionReader(options);
  let answeredAt = Date.now();
  let isFailing = false;
  const update = serialised(async () => {
    await read();
    answeredAt = Date.now();
  });
  await update();

  const poll = async (): Promise<void> => {
    try {
      await update();
      if (isFailing) logger.info({ reason: "database" }, "the snapshot follows again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.error({ err: error }, "the snapshot cannot read the database; what it has stays in force");
      isFailing = true;
    }
  };
  let isClosed = false;
  let timer: NodeJS.Timeout;
  let polling: Promise<void> = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      polling = poll().finally(() => {
        if (!isClosed) schedule();
      });
    }, pollMs);
    timer.unref();
  };
  schedule();
  // Each process receives its own messages too; its refresh has found everything already then.
  const unsubscribe = cache?.subscribe(NEWS, () => void poll());
  return {
    get isHealthy() {
      return Date.now() - answeredAt < UNHEALTHY_AFTER_MS;
    },
    get ageMs() {
      return Math.max(0, Date.now() - answeredAt);
    },
    refresh: async () => {
      await update();
      await cache?.publish(NEWS, "changed");
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      unsubscribe?.();
      await polling;
    },
  };
}

export interface SnapshotOptions {
  database: Database;
  secrets: Secrets;
  logger: Logger;
  /** Delivers change messages faster than the poll; without it the poll finds the changes. */
  cache?: Cache;
  /** Creates the price look-up from the options and the accepted lines of lists (prices/lookup.ts); called once after each change of either. */
  pricesOf: (options: OptionValues, accepted: readonly AcceptedLines[]) => SnapshotPrices;
  /** Milliseconds between polls; 500 except in tests. */
  pollMs?: number;
}

/** Lines of a price list that an administrator accepted, as they are stored. */
interface AcceptedLines {
  id: number;
  lines: string;
}

/** The price of a model and its properties. */
export interface SnapshotPrices {
  priceOf: (model: string) => ModelPrice | undefined;
  listPriceOf: (model: string) => ModelPrice | undefined;
  factsOf: (model: string) => ListedFacts;
  /** Names the price list behind the own prices in the price version rows. */
  listName: string;
}

/** Users in memory; `since` is the version up to which they are loaded. */
function userLoader({ database }: SnapshotOptions) {
  const users = new Map<number, SnapshotUser>();
  const load = (since: number) =>
    forEachPage(
      (afterId, limit) =>
        database.kysely
          .selectFrom("users")
          .select(USER_COLUMNS)
          .where("changed_version", ">", since)
          .where("id", ">", afterId)
          .orderBy("id")
          .limit(limit)
          .execute(),
      (rows) => rows.forEach((row) => users.set(row.id, toUser(row))),
    );
  return { users, load };
}

function tokenLoader({ database, secrets }: SnapshotOptions) {
  const tokens = createTokenIndex(secrets);
  const load = (since: number) =>
    forEachPage(
      (afterId, limit) =>
        database.kysely
          .selectFrom("tokens")
          .select(TOKEN_COLUMNS)
          .where("changed_version", ">", since)
          .where("id", ">", afterId)
          .orderBy("id")
          .limit(limit)
          .execute(),
      tokens.apply,
    );
  return { tokens, load };
}

interface OptionState {
  options: OptionValues;
  prices: SnapshotPrices;
  priceVersion: PriceVersion;
}

/** The version of options and lists; read before them, so that it is never newer than what was read. */
async function pricesVersion({ kysely }: Database): Promise<number> {
  const rows = await kysely
    .selectFrom("versions")
    .select("version")
    .where("name", "in", ["options", "prices"])
    .execute();
  return rows.reduce((sum, { version }) => sum + version, 0);
}

/** Accepted lines that were not undone, in the order of their acceptance. */
const acceptedLines = ({ kysely }: Database): Promise<AcceptedLines[]> =>
  kysely.selectFrom("price_list_changes").select(["id", "lines"]).where("undone_time", "=", 0).orderBy("id").execute();

const NO_PRICES: SnapshotPrices = {
  priceOf: () => undefined,
  listPriceOf: () => undefined,
  factsOf: () => ({}),
  listName: "",
};

function optionLoader({ database, secrets, logger, pricesOf }: SnapshotOptions) {
  const defaults = parseOptions(new Map());
  const state: OptionState = { options: defaults, prices: NO_PRICES, priceVersion: { id: 0, since: 0 } };
  /** An unreadable secret counts as unset: its feature is disabled, everything else continues. */
  const inClear = ({ name, value }: { name: string; value: string }): [string, string][] => {
    if (!isOptionName(name) || !SECRET_OPTION_NAMES.has(name)) return [[name, value]];
    try {
      return [[name, openOption(secrets, name, value)]];
    } catch (error) {
      logger.error({ option: name, err: error }, "a secret option cannot be decrypted; it counts as not set");
      return [];
    }
  };
  const load = async () => {
    const version = await pricesVersion(database);
    const rows = await database.kysely.selectFrom("options").select(["name", "value"]).execute();
    const options = parseOptions(new Map(rows.flatMap(inClear)), (name, reason) => {
      logger.warn({ option: name, reason }, "a stored option is not valid; its default is in force");
    });
    const prices = pricesOf(options, await acceptedLines(database));
    const priceVersion = await enterPriceVersion(database, {
      tables: priceTablesText(options, prices.listName),
      version,
      nowSeconds: nowSeconds(),
    });
    // Together and last: a price is never looked up in tables whose version row is not written yet.
    Object.assign(state, { options, prices, priceVersion } satisfies OptionState);
  };
  return { state, load };
}

/**
 * Loads everything and starts to follow. Throws if the database does not respond now; later failures are logged once, the loaded
 * data stays in force, and the follower catches up by itself.
 */
export async function openSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const users = userLoader(options);
  const tokens = tokenLoader(options);
  const channels = channelLoader(options);
  const settings = optionLoader(options);
  const load: Partial<Record<VersionName, (since: number) => Promise<void>>> = {
    users: users.load,
    tokens: tokens.load,
    channels: channels.load,
    options: settings.load,
    prices: settings.load,
  };
  const follower = await createFollower({ ...options, load });
  return {
    get options() {
      return settings.state.options;
    },
    get priceVersion() {
      return settings.state.priceVersion.id;
    },
    get priceSince() {
      return settings.state.priceVersion.since;
    },
    get isHealthy() {
      return follower.isHealthy;
    },
    get ageMs() {
      return follower.ageMs;
    },
    userById: (id) => users.users.get(id),
    tokenByKey: tokens.tokens.byKey,
    tokenById: tokens.tokens.byId,
    channelById: (id) => channels.channels.get(id),
    channels: () => [...channels.channels.values()],
    tiersFor: (groupName, model) => channels.routes.tiersFor(groupName, model),
    forEachOffer: (groupName, visit) => channels.routes.forEachOffer(groupName, visit),
    modelsFor: (groupNames) => channels.routes.modelsFor(groupNames),
    hasGroup: (groupName) => Object.hasOwn(settings.state.options.GroupRatio, groupName),
    groupRatio: (userGroup, groupName) => appliedRatio(settings.state.options, userGroup, groupName),
    usableGroups: (userGroup) => usableGroupsFor(settings.state.options, userGroup),
    priceOf: (model) => settings.state.prices.priceOf(model),
    listPriceOf: (model) => settings.state.prices.listPriceOf(model),
    factsOf: (model) => settings.state.prices.factsOf(model),
    upstreamPriceOf: ({ costs }, model) => upstreamPrice(costs, model, settings.state.prices.listPriceOf(model)),
    refresh: follower.refresh,
    close: follower.close,
  };
}
