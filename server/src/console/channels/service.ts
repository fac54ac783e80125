/** What administrators can do with channels: rules and address policy before the store, every process notified and the act logged after. */
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { shownHeaderOverride } from "../../../../contract/src/channels/header-override.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ChannelCreate, ChannelUpdate } from "../../../../contract/src/channels/channel-form.ts";
import { KEYS_PER_CHANNEL_MAX, storedKeyChoice } from "../../../../contract/src/channels/choices.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { TEST_RESULT } from "../../../../contract/src/channels/channel-tests.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { integerOf } from "../../../../contract/src/query.ts";
import type { Queries } from "../../db/portable.ts";
import { openChannelKey, openHeaderOverride, sealChannelKey } from "../../db/secrets.ts";
import { nowSeconds } from "../../util/clock.ts";
import { type Act, type Actor, audit } from "../kit/audit.ts";
import { channelChanges } from "./changes.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ProviderInfo } from "../relay-tools.ts";
import { checkFields, checkKeyForms } from "./provider-rules.ts";
import {
  checkChangePermitted,
  checkMove,
  headersForRow,
  type Mover,
  movedBy,
  recordRedirection,
  refuseStale,
  settingForRow,
  tellRoots,
} from "./moves.ts";
import { findWatches } from "./model-watch-store.ts";
import { NO_BALANCE } from "./balances.ts";
import { copyKeys, countKeys, insertKeys, ONE_KEY, sealedKeysOf, sealOneOfSeveral, totalOf } from "./keys/rows.ts";
import { channelView, checkKeyText, copyName, newChannelOf, patchOf, refuseQuery, statusOf } from "./rules.ts";
import type { ChannelFilter, ChannelPage, ChannelPatch, NewChannel, StoredChannel } from "./store.ts";
import {
  changeChannel,
  deleteChannels,
  deleteDisabledChannels,
  EVERY_CHANNEL,
  findChannel,
  findChannels,
  findOpenBreakers,
  findTags,
  insertChannels,
  rebuildAllAbilities,
} from "./store.ts";

const notFound = (): AppError => new AppError("not_found", { message: "Channel not found, refresh the page" });

/** Notifies every process and logs the act; no key ever stands in `event` or `detail`. */
export async function announce(context: ConsoleContext, actor: Actor, ...act: Act): Promise<void> {
  await context.snapshot.refresh();
  await audit(context, actor, ...act);
}

export interface ChannelList {
  channels: ChannelRow[];
  /** Channels, or tags in tag mode. */
  total: number;
}

/** One page of channels; in tag mode a page of tags, with all channels of each that pass the filter. */
export async function listChannels(
  context: ConsoleContext,
  filter: ChannelFilter,
  page: ChannelPage,
  isTagMode: boolean,
): Promise<ChannelList> {
  const { database } = context;
  if (!isTagMode) {
    const { rows, total } = await findChannels(database, filter, page);
    return { channels: await viewsOf(context, rows), total };
  }
  const { tags, total } = await findTags(database, filter, page);
  if (tags.length === 0) return { channels: [], total };
  const { rows } = await findChannels(database, { ...filter, tags }, { ...page, offset: 0, limit: EVERY_CHANNEL });
  return { channels: await viewsOf(context, rows), total };
}

/** Rows as people get them; the keys of those that have several are counted in one query, as open circuit breakers are read. */
async function viewsOf(context: ConsoleContext, rows: readonly StoredChannel[]): Promise<ChannelRow[]> {
  const { database, clock } = context;
  const several = rows.filter(({ key_choice }) => key_choice !== ONE_KEY).map(({ id }) => id);
  const [counts, cooling, watches] = await Promise.all([
    countKeys(database.kysely, several),
    findOpenBreakers(database, clock()),
    findWatches(
      database.kysely,
      rows.map(({ id }) => id),
    ),
  ]);
  return rows.map((row) => {
    const found = counts.get(row.id);
    return channelView(
      { ...row, header_override: shownHeaders(context, row) },
      found && { enabled: found.enabled, total: totalOf(found) },
      cooling.get(row.id),
      watches.get(row.id),
    );
  });
}

