/** Queries of channels. Every write raises the version and rebuilds the abilities it touches in one transaction. */
import { sql } from "kysely";
import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool, Transaction } from "kysely";
import type { ChannelSort } from "../../../../contract/src/channels/channel-list.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { TEST_RESULT } from "../../../../contract/src/channels/channel-tests.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../contract/src/query.ts";
import type { Database } from "../../db/database.ts";
import { contains, insertReturningId, listHas } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { ChannelTable, Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds } from "../../util/clock.ts";
import { dropMarksOfTargets, refuseLockedTargets } from "../managed-store.ts";
import { deleteKeysOf, reviveKeys } from "./keys/rows.ts";
import { chunks, deleteAbilities, rebuildAbilities } from "./abilities.ts";

export type StoredChannel = Selectable<ChannelTable>;
export type NewChannel = Omit<Insertable<ChannelTable>, "id" | "changed_version">;
/** Columns an administrator may write; counters and times are not among them. */
export type ChannelPatch = Partial<
  Omit<
    StoredChannel,
    | "id"
    | "changed_version"
    | "used_quota"
    | "created_time"
    | "response_time_ms"
    | "test_time"
    | "test_result"
    | "test_failure"
  >
>;

export interface ChannelFilter {
  status?: number | undefined;
  type?: number | undefined;
  /** One of TEST_RESULT. */
  testResult?: number | undefined;
  keyword?: { text: string; id: number; keyHash: string; isOfKeys?: boolean } | undefined;
  group?: string | undefined;
  model?: string | undefined;
  tags?: readonly string[] | undefined;
  /** Only channels without a tag. */
  isUntagged?: boolean;
}

type ChannelExpressions = ExpressionBuilder<Schema, "channels">;

const ID_CHUNK = 500;

/** Channels that have the key among several, or one of this mark. */
const ofKeys = (queries: ExpressionBuilder<Schema, "channels">, mark: string, keyHash: string) =>
  queries
    .selectFrom("channel_keys")
    .select("channel_keys.channel_id")
    .where((key) => key.or([key("channel_keys.key_hash", "=", keyHash), key("channel_keys.key_mark", "=", mark)]));

type Keyword = NonNullable<ChannelFilter["keyword"]>;

function keywordMatches(database: Database, builder: ChannelExpressions, keyword: Keyword) {
  const { text, id, keyHash, isOfKeys = true } = keyword;
  const ways: Expression<SqlBool>[] = [
    builder("id", "=", id),
    contains(database, builder.ref("name"), text),
    contains(database, builder.ref("base_url"), text),
    contains(database, builder.ref("remark"), text),
  ];
  if (!isOfKeys) return builder.or(ways);
  ways.push(
    builder("key_hash", "=", keyHash),
    builder("channels.id", "in", (queries) => ofKeys(queries, text, keyHash)),
  );
  if (text.length >= 4 && text.length <= 6) ways.push(sql<SqlBool>`substr(key_first, 1, ${text.length}) = ${text}`);
  if (text.length === 4) ways.push(builder("key_last", "=", text));
  return builder.or(ways);
}

function filtered(database: Database, queries: Queries, filter: ChannelFilter) {
  const { status, type, testResult, keyword, group, model, tags, isUntagged } = filter;
  let query = queries.selectFrom("channels");
  if (status !== undefined) query = query.where("status", "=", status);
  if (type !== undefined) query = query.where("type", "=", type);
  if (testResult !== undefined) query = query.where("test_result", "=", testResult);
  if (tags !== undefined) query = query.where("tag", "in", [...tags]);
  if (isUntagged === true) query = query.where("tag", "=", "");
  if (keyword !== undefined) query = query.where((builder) => keywordMatches(database, builder, keyword));
  if (model !== undefined) query = query.where((builder) => contains(database, builder.ref("models"), model));
  if (group !== undefined) query = query.where((builder) => listHas(database, builder.ref("group_names"), group));
  return query;
}

export interface ChannelOrder {
  by: ChannelSort;
  isDescending: boolean;
}

/** For answers that are not paged: more than any site has. */
export const EVERY_CHANNEL = 1_000_000;

export interface ChannelPage {
  order: ChannelOrder;
  offset: number;
  limit: number;
}

/** Ranks of a failed test, a timed one and none: failed is slower than any, and what was never tested comes last both ways. */
const TEST_RANKS = { desc: [0, 1, 2], asc: [1, 0, 2] } as const;

function ordered(query: ReturnType<typeof filtered>, { by, isDescending }: ChannelOrder) {
  const direction = isDescending ? "desc" : "asc";
  if (by === "id") return query.orderBy("id", direction);
  if (by === "balance") return byBalance(query, direction);
  if (by !== "response_time") return query.orderBy(by, direction).orderBy("id", "desc");
  const [failed, timed, none] = TEST_RANKS[direction];
  return query
    .orderBy(
      sql`case when test_result = ${sql.lit(TEST_RESULT.failed)} then ${sql.lit(failed)}
        when response_time_ms > 0 then ${sql.lit(timed)} else ${sql.lit(none)} end`,
    )
    .orderBy("response_time_ms", direction)
    .orderBy("id", "desc");
}

