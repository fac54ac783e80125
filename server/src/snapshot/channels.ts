/** Channels in memory with the routes they make: what changed is read, and what is gone found, when the version of channels rises. */
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { openProxy, withProxy } from "../db/proxy-login.ts";
import { type Secrets, openChannelKey } from "../db/secrets.ts";
import { keyPoolLoader } from "./key-pool.ts";
import { forEachPage } from "./pages.ts";
import { RouteIndex } from "./routes.ts";
import { type ChannelRow, toChannel } from "./rows.ts";
import type { SnapshotChannel } from "./snapshot.ts";

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

/** Opens the keys of channels, each once until it changes. */
function keyOpener({ secrets, logger }: ChannelLoaderOptions) {
  const opened = new Map<number, OpenedKey>();
  /** A key that cannot be read takes its channel out of service, not the server. */
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

/** Gives the setting with the proxy's login in clear. */
function settingOpener({ secrets, logger }: ChannelLoaderOptions) {
  /** Without its proxy a channel must not be called: whoever set one wants its upstream to see no other address. */
  return (row: ChannelRow): string | undefined => {
    try {
      return withProxy(row.setting, (proxy) => openProxy(secrets, proxy));
    } catch (error) {
      const text = "the login of a channel's proxy cannot be decrypted; the channel is left out";
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
  /** Also of channels whose key or proxy cannot be read. */
  const ids = new Set<number>();
  const { keyOf, forget } = keyOpener(options);
  const settingOf = settingOpener(options);
  const rings = keyPoolLoader(options);

  const place = (id: number, channel: SnapshotChannel | undefined): void => {
    routes.replace(channels.get(id), channel);
    if (channel === undefined) channels.delete(id);
    else channels.set(id, channel);
  };
  const apply = (row: ChannelRow, keyRows: Awaited<ReturnType<typeof rings.read>>): void => {
    const key = keyOf(row);
    const setting = settingOf(row);
    ids.add(row.id);
    const isReadable = key !== undefined && setting !== undefined;
    place(
      row.id,
      isReadable ? rings.withPool(toChannel({ ...row, setting }, key), row, keyRows.get(row.id)) : undefined,
    );
  };
  /** Deleted channels leave no version behind: there are fewer rows than are known here. */
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
    // In one piece: no call sees one half of an act on many channels.
    for (const row of changed) apply(row, keyRows);
    await removeDeleted();
  };
  return { channels, routes, load };
}
