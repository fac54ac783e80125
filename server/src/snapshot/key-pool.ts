/** The keys of channels that have several, as the relay takes them: for each enabled one the channel with that key. */
import type { Logger } from "pino";
import { KEY_STATUS, keyChoiceOf } from "../../../contract/src/channels/key-choices.ts";
import type { Database } from "../db/database.ts";
import { openChannelKey, type Secrets } from "../db/secrets.ts";
import type { ChannelRow } from "./rows.ts";
import type { KeyedChannel, SnapshotChannel } from "./snapshot.ts";

interface KeyRow {
  id: number;
  channel_id: number;
  key_hash: string;
  key_cipher: string;
  key_mark: string;
  status: number;
}

interface KeyPoolOptions {
  database: Database;
  secrets: Secrets;
  logger: Logger;
}

/** A stored key in clear. */
interface OpenedKey {
  row: KeyRow;
  key: string;
}

/** Channels of one statement. */
const CHANNELS_AT_ONCE = 500;

const hasSeveral = ({ key_choice }: ChannelRow): boolean => keyChoiceOf(key_choice) !== "one";

/** Reads the keys of channels that changed, and opens each once while it stays the same. */
export function keyPoolLoader({ database, secrets, logger }: KeyPoolOptions) {
  const known = new Map<number, OpenedKey[]>();

  /** By channel and id: what calls may have, and what a test may try. Those that somebody switched off are not among them. */
  const read = async (channels: readonly ChannelRow[]): Promise<Map<number, KeyRow[]>> => {
    const ids = channels.filter(hasSeveral).map(({ id }) => id);
    const rows: KeyRow[] = [];
    for (let from = 0; from < ids.length; from += CHANNELS_AT_ONCE)
      rows.push(
        ...(await database.kysely
          .selectFrom("channel_keys")
          .select(["id", "channel_id", "key_hash", "key_cipher", "key_mark", "status"])
          .where("channel_id", "in", ids.slice(from, from + CHANNELS_AT_ONCE))
          .where("status", "!=", KEY_STATUS.disabled)
          .orderBy("id")
          .execute()),
      );
    return Map.groupBy(rows, ({ channel_id }) => channel_id);
  };

  /** A key that cannot be read is out of service alone. */
  const open = (row: KeyRow, before: OpenedKey | undefined): OpenedKey[] => {
    if (before?.row.key_cipher === row.key_cipher) return [{ row, key: before.key }];
    try {
      return [{ row, key: openChannelKey(secrets, row) }];
    } catch (error) {
      logger.error(
        { channelId: row.channel_id, keyId: row.id, err: error },
        "a key of a channel cannot be decrypted; it is left out",
      );
      return [];
    }
  };

  return {
    read,
    /** The channel with its pool of keys, of the rows that `read` gave for it. */
    withPool(channel: SnapshotChannel, { key_choice }: ChannelRow, rows: readonly KeyRow[] | undefined) {
      const choice = keyChoiceOf(key_choice);
      if (choice === "one") {
        known.delete(channel.id);
        return channel;
      }
      const before = new Map(known.get(channel.id)?.map((each) => [each.row.id, each]));
      const opened = (rows ?? []).flatMap((row) => open(row, before.get(row.id)));
      known.set(channel.id, opened);
      return withPool(channel, choice === "in_turn", opened);
    },
    forget: (channelId: number) => void known.delete(channelId),
  };
}

/**
 * The channel's own `key`, which tests and lists of models use, becomes that of its first enabled key, else of the first one that a call
 * disabled.
 */
function withPool(channel: SnapshotChannel, isRoundRobin: boolean, opened: readonly OpenedKey[]): SnapshotChannel {
  const enabled = opened.filter(({ row }) => row.status === KEY_STATUS.enabled);
  const shown = enabled[0] ?? opened[0];
  const members: KeyedChannel[] = [];
  const whole: SnapshotChannel = {
    ...channel,
    key: shown?.key ?? channel.key,
    keys: { isRoundRobin, members, shownKeyId: shown?.row.id ?? 0 },
  };
  for (const { row, key } of enabled)
    members.push({ ...channel, key, ofKey: { id: row.id, mark: row.key_mark, channel: whole } });
  return whole;
}