/** Amounts of different currencies are not compared: each currency by itself, and unknown ones come last in both directions. */
const byBalance = (query: ReturnType<typeof filtered>, direction: "asc" | "desc") =>
  query
    .orderBy(sql`case when balance_updated_time > 0 then 0 else 1 end`)
    .orderBy("balance_currency", direction)
    .orderBy("balance_micros", direction)
    .orderBy("id", "desc");

/** One page, always in one definite order; `total` counts all that pass. */
export async function findChannels(
  database: Database,
  filter: ChannelFilter,
  page: ChannelPage,
): Promise<{ rows: StoredChannel[]; total: number }> {
  const base = filtered(database, database.kysely, filter);
  const [rows, counted] = await Promise.all([
    ordered(base, page.order).selectAll().limit(page.limit).offset(page.offset).execute(),
    base.select((builder) => builder.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(counted.total) };
}

/** Channels whose circuit breaker is open in some process, with the latest end in Unix milliseconds; there are never many. */
export async function findOpenBreakers({ kysely }: Database, nowMs: number): Promise<ReadonlyMap<number, number>> {
  const rows = await kysely
    .selectFrom("open_breakers")
    .select((builder) => ["channel_id", builder.fn.max("open_until_ms").as("until")])
    .where("open_until_ms", ">", nowMs)
    .where("key_id", "=", 0)
    .groupBy("channel_id")
    .execute();
  return new Map(rows.map(({ channel_id, until }) => [channel_id, Number(until)]));
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

export async function findByIds(transaction: Transaction<Schema>, ids: readonly number[]): Promise<StoredChannel[]> {
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

/** Inserts all of them with their abilities, or none; gives their ids. `giveKeys` inserts the keys of a channel that has several. */
export function insertChannels(
  database: Database,
  channels: readonly NewChannel[],
  giveKeys?: (transaction: Transaction<Schema>, channelId: number) => Promise<void>,
): Promise<number[]> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "channels");
    const ids: number[] = [];
    for (const channel of channels) {
      ids.push(await insertReturningId(database, transaction, "channels", { ...channel, changed_version }));
    }
    if (giveKeys !== undefined) for (const id of ids) await giveKeys(transaction, id);
    await rebuildAbilities(transaction, await findByIds(transaction, ids));
    return ids;
  });
}

/** Channels by their ids, where those that are gone are passed over; or all that a filter finds, but for some. */
export type ChosenChannels =
  | { ids: readonly number[] }
  | { filter: ChannelFilter; total: number; excluded: readonly number[] };

/** Ids of the chosen channels, in their order. Throws selection_changed where another number than `total` passes the filter. */
export async function findChosen(database: Database, queries: Queries, chosen: ChosenChannels): Promise<number[]> {
  if ("ids" in chosen) return findExisting(queries, [...new Set(chosen.ids)]);
  const { filter, total, excluded } = chosen;
  const rows = await filtered(database, queries, filter).select("channels.id").orderBy("channels.id").execute();
  const count = rows.length;
  if (count !== total) {
    const message = `${count} channels match now, not ${total}; nothing was done`;
    throw new AppError("selection_changed", { message, values: { count, total } });
  }
  const isExcluded = new Set(excluded);
  return rows.map(({ id }) => id).filter((id) => !isExcluded.has(id));
}

async function findExisting(queries: Queries, ids: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (const part of chunks(ids, ID_CHUNK)) {
    const rows = await queries.selectFrom("channels").select("id").where("id", "in", part).orderBy("id").execute();
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

/** Writes a patch to the channels that `choose` names, with their abilities; gives the ids of those there were. */
const patchChosen = (
  database: Database,
  choose: (transaction: Transaction<Schema>) => Promise<readonly number[]>,
  patch: ChannelPatch,
): Promise<number[]> => writeChosen(database, async (transaction) => ({ ids: await choose(transaction), patch }));

/** Whether a patch only switches channels on or off, which a configuration file does not lock. */
const isSwitch = (patch: ChannelPatch): boolean =>
  Object.keys(patch).every((column) => column === "status" || column === "other_info");

/** As `patchChosen`, where the patch too is decided on inside. */
async function writeChosen(
  database: Database,
  choose: (transaction: Transaction<Schema>) => Promise<{ ids: readonly number[]; patch: ChannelPatch }>,
): Promise<number[]> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: writers of channels stand in one line, so what is read next is what the abilities are made of.
    const changed_version = await bumpVersion(transaction, "channels");
    const { ids, patch } = await choose(transaction);
    if (!isSwitch(patch)) await refuseLockedTargets(transaction, "channel", ids);
    for (const part of chunks(ids, ID_CHUNK)) {
      await transaction
        .updateTable("channels")
        .set({ ...patch, changed_version })
        .where("id", "in", part)
        .execute();
    }
    if (patch.status === CHANNEL_STATUS.enabled) await reviveKeys(transaction, ids, nowSeconds());
    const rows = await findByIds(transaction, ids);
    await rebuildAbilities(transaction, rows);
    return rows.map(({ id }) => id);
  });
}