/** A header override as people get it; one that cannot be opened is empty, and its channel is out of service with a line in the log. */
function shownHeaders({ secrets, logger }: ConsoleContext, { id, header_override }: StoredChannel): string {
  try {
    return shownHeaderOverride(openHeaderOverride(secrets, header_override));
  } catch (error) {
    logger.error({ channelId: id, err: error }, "the header override of a channel cannot be decrypted");
    return "";
  }
}

/** The search text as the store wants it: a part of a text, an id, or a whole key. */
export function keywordOf(context: Pick<ConsoleContext, "secrets">, text: string) {
  const id = /^\d+$/.test(text) ? (integerOf(text) ?? 0) : 0;
  return { text, id, keyHash: context.secrets.hash("channel", text) };
}

/** One channel. Throws not_found. */
export async function readChannel(context: ConsoleContext, id: number): Promise<ChannelRow> {
  const row = await findChannel(context.database.kysely, id);
  if (row === undefined) throw notFound();
  const [view] = await viewsOf(context, [row]);
  if (view === undefined) throw notFound();
  return view;
}

/** The provider of a channel type. Throws channel_invalid. */
export function providerOf(context: ConsoleContext, type: number): ProviderInfo {
  const provider = context.relay.providers.find(({ manifest }) => manifest.id === type);
  if (provider === undefined)
    throw new AppError("channel_invalid", { message: `There is no channel type ${type}`, field: "type" });
  return provider;
}

interface Reachable {
  type: number;
  base_url: string;
  other: string;
  openai_organization: string;
}

/** The provider's rules for its fields, and an address that calls may go to. */
export async function checkReach(context: ConsoleContext, channel: Reachable): Promise<void> {
  checkShape(context, channel);
  if (channel.base_url !== "") await context.relay.checkAddress(channel.base_url);
}

/** The provider's rules for the fields of its channels. */
function checkShape(context: ConsoleContext, channel: Reachable): void {
  const { manifest } = providerOf(context, channel.type);
  const values: Readonly<Record<string, string>> = {
    base_url: channel.base_url,
    other: channel.other,
    openai_organization: channel.openai_organization,
  };
  checkFields(manifest, values);
  refuseQuery(manifest, channel.base_url);
}

export const createdEvent = (name: string, ids: readonly number[]): LogEvent => {
  const [id = 0] = ids;
  return ids.length === 1
    ? { code: "channel_created", values: { name, id } }
    : { code: "channels_created", values: { count: ids.length, name, ids: ids.slice(0, 100) } };
};

/** The rows of the channels that are sent, one for each key; `keys` are in their order. Names of hosts are not looked up. */
export function newRows(context: ConsoleContext, sent: ChannelCreate) {
  const described = newChannelOf(sent);
  const { secrets } = context;
  const channel = {
    ...described,
    setting: settingForRow(secrets, described.setting),
    header_override: headersForRow(secrets, described.header_override ?? "", null).sealed,
  };
  const { keys } = checkKeyText(sent.key ?? "");
  checkKeyForms(providerOf(context, channel.type).manifest, keys);
  checkShape(context, channel);
  const now = nowSeconds(context.clock);
  const rows = keys.map((key): NewChannel => ({
    ...channel,
    ...sealChannelKey(context.secrets, key),
    key_set_time: now,
    created_time: now,
  }));
  return { channel, keys, rows };
}

/** Makes a channel of each key that was sent, or one of them all; gives their ids. */
export async function createChannels(context: ConsoleContext, actor: Actor, sent: ChannelCreate): Promise<number[]> {
  const { channel, keys, rows } = newRows(context, sent);
  await checkReach(context, channel);
  const [first] = rows;
  const isOne = sent.keys_make === "one_channel" && first !== undefined && keys.length > 1;
  const ids = isOne
    ? await insertWithKeys(context, { ...first, key_choice: storedKeyChoice(sent.key_choice ?? "random") }, keys)
    : await insertChannels(context.database, rows);
  await announce(context, actor, createdEvent(channel.name, ids));
  return ids;
}

