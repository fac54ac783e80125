/** Queries of one channel's keys. Every write raises the version, so that all processes have it within a second. */
import type { Kysely, Selectable, Transaction } from "kysely";
import { KEY_STATUS, KEYS_PER_CHANNEL_MAX } from "../../../../../contract/src/channels/choices.ts";
import { AppError } from "../../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../../contract/src/features/channels.ts";
import type { Database } from "../../../db/database.ts";
import { affectedRows } from "../../../db/portable.ts";
import type { ChannelTable, Schema } from "../../../db/schema.ts";
import type { SealedKey } from "../../../db/secrets.ts";
import { bumpVersion } from "../../../db/versions.ts";
import { refuseLockedTargets } from "../../managed-store.ts";
import { chunks, rebuildAbilities } from "../abilities.ts";
import { countKeys, insertKeys, type KeyCounts, ONE_KEY, type SealedRow, totalOf } from "./rows.ts";

type StoredKey = Selectable<Schema["channel_keys"]>;
type Channel = Selectable<ChannelTable>;

/** Keys by their ids, all, or all that calls disabled. */
export type KeySelection = { ids: readonly number[] } | { which: "all" | "auto_disabled" };

const ID_CHUNK = 500;
const NO_KEYS: KeyCounts = Object.freeze({ enabled: 0, disabled: 0, autoDisabled: 0 });

const gone = (): AppError => new AppError("not_found", { message: "Channel not found, refresh the page" });

/** One of the channel's keys, sealed. */
export const findKey = (queries: Kysely<Schema>, channelId: number, id: number): Promise<StoredKey | undefined> =>
  queries
    .selectFrom("channel_keys")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("id", "=", id)
    .executeTakeFirst();

/** Runs `work` with the channel as it is once every other writer has committed. Throws not_found. */
function withChannel<Result>(
  database: Database,
  channelId: number,
  work: (transaction: Transaction<Schema>, channel: Channel, version: number) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (transaction) => {
    const version = await bumpVersion(transaction, "channels");
    const channel = await transaction.selectFrom("channels").selectAll().where("id", "=", channelId).executeTakeFirst();
    if (channel === undefined) throw gone();
    return work(transaction, channel, version);
  });
}

type ChannelChange = Partial<Omit<Channel, "id" | "changed_version">>;

async function changeChannel(
  transaction: Transaction<Schema>,
  channel: Channel,
  changed_version: number,
  change: ChannelChange,
): Promise<void> {
  await transaction
    .updateTable("channels")
    .set({ ...change, changed_version })
    .where("id", "=", channel.id)
    .execute();
  if (change.status !== undefined) await rebuildAbilities(transaction, [{ ...channel, ...change }]);
}

const countsOf = async (transaction: Transaction<Schema>, { id }: Channel): Promise<KeyCounts> =>
  (await countKeys(transaction, [id])).get(id) ?? NO_KEYS;

/** Whether the channel is off because its last key was disabled: then a key that comes brings it back. */
function isOffForKeys({ status, other_info }: Channel): boolean {
  if (status !== CHANNEL_STATUS.autoDisabled || other_info === "") return false;
  const info: unknown = JSON.parse(other_info);
  return typeof info === "object" && info !== null && "no_key_left" in info;
}

/** Changes of a channel when one of its keys is enabled. */
const broughtBack = (channel: Channel): ChannelChange =>
  isOffForKeys(channel) ? { status: CHANNEL_STATUS.enabled, other_info: "" } : {};

/** One page of a channel's keys by id, those of one status where it is given, with the counts of all. */
export async function findKeys(
  database: Database,
  channelId: number,
  status: number | undefined,
  page: { offset: number; limit: number },
): Promise<{ rows: StoredKey[]; counts: KeyCounts }> {
  const all = database.kysely.selectFrom("channel_keys").where("channel_id", "=", channelId);
  const base = status === undefined ? all : all.where("status", "=", status);
  const [rows, counts] = await Promise.all([
    base.selectAll().orderBy("id").limit(page.limit).offset(page.offset).execute(),
    countKeys(database.kysely, [channelId]),
  ]);
  return { rows, counts: counts.get(channelId) ?? NO_KEYS };
}

export interface AddedKeys {
  keys: readonly SealedRow[];
  /** `key_choice` to store; undefined keeps it, or makes it `firstChoice` where the channel had one key. */
  choice: number | undefined;
  firstChoice: number;
  /** The key that the channel has in its own row, as one of several. */
  ownOf: (channel: Channel) => SealedRow;
  /** Unix seconds. */
  now: number;
}

/** Adds keys that the channel does not have yet; gives how many. Throws not_found, or channel_keys_many where they are too many. */
export function addKeys(
  database: Database,
  channelId: number,
  added: AddedKeys,
): Promise<{ name: string; count: number }> {
  const { keys, choice, firstChoice, ownOf, now } = added;
  return withChannel(database, channelId, async (transaction, channel, version) => {
    await refuseLockedTargets(transaction, "channel", [channelId]);
    const stored = await transaction
      .selectFrom("channel_keys")
      .select("key_hash")
      .where("channel_id", "=", channelId)
      .execute();
    const own = channel.key_choice === ONE_KEY ? [ownOf(channel)] : [];
    const known = new Set([...stored, ...own].map(({ key_hash }) => key_hash));
    const fresh = keys.filter(({ key_hash }) => !known.has(key_hash));
    if (fresh.length === 0) return { name: channel.name, count: 0 };
    if (known.size + fresh.length > KEYS_PER_CHANNEL_MAX)
      throw new AppError("channel_keys_many", { field: "key", values: { max: KEYS_PER_CHANNEL_MAX } });
    await insertKeys(transaction, channelId, [...own, ...fresh], now);
    const kept = channel.key_choice === ONE_KEY ? firstChoice : channel.key_choice;
    const change = { key_choice: choice ?? kept, key_set_time: now, ...broughtBack(channel) };
    await changeChannel(transaction, channel, version, change);
    return { name: channel.name, count: fresh.length };
  });
}

