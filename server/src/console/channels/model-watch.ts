/** Watches upstreams' model lists: one fetch, the run over all watched channels, and administrators' acts on the findings. */
import { createHash } from "node:crypto";
import { runProgress, type RunProgress } from "../../../../contract/src/channels/channel-tests.ts";
import {
  type AppliedModels,
  IGNORED_MODELS_MAX,
  type ModelWatch,
  type WatchSettings,
  watchSettingsSchema,
} from "../../../../contract/src/channels/model-watch.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { CHANNEL_STATUS, MODEL_NAME_MAX } from "../../../../contract/src/features/channels.ts";
import type { Queries } from "../../db/portable.ts";
import { notifyRoots } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { startDeadline } from "../../util/deadline.ts";
import type { RunKind } from "../background-run.ts";
import { type CountedRun, NOTHING_COUNTED, startCounted, type StartedRun } from "../counted-run.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { Actor } from "../kit/audit.ts";
import { type ModelDifference, modelDifference, namesOf, stillOpen } from "./model-difference.ts";
import { claimNotice, findWatch, keepDifference, keepFailure, type StoredWatch } from "./model-watch-store.ts";
import { patchOf } from "./rules.ts";
import { announce } from "./service.ts";
import { channelLog } from "./status.ts";
import { isLockedChannel } from "../managed-store.ts";
import { changeChannel, findChannel, type StoredChannel } from "./store.ts";
import { modelsOfChannel } from "./upstream.ts";

/** Longest time that one upstream's list may take. */
const LIST_TIMEOUT_MS = 30_000;
/** Models that one look adds by itself. */
const ADDED_AT_ONCE_MAX = 200;
/** Names that a message spells out. */
const NAMED_MODELS = 12;

function parseObject(text: string | null): unknown {
  return text === null || text === "" ? {} : JSON.parse(text); // Checked when it was written.
}

const settingsOf = ({ settings }: Pick<StoredChannel, "settings">): WatchSettings =>
  watchSettingsSchema.parse(parseObject(settings));

const ignoredOf = (settings: WatchSettings): readonly string[] => settings.upstream_model_update_ignored_models ?? [];

function watchView(channel: StoredChannel, watch: StoredWatch): ModelWatch {
  const settings = settingsOf(channel);
  const { added, removed } = stillOpen(channel.models, watch);
  return {
    check_enabled: settings.upstream_model_update_check_enabled === true,
    auto_sync_enabled: settings.upstream_model_update_auto_sync_enabled === true,
    ignored_models: [...ignoredOf(settings)],
    add_models: added,
    remove_models: removed,
    last_check_time: watch.checkedTime,
    failure: watch.failure,
  };
}

const notFound = () => new AppError("not_found", { message: "Channel not found, refresh the page" });

/** Findings of a channel. Throws not_found. */
export async function readWatch({ database: { kysely } }: ConsoleContext, id: number): Promise<ModelWatch> {
  const channel = await findChannel(kysely, id);
  if (channel === undefined) throw notFound();
  return watchView(channel, await findWatch(kysely, id));
}

/** The upstream's list within its time; names that no channel could have are left out. Throws AppError. */
async function listedBy(context: ConsoleContext, id: number, stop?: AbortSignal): Promise<string[]> {
  const deadline = startDeadline(LIST_TIMEOUT_MS, stop);
  const listed = await deadline.race(modelsOfChannel(context, id)).catch((error: unknown) => {
    if (!deadline.isOver()) throw error;
    throw new AppError("upstream_failed", { message: `No answer within ${LIST_TIMEOUT_MS / 1000} s` });
  });
  const usable = listed.filter((name) => name !== "" && !/[,\p{Cc}]/u.test(name) && name.length <= MODEL_NAME_MAX);
  // An empty list would be read as if every model were gone.
  if (usable.length === 0) throw new AppError("upstream_failed", { message: "The upstream lists no models" });
  return usable;
}

/** The difference from a channel as it is stored now. */
const differenceOf = (channel: StoredChannel, listed: readonly string[]): ModelDifference =>
  modelDifference({
    stored: namesOf(channel.models),
    listed,
    ignored: ignoredOf(settingsOf(channel)),
    mapping: parseObject(channel.model_mapping) as Record<string, string>,
  });