/** The rows of the keys of a channel that has several. Throws channel_keys_many. */
export function severalKeyRows({ secrets }: ConsoleContext, keys: readonly string[]) {
  if (keys.length > KEYS_PER_CHANNEL_MAX)
    throw new AppError("channel_keys_many", { field: "key", values: { max: KEYS_PER_CHANNEL_MAX } });
  return keys.map((key) => sealOneOfSeveral(secrets, key).row);
}

/** Inserts one channel that has all these keys. */
function insertWithKeys(context: ConsoleContext, channel: NewChannel, keys: readonly string[]): Promise<number[]> {
  const sealed = severalKeyRows(context, keys);
  return insertChannels(context.database, [channel], (transaction, id) =>
    insertKeys(transaction, id, sealed, channel.created_time),
  );
}

/** Key columns for an update that sends a key; a blank one keeps what is stored. */
function keyPatch(
  context: ConsoleContext,
  before: StoredChannel,
  { type = before.type, key }: Pick<ChannelUpdate, "type" | "key">,
): ChannelPatch {
  if (key === undefined || key === null || key.trim() === "") return {};
  const { keys } = checkKeyText(key);
  const [only] = keys;
  if (only === undefined || keys.length > 1 || before.key_choice !== ONE_KEY)
    throw new AppError("channel_has_several_keys", { field: "key" });
  checkKeyForms(providerOf(context, type).manifest, keys);
  return { ...sealChannelKey(context.secrets, only), key_set_time: nowSeconds(context.clock), ...NO_BALANCE };
}

/** A patch after which calls go to another account: what was known of the balance is of the one before. */
function otherAccount(patch: ChannelPatch, before: StoredChannel): ChannelPatch {
  const isOther = (["type", "base_url"] as const).some(
    (name) => patch[name] !== undefined && patch[name] !== before[name],
  );
  return isOther ? { ...patch, ...NO_BALANCE } : patch;
}

/** The keys that a stored channel has. */
async function openKeys({ secrets }: ConsoleContext, queries: Queries, row: StoredChannel): Promise<string[]> {
  const sealed = row.key_choice === ONE_KEY ? [row] : await sealedKeysOf(queries, row.id);
  return sealed.map((each) => openChannelKey(secrets, each));
}

/** Columns that decide where the calls of a channel go. */
const REACH_COLUMNS = ["type", "base_url", "other", "openai_organization"] as const;

/** The row after a change, from the stored one under the lock of all writers. */
export async function plannedChange(
  context: ConsoleContext,
  queries: Queries,
  mover: Mover,
  { before, sent, sentPatch }: { before: StoredChannel; sent: ChannelUpdate; sentPatch: ChannelPatch },
): Promise<ChannelPatch> {
  refuseStale(before, sent);
  const status = statusOf(sent);
  const { setting, header_override } = sentPatch;
  const headers = headersForRow(context.secrets, header_override ?? undefined, before.header_override);
  const patch: ChannelPatch = {
    ...otherAccount(sentPatch, before),
    ...(setting === undefined ? {} : { setting: settingForRow(context.secrets, setting, before.setting) }),
    ...(header_override === undefined ? {} : { header_override: headers.sealed }),
    ...keyPatch(context, before, sent),
    ...(status === undefined ? {} : { status }),
  };
  const moved = movedBy(context, before, patch);
  const { secrets } = context;
  const hasOtherHeaders =
    openHeaderOverride(secrets, headers.sealed) !== openHeaderOverride(secrets, before.header_override);
  checkChangePermitted(mover, patch, { before, moved, hasOtherHeaders });
  if (REACH_COLUMNS.some((column) => patch[column] !== undefined)) checkShape(context, { ...before, ...patch });
  // Another provider may want another form of the key that stays.
  if (patch.type !== undefined && patch.type !== before.type && patch.key_hash === undefined)
    checkKeyForms(providerOf(context, patch.type).manifest, await openKeys(context, queries, before));
  if (moved.length > 0) {
    checkMove(mover, { key: patch.key_hash === undefined, headers: headers.keepsStored });
    await tellRoots(context, queries, mover, { ...before, ...patch });
  }
  // A reason to be off no longer counts once the channel was switched by hand.
  return status !== undefined && before.other_info !== "" ? { ...patch, other_info: "" } : patch;
}

