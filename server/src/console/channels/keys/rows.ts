/** Rows of channels' keys, in the caller's transaction: counted, copied, deleted and switched; and the mark by which a list shows a key. The stores of channels and of keys share them. */
import type { Transaction } from "kysely";
import { KEY_STATUS, storedKeyChoice } from "../../../../../contract/src/channels/choices.ts";
import type { Queries } from "../../../db/portable.ts";
import type { Schema } from "../../../db/schema.ts";
import { sealChannelKey, type SealedKey, type Secrets } from "../../../db/secrets.ts";
import { chunks } from "../abilities.ts";

/** A key as its row has it. */
export interface SealedRow {
  key_hash: string;
  key_cipher: string;
  key_mark: string;
}

export interface KeyCounts {
  enabled: number;
  disabled: number;
  autoDisabled: number;
}

const ID_CHUNK = 500;
const ROWS_AT_ONCE = 100;

const COUNT_OF_STATUS: Readonly<Record<number, keyof KeyCounts>> = {
  [KEY_STATUS.enabled]: "enabled",
  [KEY_STATUS.disabled]: "disabled",
  [KEY_STATUS.autoDisabled]: "autoDisabled",
};

/** How many keys of each status these channels have; those of one key are not in it. */
export async function countKeys(queries: Queries, channelIds: readonly number[]): Promise<Map<number, KeyCounts>> {
  const counts = new Map<number, KeyCounts>();
  for (const part of chunks(channelIds, ID_CHUNK)) {
    const rows = await queries
      .selectFrom("channel_keys")
      .select(({ fn }) => ["channel_id", "status", fn.countAll<number>().as("count")])
      .where("channel_id", "in", part)
      .groupBy(["channel_id", "status"])
      .execute();
    for (const { channel_id, status, count } of rows) {
      const known = counts.getOrInsertComputed(channel_id, () => ({ enabled: 0, disabled: 0, autoDisabled: 0 }));
      known[COUNT_OF_STATUS[status] ?? "disabled"] += Number(count);
    }
  }
  return counts;
}

export const totalOf = ({ enabled, disabled, autoDisabled }: KeyCounts): number => enabled + disabled + autoDisabled;

/** All keys of a channel of several, sealed. */
export const sealedKeysOf = (
  queries: Queries,
  channelId: number,
): Promise<Pick<SealedRow, "key_hash" | "key_cipher">[]> =>
  queries
    .selectFrom("channel_keys")
    .select(["key_hash", "key_cipher"])
    .where("channel_id", "=", channelId)
    .orderBy("id")
    .execute();

/** Inserts keys that the channel does not have; `now` in Unix seconds. */
export async function insertKeys(
  transaction: Transaction<Schema>,
  channelId: number,
  keys: readonly SealedRow[],
  now: number,
): Promise<void> {
  const rows = keys.map((key) => ({ ...key, channel_id: channelId, status: KEY_STATUS.enabled, created_time: now }));
  for (const part of chunks(rows, ROWS_AT_ONCE)) await transaction.insertInto("channel_keys").values(part).execute();
}

/** Gives a channel the keys of another with their statuses and reasons; their counters begin anew. `now` in Unix seconds. */
export async function copyKeys(transaction: Transaction<Schema>, from: number, to: number, now: number): Promise<void> {
  const rows = await transaction
    .selectFrom("channel_keys")
    .select(["key_hash", "key_cipher", "key_mark", "status", "status_reason", "status_time"])
    .where("channel_id", "=", from)
    .orderBy("id")
    .execute();
  for (const part of chunks(rows, ROWS_AT_ONCE))
    await transaction
      .insertInto("channel_keys")
      .values(part.map((row) => ({ ...row, channel_id: to, created_time: now })))
      .execute();
}

/** Deletes the keys of channels that go. */
export async function deleteKeysOf(transaction: Transaction<Schema>, channelIds: readonly number[]): Promise<void> {
  for (const part of chunks(channelIds, ID_CHUNK))
    await transaction.deleteFrom("channel_keys").where("channel_id", "in", part).execute();
}

/**
 * Of channels that are switched on, those of several keys without an enabled one get the keys back that calls had disabled: a channel
 * that is on but has no usable key would be a mistake. Keys that were switched off by hand stay off. `now` in Unix seconds.
 */
export async function reviveKeys(
  transaction: Transaction<Schema>,
  channelIds: readonly number[],
  now: number,
): Promise<void> {
  const counts = await countKeys(transaction, channelIds);
  const keyless = [...counts].filter(([, { enabled, autoDisabled }]) => enabled === 0 && autoDisabled > 0);
  for (const part of chunks(keyless, ID_CHUNK))
    await transaction
      .updateTable("channel_keys")
      .set({ status: KEY_STATUS.enabled, status_reason: "", status_time: now })
      .where(
        "channel_id",
        "in",
        part.map(([id]) => id),
      )
      .where("status", "=", KEY_STATUS.autoDisabled)
      .execute();
}

/** `key_choice` of a channel of one key. */
export const ONE_KEY = storedKeyChoice("one");

/** Of a shorter key the characters shown would be most of it. */
const SHORTEST_SHOWN = 16;
const HASH_CHARACTERS = 6;

/** The id of a service account's key in its JSON, which its vendor shows too. */
const ACCOUNT_KEY_ID = /"private_key_id"\s*:\s*"([^"\\]+)"/;

/** First and last characters; of JSON the end of its key's id; of a short one the beginning of its hash, which does not reveal it. */
function markOf(key: string, hash: string): string {
  if (key.startsWith("{")) {
    const id = ACCOUNT_KEY_ID.exec(key)?.[1] ?? "";
    return id.length >= SHORTEST_SHOWN
      ? `JSON …${id.slice(-HASH_CHARACTERS)}`
      : `JSON #${hash.slice(0, HASH_CHARACTERS)}`;
  }
  return key.length >= SHORTEST_SHOWN ? `${key.slice(0, 4)}…${key.slice(-4)}` : `#${hash.slice(0, HASH_CHARACTERS)}`;
}

/** A key as rows keep it: that of the channel itself and, with its mark, one of several. */
export function sealOneOfSeveral(secrets: Secrets, key: string): { own: SealedKey; row: SealedRow } {
  const own = sealChannelKey(secrets, key);
  const { key_hash, key_cipher } = own;
  return { own, row: { key_hash, key_cipher, key_mark: markOf(key, key_hash) } };
}