const shortList = (models: readonly string[]): string =>
  models.length <= NAMED_MODELS
    ? models.join(", ")
    : `${models.slice(0, NAMED_MODELS).join(", ")}, … (${models.length})`;

/** Notifies of a difference that was not notified of yet, in the transaction that keeps it. `taken` are models that were added by themselves. */
async function notice(
  context: ConsoleContext,
  queries: Queries,
  { id, name }: StoredChannel,
  { added, removed }: ModelDifference,
  taken: readonly string[],
): Promise<void> {
  const isNothing = added.length + removed.length + taken.length === 0;
  const text = JSON.stringify([added, removed, taken]);
  const hash = isNothing ? "" : createHash("sha256").update(text).digest("hex");
  if (!(await claimNotice(queries, id, hash)) || isNothing) return;
  const values = { id, name, added: shortList(added), removed: shortList(removed), taken: shortList(taken) };
  await notifyRoots(context, queries, { notification: { code: "channel_models_changed", values } });
}

/** Keeps what a look found, from the channel as it is stored, and adds what the channel adds by itself. */
async function keepLook(
  context: ConsoleContext,
  id: number,
  listed: readonly string[],
  mayAdd: boolean,
): Promise<void> {
  const { database } = context;
  const now = nowSeconds(context.clock);
  const channel = await findChannel(database.kysely, id);
  if (channel === undefined) return;
  // What a configuration file locks follows the file alone.
  const isLocked = await isLockedChannel(database.kysely, id);
  const adds = mayAdd && !isLocked && settingsOf(channel).upstream_model_update_auto_sync_enabled === true;
  if (!adds || differenceOf(channel, listed).added.length === 0) {
    await database.kysely.transaction().execute(async (transaction) => {
      const stored = await findChannel(transaction, id);
      if (stored === undefined) return;
      const difference = differenceOf(stored, listed);
      await keepDifference(database, transaction, id, difference, now);
      await notice(context, transaction, stored, difference, []);
    });
    return;
  }
  let taken: string[] = [];
  await changeChannel(database, id, async (transaction, stored) => {
    const difference = differenceOf(stored, listed);
    taken = difference.added.slice(0, ADDED_AT_ONCE_MAX);
    const left = { added: difference.added.slice(ADDED_AT_ONCE_MAX), removed: difference.removed };
    await keepDifference(database, transaction, id, left, now);
    await notice(context, transaction, stored, left, taken);
    return taken.length === 0 ? {} : patchOf({ models: [...namesOf(stored.models), ...taken].join(",") });
  });
  if (taken.length === 0) return;
  await context.snapshot.refresh();
  const event = { code: "channel_changed", values: { name: channel.name, id } } as const;
  const row = channelLog(context, id, event);
  await context.billing.record({ ...row, other: JSON.stringify({ event, admin_info: { models_added: taken } }) });
}

/** Looks at one list now; nothing is added by itself. Throws not_found and upstream_failed; a failure is kept too. */
export async function detectNow(context: ConsoleContext, id: number): Promise<ModelWatch & { name: string }> {
  const { kysely } = context.database;
  const channel = await findChannel(kysely, id);
  if (channel === undefined) throw notFound();
  await lookAt(context, id, false);
  return { ...(await readWatch(context, id)), name: channel.name };
}

async function lookAt(context: ConsoleContext, id: number, mayAdd: boolean, stop?: AbortSignal): Promise<void> {
  let listed: string[];
  try {
    listed = await listedBy(context, id, stop);
  } catch (error) {
    if (stop?.aborted === true) return;
    const message = error instanceof AppError ? error.message : "The list could not be fetched, see the server's log";
    await keepFailure(context.database, context.database.kysely, id, message, nowSeconds(context.clock));
    throw error;
  }
  await keepLook(context, id, listed, mayAdd);
}

const RUN: RunKind<RunProgress> = {
  lease: "channel_models",
  fact: "channel_models_progress",
  leaseSeconds: (LIST_TIMEOUT_MS / 1000) * 2,
  neverRun: NOTHING_COUNTED,
  schema: runProgress,
};

interface Watched {
  id: number;
  name: string;
}

