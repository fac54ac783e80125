/** Queries of channels. Every write raises the version and rebuilds the abilities it touches in one transaction. */
import { sql } from "kysely";
import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool, Transaction } from "kysely";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { Database } from "../../db/database.ts";
import { contains, insertReturningId } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { ChannelTable, Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { chunks, deleteAbilities, rebuildAbilities } from "./abilities.ts";

export type StoredChannel = Selectable<ChannelTable>;
export type NewChannel = Omit<Insertable<ChannelTable>, "id" | "changed_version">;
/** Columns an administrator may write; counters and times are not among them. */
export type ChannelPatch = Partial<
  Omit<
    StoredChannel,
    "id" | "changed_version" | "used_quota" | "created_time" | "response_time_ms" | "test_time" | "balance_micros"
  >
>;

export interface ChannelFilter {
  status?: number | undefined;
  type?: number | undefined;
  keyword?: { text: string; id: number; keyHash: string } | undefined;
  group?: string | undefined;
  model?: string | undefined;
  tags?: readonly string[] | undefined;
  /** Only channels without a tag. */
  isUntagged?: boolean;
}

type ChannelExpressions = ExpressionBuilder<Schema, "channels">;

const ID_CHUNK = 500;

function keywordMatches(
  database: Database,
  builder: ChannelExpressions,
  keyword: { text: string; id: number; keyHash: string },
) {
  const { text, id, keyHash } = keyword;
  const ways: Expression<SqlBool>[] = [
    builder("id", "=", id),
    builder("key_hash", "=", keyHash),
    contains(database, builder.ref("name"), text),
    contains(database, builder.ref("base_url"), text),
  ];
  if (text.length >= 4 && text.length <= 6) ways.push(sql<SqlBool>`substr(key_first, 1, ${text.length}) = ${text}`);
  if (text.length === 4) ways.push(builder("key_last", "=", text));
  return builder.or(ways);
}

function filtered(database: Database, queries: Queries, filter: ChannelFilter) {
  const { status, type, keyword, group, model, tags, isUntagged } = filter;
  let query = queries.selectFrom("channels");
  if (status !== undefined) query = query.where("status", "=", status);
  if (type !== undefined) query = query.where("type", "=", type);
  if (tags !== undefined) query = query.where("tag", "in", [...tags]);
  if (isUntagged === true) query = query.where("tag", "=", "");
  if (keyword !== undefined) query = query.where((builder) => keywordMatches(database, builder, keyword));
  if (model !== undefined) query = query.where((builder) => contains(database, builder.ref("models"), model));
  if (group !== undefined) query = query.where((builder) => offersTo(builder, group));
  return query;
}

/** Abilities stand for the comma-joined groups, so that `vip` does not find `svip`. */
function offersTo(builder: ChannelExpressions, group: string) {
  const abilities = builder
    .selectFrom("abilities")
    .select("abilities.channel_id")
    .where("abilities.group_name", "=", group);
  return builder("channels.id", "in", abilities);
}

export interface ChannelPage {
  isById: boolean;
  offset: number;
  limit: number;
}

/** One page, by priority or id, always in one definite order; `total` counts all that pass. */
export async function findChannels(
  database: Database,
  filter: ChannelFilter,
  page: ChannelPage,
): Promise<{ rows: StoredChannel[]; total: number }> {
  const base = filtered(database, database.kysely, filter);
  const ordered = page.isById ? base : base.orderBy("priority", "desc");
  const [rows, counted] = await Promise.all([
    ordered.selectAll().orderBy("id", "desc").limit(page.limit).offset(page.offset).execute(),
    base.select((builder) => builder.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(counted.total) };
}

/** One page of tags in use, by name, among the channels that pass the filter. */
export async function findTags(
  database: Database,
  filter: ChannelFilter,
  page: Pick<ChannelPage, "offset" | "limit">,
): Promise<{ tags: string[]; total: number }> {
  const base = filtered(database, database.kysely, filter).where("tag", "!=", "");
  const [rows, counted] = await Promise.all([
    base.select("tag").distinct().orderBy("tag").limit(page.limit).offset(page.offset).execute(),
    base.select((builder) => builder.fn.count<number>("tag").distinct().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { tags: rows.map(({ tag }) => tag), total: Number(counted.total) };
}

export function findChannel(queries: Queries, id: number): Promise<StoredChannel | undefined> {
  return queries.selectFrom("channels").selectAll().where("id", "=", id).executeTakeFirst();
}

async function findByIds(transaction: Transaction<Schema>, ids: readonly number[]): Promise<StoredChannel[]> {
  const rows: StoredChannel[] = [];
  for (const part of chunks(ids, ID_CHUNK)) {
    rows.push(...(await transaction.selectFrom("channels").selectAll().where("id", "in", part).execute()));
  }
  return rows;
}

/** Ids of all channels, or of those of one tag. */
async function findIds(queries: Queries, tag?: string): Promise<number[]> {
  const base = queries.selectFrom("channels").select("id").orderBy("id");
  const rows = await (tag === undefined ? base : base.where("tag", "=", tag)).execute();
  return rows.map(({ id }) => id);
}

/** Inserts all of them with their abilities, or none; gives their ids. */
export function insertChannels(database: Database, channels: readonly NewChannel[]): Promise<number[]> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "channels");
    const ids: number[] = [];
    for (const channel of channels) {
      ids.push(await insertReturningId(database, transaction, "channels", { ...channel, changed_version }));
    }
    await rebuildAbilities(transaction, await findByIds(transaction, ids));
    return ids;
  });
}

/** Writes a patch to the channels that `choose` names, with their abilities; gives how many there were. */
async function patchChosen(
  database: Database,
  choose: (transaction: Transaction<Schema>) => Promise<readonly number[]>,
  patch: ChannelPatch,
): Promise<number> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: writers of channels stand in one line, so what is read next is what the abilities are made of.
    const changed_version = await bumpVersion(transaction, "channels");
    const ids = await choose(transaction);
    for (const part of chunks(ids, ID_CHUNK)) {
      await transaction
        .updateTable("channels")
        .set({ ...patch, changed_version })
        .where("id", "in", part)
        .execute();
    }
    const rows = await findByIds(transaction, ids);
    await rebuildAbilities(transaction, rows);
    return rows.length;
  });
}

