/** Channels and their routes in memory: when the version of channels rises, changed ones are read and deleted ones removed. */
import type { Logger } from "pino";
import { KEY_STATUS, keyChoiceOf } from "../../../contract/src/channels/choices.ts";
import type { Database } from "../db/database.ts";
import { openProxy, withProxy } from "../db/proxy-login.ts";
import { openChannelKey, openHeaderOverride, type Secrets } from "../db/secrets.ts";
import { RouteIndex } from "./routes.ts";
import { type ChannelRow, forEachPage, toChannel } from "./rows.ts";
import type { KeyedChannel, SnapshotChannel } from "./snapshot.ts";

// The keys of channels with several, in the relay's form: for each enabled key the channel with that key.

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

/** A stored key, decrypted. */
interface PooledKey {
  row: KeyRow;
  key: string;
}

/** Channels of one statement. */
const CHANNELS_AT_ONCE = 500;

const hasSeveral = ({ key_choice }: ChannelRow): boolean => keyChoiceOf(key_choice) !== "one";

/** Reads the keys of changed channels, and decrypts each once until it changes. */
function keyPoolLoader({ database, secrets, logger }: KeyPoolOptions) {
  const known = new Map<number, PooledKey[]>();

  /** By channel and id: what calls may use, and what a test may try. Keys that an administrator disabled are not among them. */
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

  /** An unreadable key is unavailable alone. */
  const open = (row: KeyRow, before: PooledKey | undefined): PooledKey[] => {
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
    /** The channel with its key pool, from the rows that `read` returned. */
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
 * The channel's own `key`, which tests and model lists use, is set to that of its first enabled key, else of the first one that was
 * disabled automatically.
 */
function withPool(channel: SnapshotChannel, isRoundRobin: boolean, opened: readonly PooledKey[]): SnapshotChannel {
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

/** A channel's row may have kilobytes of models. */
const PAGE_ROWS = 1_000;

interface ChannelLoaderOptions {
  database: Database;
  secrets: Secrets;
  logger: Logger;
}

interface OpenedKey {
  cipher: string;
  key: string;
}

/** Decrypts the keys of channels, each once until it changes. */
function keyOpener({ secrets, logger }: ChannelLoaderOptions) {
  const opened = new Map<number, OpenedKey>();
  /** An unreadable key makes its channel unavailable, not the server. */
  const keyOf = (row: ChannelRow): string | undefined => {
    const known = opened.get(row.id);
    if (known?.cipher === row.key_cipher) return known.key;
    try {
      const key = openChannelKey(secrets, row);
      opened.set(row.id, { cipher: row.key_cipher, key });
      return key;
    } catch (error) {
      logger.error(
        { channelId: row.id, err: error },
        "the key of a channel cannot be decrypted; the channel is left out",
      );
      return undefined;
    }
  };
  return { keyOf, forget: (id: number) => void opened.delete(id) };
}

/** Returns the row with the proxy's credentials and the header override decrypted. */
function rowOpener({ secrets, logger }: ChannelLoaderOptions) {
  /** Without its proxy or its headers a channel must not be called: its upstream must not see another address or client. */
  return (row: ChannelRow): ChannelRow | undefined => {
    try {
      const setting = withProxy(row.setting, (proxy) => openProxy(secrets, proxy));
      return { ...row, setting, header_override: openHeaderOverride(secrets, row.header_override) };
    } catch (error) {
      const text = "the proxy's login or the header override of a channel cannot be decrypted; the channel is left out";
      logger.error({ channelId: row.id, err: error }, text);
      return undefined;
    }
  };
}

/** `load` reads the channels that changed since a version, -1 for all; `channels` and `routes` change only together. */
export function channelLoader(options: ChannelLoaderOptions) {
  const { kysely } = options.database;
  const channels = new Map<number, SnapshotChannel>();
  const routes = new RouteIndex();
  /** Includes channels whose key, proxy or headers are unreadable. */
  const ids = new Set<number>();
  const { keyOf, forget } = keyOpener(options);
  const openedOf = rowOpener(options);
  const rings = keyPoolLoader(options);

  const place = (id: number, channel: SnapshotChannel | undefined): void => {
    routes.replace(channels.get(id), channel);
    if (channel === undefined) channels.delete(id);
    else channels.set(id, channel);
  };
  const apply = (row: ChannelRow, keyRows: Awaited<ReturnType<typeof rings.read>>): void => {
    const key = keyOf(row);
    const opened = openedOf(row);
    ids.add(row.id);
    const isReadable = key !== undefined && opened !== undefined;
    place(row.id, isReadable ? rings.withPool(toChannel(opened, key), row, keyRows.get(row.id)) : undefined);
  };
  /** Deleted channels have no version: they are noticed because there are fewer rows than known channels. */
  const removeDeleted = async (): Promise<void> => {
    const counted = await kysely
      .selectFrom("channels")
      .select((make) => make.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    if (Number(counted.count) === ids.size) return;
    const rows = await kysely.selectFrom("channels").select("id").execute();
    const left = new Set(rows.map(({ id }) => id));
    for (const id of ids.difference(left)) {
      ids.delete(id);
      forget(id);
      rings.forget(id);
      place(id, undefined);
    }
  };
  const load = async (since: number): Promise<void> => {
    const changed: ChannelRow[] = [];
    await forEachPage(
      (afterId, limit) =>
        kysely
          .selectFrom("channels")
          .selectAll()
          .where("changed_version", ">", since)
          .where("id", ">", afterId)
          .orderBy("id")
          .limit(limit)
          .execute(),
      (rows) => changed.push(...rows),
      PAGE_ROWS,
    );
    const keyRows = await rings.read(changed);
    // Atomically: no call sees half of a change of many channels.
    for (const row of changed) apply(row, keyRows);
    await removeDeleted();
  };
  return { channels, routes, load };
}