/**
 * Changes one channel by what `plan` makes of it as it is stored, under the lock of all writers; undefined where there is none. What `plan`
 * throws undoes everything.
 */
export async function changeChannel(
  database: Database,
  id: number,
  plan: (transaction: Transaction<Schema>, before: StoredChannel) => Promise<ChannelPatch>,
): Promise<{ before: StoredChannel; patch: ChannelPatch } | undefined> {
  let planned: { before: StoredChannel; patch: ChannelPatch } | undefined;
  const choose = async (transaction: Transaction<Schema>) => {
    const before = await findChannel(transaction, id);
    if (before === undefined) return { ids: [], patch: {} };
    planned = { before, patch: await plan(transaction, before) };
    return { ids: [id], patch: planned.patch };
  };
  await writeChosen(database, choose);
  return planned;
}

/** Writes a patch to the chosen channels; gives the ids of those there were. Throws selection_changed; then nothing is written. */
export const patchChannels = (database: Database, chosen: ChosenChannels, patch: ChannelPatch): Promise<number[]> =>
  patchChosen(database, (transaction) => findChosen(database, transaction, chosen), patch);

/**
 * Takes a model off those of the chosen channels that have others besides; gives their ids, and how many channels keep it as their only one.
 * Throws selection_changed and managed_locked; then nothing is written.
 */
export function takeModel(database: Database, chosen: ChosenChannels, model: string) {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "channels");
    const rows = await findByIds(transaction, await findChosen(database, transaction, chosen));
    const having = rows.filter(({ models }) => splitList(models).includes(model));
    const without = ({ models }: StoredChannel): string => String(splitList(models).filter((each) => each !== model));
    const changed = having.map((row) => ({ ...row, models: without(row) })).filter(({ models }) => models !== "");
    const ids = changed.map(({ id }) => id);
    await refuseLockedTargets(transaction, "channel", ids);
    for (const { id, models } of changed)
      await transaction.updateTable("channels").set({ models, changed_version }).where("id", "=", id).execute();
    await rebuildAbilities(transaction, changed);
    return { ids, onlyCount: having.length - ids.length };
  });
}

/** Writes a patch to all channels of a tag; gives how many there were. */
export const patchTag = (database: Database, tag: string, patch: ChannelPatch): Promise<number> =>
  patchChosen(database, (transaction) => findIds(transaction, tag), patch).then((ids) => ids.length);

/** Builds every ability anew, also removing those of channels that are gone, and has all processes read all channels; gives their number. */
export function rebuildAllAbilities(database: Database): Promise<number> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "channels");
    await transaction.updateTable("channels").set({ changed_version }).execute();
    await transaction.deleteFrom("abilities").execute();
    const rows = await transaction.selectFrom("channels").selectAll().orderBy("id").execute();
    await rebuildAbilities(transaction, rows);
    return rows.length;
  });
}

async function deleteChosen(
  database: Database,
  choose: (transaction: Transaction<Schema>) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  return database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "channels");
    const ids = await choose(transaction);
    await refuseLockedTargets(transaction, "channel", ids);
    await deleteRows(transaction, ids);
    return ids;
  });
}

/** Deletes channels with everything that belongs to them. */
export async function deleteRows(transaction: Transaction<Schema>, ids: readonly number[]): Promise<void> {
  await deleteAbilities(transaction, ids);
  await deleteKeysOf(transaction, ids);
  await dropMarksOfTargets(transaction, "channel", ids);
  for (const part of chunks(ids, ID_CHUNK)) {
    await transaction.deleteFrom("model_watches").where("channel_id", "in", part).execute();
    await transaction.deleteFrom("channels").where("id", "in", part).execute();
  }
}

/** Deletes the chosen channels with their abilities; gives the ids of those there were. Throws selection_changed; then none is deleted. */
export const deleteChannels = (database: Database, chosen: ChosenChannels): Promise<readonly number[]> =>
  deleteChosen(database, (transaction) => findChosen(database, transaction, chosen));

/** Deletes every channel that is not enabled; gives the ids of those there were. */
export const deleteDisabledChannels = (database: Database): Promise<readonly number[]> =>
  deleteChosen(database, async (transaction) => {
    const rows = await transaction
      .selectFrom("channels")
      .select("id")
      .where("status", "!=", CHANNEL_STATUS.enabled)
      .execute();
    return rows.map(({ id }) => id);
  });

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
  return patchChosen(database, choose, { status: change.to, other_info }).then((ids) => ids.length === 1);
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