/** Writes a patch to the channels with these ids; those that do not exist are passed over. Gives how many there were. */
export const patchChannels = (database: Database, ids: readonly number[], patch: ChannelPatch): Promise<number> =>
  patchChosen(database, async (transaction) => (await findByIds(transaction, ids)).map(({ id }) => id), patch);

/** Writes a patch to all channels of a tag. */
export const patchTag = (database: Database, tag: string, patch: ChannelPatch): Promise<number> =>
  patchChosen(database, (transaction) => findIds(transaction, tag), patch);

/** Builds every ability anew, also removing those of channels that are gone; gives the number of channels. */
export function rebuildAllAbilities(database: Database): Promise<number> {
  return database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "channels");
    await transaction.deleteFrom("abilities").execute();
    const rows = await transaction.selectFrom("channels").selectAll().orderBy("id").execute();
    await rebuildAbilities(transaction, rows);
    return rows.length;
  });
}

async function deleteChosen(
  database: Database,
  choose: (transaction: Transaction<Schema>) => Promise<readonly number[]>,
): Promise<number> {
  return database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "channels");
    const ids = await choose(transaction);
    await deleteAbilities(transaction, ids);
    for (const part of chunks(ids, ID_CHUNK)) {
      await transaction.deleteFrom("channels").where("id", "in", part).execute();
    }
    return ids.length;
  });
}

/** Deletes the channels with these ids and their abilities; gives how many there were. */
export const deleteChannels = (database: Database, ids: readonly number[]): Promise<number> =>
  deleteChosen(database, async (transaction) => (await findByIds(transaction, ids)).map(({ id }) => id));

/** Deletes every channel that is not enabled. */
export const deleteDisabledChannels = (database: Database): Promise<number> =>
  deleteChosen(database, async (transaction) => {
    const rows = await transaction
      .selectFrom("channels")
      .select("id")
      .where("status", "!=", CHANNEL_STATUS.enabled)
      .execute();
    return rows.map(({ id }) => id);
  });

/** Keeps what a test found out; no process routes by it, so no version is raised. `testTime` in Unix seconds. */
export async function storeTestTime(
  database: Database,
  id: number,
  responseTimeMs: number,
  testTime: number,
): Promise<void> {
  const change = { response_time_ms: responseTimeMs, test_time: testTime };
  await database.kysely.updateTable("channels").set(change).where("id", "=", id).execute();
}

/** Moves a channel from one status to another with the reason; false where it is no longer in the first. `now` in Unix seconds. */
export function moveStatus(
  database: Database,
  id: number,
  change: { from: number; to: number; reason: string; now: number },
): Promise<boolean> {
  const other_info =
    change.reason === "" ? "" : JSON.stringify({ status_reason: change.reason, status_time: change.now });
  const choose = async (transaction: Transaction<Schema>) => {
    const row = await findChannel(transaction, id);
    return row?.status === change.from ? [id] : [];
  };
  return patchChosen(database, choose, { status: change.to, other_info }).then((count) => count === 1);
}

/** Names of the models that some enabled channel offers, sorted. */
export async function findEnabledModels(database: Database): Promise<string[]> {
  const rows = await database.kysely
    .selectFrom("abilities")
    .select("model")
    .distinct()
    .where("enabled", "=", 1)
    .orderBy("model")
    .execute();
  return rows.map(({ model }) => model);
}