/**
 * Changes the fields that are sent, decided on and written in one transaction. Throws not_found, channel_changed where `revision` is of
 * before another change, channel_key_needed, channel_headers_needed, channel_proxy_login_needed, step_up_required, or what is wrong with a field; then nothing has changed.
 */
export async function updateChannel(
  context: ConsoleContext,
  actor: Actor & Mover,
  sent: ChannelUpdate,
): Promise<ChannelRow> {
  const sentPatch = patchOf(sent);
  // Names are looked up before the lock of all writers is taken.
  if (sentPatch.base_url !== undefined && sentPatch.base_url !== "") {
    const { base_url } = sentPatch;
    await context.relay.checkAddress(base_url);
  }
  const change = await changeChannel(context.database, sent.id, (queries, before) =>
    plannedChange(context, queries, actor, { before, sent, sentPatch }),
  );
  if (change === undefined) throw notFound();
  await announceChange(context, actor, change);
  return readChannel(context, sent.id);
}

/** Records the change of one channel, and notifies every process. */
export async function announceChange(
  context: ConsoleContext,
  actor: Actor,
  { before, patch }: { before: StoredChannel; patch: ChannelPatch },
): Promise<void> {
  const { id } = before;
  const changed = Object.keys(patch).filter((column) => !column.startsWith("key_") || column === "key_set_time");
  const moved = movedBy(context, before, patch);
  // A key that came with the change is no stored one; headers go with the key or are named among what was changed.
  if (moved.length > 0 && patch.key_hash === undefined) recordRedirection(context, actor, { id, moved });
  const event: LogEvent = { code: "channel_changed", values: { name: before.name, id } };
  const detail = { channel_id: id, changed, ...(moved.length === 0 ? {} : { moved }) };
  await announce(context, actor, event, detail, channelChanges(before, patch));
}

/** Deletes one channel with its abilities. Throws not_found. */
export async function removeChannel(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const before = await findChannel(context.database.kysely, id);
  const [deleted] = before === undefined ? [] : await deleteChannels(context.database, { ids: [id] });
  if (before === undefined || deleted === undefined) throw notFound();
  await announce(context, actor, { code: "channel_deleted", values: { name: before.name, id } });
}

/** Deletes every channel that is disabled or auto-disabled; gives how many there were. */
export async function removeDisabledChannels(context: ConsoleContext, actor: Actor): Promise<number> {
  const { length: count } = await deleteDisabledChannels(context.database);
  await announce(context, actor, { code: "disabled_channels_deleted", values: { count } });
  return count;
}

/** Builds all abilities anew; gives the number of channels. */
export async function fixAbilities(context: ConsoleContext, actor: Actor): Promise<number> {
  const count = await rebuildAllAbilities(context.database);
  await announce(context, actor, { code: "abilities_rebuilt", values: { count } });
  return count;
}

/** Copies a channel with all its keys, which never leave the server; the copy is disabled until an administrator enables it. */
export async function copyChannel(context: ConsoleContext, actor: Actor, id: number): Promise<ChannelRow> {
  const row = await findChannel(context.database.kysely, id);
  if (row === undefined) throw notFound();
  const { id: _id, changed_version: _version, ...same } = row;
  const now = nowSeconds(context.clock);
  const fresh = {
    response_time_ms: 0,
    test_time: 0,
    test_result: TEST_RESULT.none,
    test_failure: "",
    ...NO_BALANCE,
    used_quota: 0,
    other_info: "",
  };
  const sealed = sealChannelKey(context.secrets, openChannelKey(context.secrets, row));
  const copy = {
    ...same,
    ...fresh,
    ...sealed,
    name: copyName(row.name),
    status: CHANNEL_STATUS.disabled,
    created_time: now,
  };
  const [copyId] = await insertChannels(context.database, [copy], (transaction, made) =>
    copyKeys(transaction, id, made, now),
  );
  if (copyId === undefined) throw new Error("No channel was made");
  await announce(context, actor, { code: "channel_copied", values: { name: row.name, id, copy: copyId } });
  return readChannel(context, copyId);
}