/** Changes how calls get a key. Throws not_found, and channel_one_key where there is nothing to choose from. */
export function setChoice(database: Database, channelId: number, key_choice: number): Promise<{ name: string }> {
  return withChannel(database, channelId, async (transaction, channel, version) => {
    await refuseLockedTargets(transaction, "channel", [channelId]);
    if (channel.key_choice === ONE_KEY) throw new AppError("channel_one_key");
    await changeChannel(transaction, channel, version, { key_choice });
    return { name: channel.name };
  });
}

/** Ids of the chosen keys that the channel has. */
async function findChosen(
  transaction: Transaction<Schema>,
  channelId: number,
  chosen: KeySelection,
): Promise<number[]> {
  const all = transaction.selectFrom("channel_keys").select("id").where("channel_id", "=", channelId);
  if ("which" in chosen) {
    const query = chosen.which === "all" ? all : all.where("status", "=", KEY_STATUS.autoDisabled);
    return (await query.execute()).map(({ id }) => id);
  }
  const found: number[] = [];
  for (const part of chunks([...new Set(chosen.ids)], ID_CHUNK))
    found.push(...(await all.where("id", "in", part).execute()).map(({ id }) => id));
  return found;
}

/** Enables (1) or disables (2) keys; gives how many were not so before. `now` in Unix seconds. Throws not_found. */
export function setKeyStatuses(
  database: Database,
  channelId: number,
  chosen: KeySelection,
  status: number,
  now: number,
): Promise<{ name: string; count: number }> {
  return withChannel(database, channelId, async (transaction, channel, version) => {
    const ids = await findChosen(transaction, channelId, chosen);
    let count = 0;
    for (const part of chunks(ids, ID_CHUNK)) {
      const changed = await transaction
        .updateTable("channel_keys")
        .set({ status, status_reason: "", status_time: now })
        .where("id", "in", part)
        .where("status", "!=", status)
        .executeTakeFirstOrThrow();
      count += affectedRows(changed);
    }
    const isBack = status === KEY_STATUS.enabled && ids.length > 0;
    await changeChannel(transaction, channel, version, isBack ? broughtBack(channel) : {});
    return { name: channel.name, count };
  });
}

/**
 * Removes keys; gives how many. Where the one goes that stands in the channel's own row, the first that is left takes its place there,
 * as `sealedOf` gives it. Throws not_found, and channel_last_key where none would be left.
 */
export function deleteKeys(
  database: Database,
  channelId: number,
  chosen: KeySelection,
  sealedOf: (row: SealedRow) => SealedKey,
): Promise<{ name: string; count: number }> {
  return withChannel(database, channelId, async (transaction, channel, version) => {
    await refuseLockedTargets(transaction, "channel", [channelId]);
    const ids = await findChosen(transaction, channelId, chosen);
    for (const part of chunks(ids, ID_CHUNK))
      await transaction.deleteFrom("channel_keys").where("id", "in", part).execute();
    const rest = await transaction
      .selectFrom("channel_keys")
      .select(["key_hash", "key_cipher", "key_mark"])
      .where("channel_id", "=", channelId)
      .orderBy("id")
      .execute();
    const [first] = rest;
    if (first === undefined && ids.length > 0) throw new AppError("channel_last_key");
    const isThere = first === undefined || rest.some(({ key_hash }) => key_hash === channel.key_hash);
    await changeChannel(transaction, channel, version, isThere ? {} : sealedOf(first));
    return { name: channel.name, count: ids.length };
  });
}

export interface DisabledKey {
  name: string;
  mark: string;
  /** Enabled keys that are left, and all. */
  left: number;
  total: number;
  /** True where the channel went off with its last key. */
  isChannelOff: boolean;
}

/**
 * Disables an enabled key of a channel with the reason, and with the last one the channel; undefined where it was not enabled any more.
 * `now` in Unix seconds. Throws not_found.
 */
export function disableKey(
  database: Database,
  { channelId, keyId, reason, now }: { channelId: number; keyId: number; reason: string; now: number },
): Promise<DisabledKey | undefined> {
  return withChannel(database, channelId, async (transaction, channel, version) => {
    const ofChannel = { id: keyId, channel_id: channelId, status: KEY_STATUS.enabled };
    const key = await transaction
      .selectFrom("channel_keys")
      .select("key_mark")
      .where((row) => row.and(ofChannel))
      .executeTakeFirst();
    if (key === undefined) return undefined;
    await transaction
      .updateTable("channel_keys")
      .set({ status: KEY_STATUS.autoDisabled, status_reason: reason, status_time: now })
      .where("id", "=", keyId)
      .execute();
    const counts = await countsOf(transaction, channel);
    const isChannelOff = counts.enabled === 0 && channel.status === CHANNEL_STATUS.enabled;
    const off = { status_reason: `${key.key_mark}: ${reason}`, status_time: now, no_key_left: true };
    const change = isChannelOff
      ? { status: CHANNEL_STATUS.autoDisabled, other_info: JSON.stringify(off) }
      : ({} as ChannelChange);
    await changeChannel(transaction, channel, version, change);
    return { name: channel.name, mark: key.key_mark, left: counts.enabled, total: totalOf(counts), isChannelOff };
  });
}