async function lookAndCount(
  context: ConsoleContext,
  { id, name }: Watched,
  mayAdd: boolean,
  run: CountedRun<RunProgress>,
): Promise<void> {
  const report = (error: unknown) =>
    context.logger.warn({ err: error, channelId: id }, "the model list of a channel could not be looked at");
  const failed = await lookAt(context, id, mayAdd, run.stop).then(
    () => false,
    (error: unknown) => {
      report(error);
      return true;
    },
  );
  if (run.stop.aborted) return;
  await run.count({ done: 1, ...(failed ? { failed: 1, failure: { id, name } } : {}) }).catch(report);
}

/** Channels that are watched and not disabled by hand. */
async function watchedChannels({ database: { kysely } }: ConsoleContext): Promise<Watched[]> {
  const rows = await kysely
    .selectFrom("channels")
    .select(["id", "name", "settings"])
    .where("status", "!=", CHANNEL_STATUS.disabled)
    .where("settings", "like", "%upstream_model_update_check_enabled%")
    .orderBy("id")
    .execute();
  return rows.filter((row) => settingsOf(row).upstream_model_update_check_enabled === true);
}

/**
 * Starts looking at the lists of all channels that are watched, three at a time, and returns at once. Undefined where a run is under way in
 * some process. @param mayAdd whether channels that add models by themselves do @param end ends the run with this process
 */
export async function startModelWatch(
  context: ConsoleContext,
  mayAdd: boolean,
  end?: AbortSignal,
): Promise<StartedRun | undefined> {
  const items = await watchedChannels(context);
  if (items.length === 0) return { total: 0, finished: Promise.resolve() };
  return startCounted(context, {
    kind: RUN,
    items,
    each: (channel, run) => lookAndCount(context, channel, mayAdd, run),
    end,
  });
}

interface Chosen {
  id: number;
  add_models?: string[] | undefined;
  remove_models?: string[] | undefined;
  ignore_models?: string[] | undefined;
}

const among = (sent: readonly string[] | undefined, found: readonly string[]): string[] =>
  found.filter((model) => sent?.includes(model) === true);
const without = (models: readonly string[], gone: readonly string[]): string[] =>
  models.filter((model) => !gone.includes(model));

/** Adds, removes and ignores models that were found. Throws not_found, and channel_models_missing where none would be left. */
export async function applyWatch(context: ConsoleContext, actor: Actor, sent: Chosen): Promise<AppliedModels> {
  let answer: AppliedModels | undefined;
  const change = await changeChannel(context.database, sent.id, async (transaction, stored) => {
    const open = stillOpen(stored.models, await findWatch(transaction, sent.id));
    const added = among(sent.add_models, open.added);
    const ignored = without(among(sent.ignore_models, open.added), added);
    const removed = among(sent.remove_models, open.removed);
    const left = { added: without(open.added, [...added, ...ignored]), removed: without(open.removed, removed) };
    await keepDifference(context.database, transaction, sent.id, left);
    const models = [...without(namesOf(stored.models), removed), ...added].join(",");
    const settings = withIgnored(stored, ignored);
    answer = {
      id: sent.id,
      added_models: added,
      removed_models: removed,
      ignored_models: ignored,
      remaining_models: left.added,
      remaining_remove_models: left.removed,
      models,
      settings,
    };
    return {
      ...(added.length + removed.length === 0 ? {} : patchOf({ models })),
      ...(ignored.length === 0 ? {} : patchOf({ settings })),
    };
  });
  if (change === undefined || answer === undefined) throw notFound();
  const { added_models, removed_models, ignored_models } = answer;
  await announce(
    context,
    actor,
    { code: "channel_changed", values: { name: change.before.name, id: sent.id } },
    { channel_id: sent.id, changed: Object.keys(change.patch), added_models, removed_models, ignored_models },
  );
  return answer;
}

/** The channel's settings with more models to ignore. Throws invalid_field where the list is full. */
function withIgnored(stored: StoredChannel, ignored: readonly string[]): string {
  if (ignored.length === 0) return stored.settings ?? "";
  const before = ignoredOf(settingsOf(stored));
  const list = [...before, ...without(ignored, before)];
  if (list.length > IGNORED_MODELS_MAX)
    throw new AppError("invalid_field", {
      field: "ignore_models",
      message: `A channel ignores at most ${IGNORED_MODELS_MAX} models: use a pattern (regex:…)`,
    });
  return JSON.stringify({ ...(parseObject(stored.settings) as object), upstream_model_update_ignored_models: list });
}
