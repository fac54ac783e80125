/** Rows of watched model lists: the result of the last fetch of an upstream's list, and which difference administrators were notified of. */
import type { Queries } from "../../db/portable.ts";
import { upsert } from "../../db/portable.ts";
import type { Database } from "../../db/database.ts";
import { WATCHED_MODELS_MAX } from "../../../../contract/src/channels/model-watch.ts";
import { firstCodePoints } from "../../util/text.ts";
import type { ModelDifference } from "./model-difference.ts";

/** Characters of a failure's column. */
const FAILURE_LENGTH = 300;

export interface StoredWatch extends ModelDifference {
  checkedTime: number;
  failure: string;
}

const NEVER_CHECKED: StoredWatch = Object.freeze({ added: [], removed: [], checkedTime: 0, failure: "" });

const listText = (models: readonly string[]): string => JSON.stringify(models.slice(0, WATCHED_MODELS_MAX));
const listOf = (text: string): string[] => JSON.parse(text) as string[]; // Written by listText alone.

/** Findings of these channels, by their ids; never fetched ones are left out. */
export async function findWatches(queries: Queries, ids: readonly number[]): Promise<ReadonlyMap<number, StoredWatch>> {
  if (ids.length === 0) return new Map();
  const rows = await queries
    .selectFrom("model_watches")
    .selectAll()
    .where("channel_id", "in", [...ids])
    .execute();
  return new Map(
    rows.map((row) => [
      row.channel_id,
      {
        added: listOf(row.added),
        removed: listOf(row.removed),
        checkedTime: Number(row.checked_time),
        failure: row.failure,
      },
    ]),
  );
}

export const findWatch = async (queries: Queries, id: number): Promise<StoredWatch> =>
  (await findWatches(queries, [id])).get(id) ?? NEVER_CHECKED;

/** Keeps what a look found. @param time Unix seconds; undefined where nothing was fetched */
export async function keepDifference(
  database: Database,
  queries: Queries,
  channelId: number,
  { added, removed }: ModelDifference,
  time?: number,
): Promise<void> {
  const found = { added: listText(added), removed: listText(removed) };
  const change = time === undefined ? found : { ...found, checked_time: time, failure: "" };
  const row = { channel_id: channelId, ...change, checked_time: time ?? 0 };
  await upsert(database, queries, "model_watches", row, ["channel_id"], change);
}

/** Keeps why the list could not be fetched; what was found before stays. @param time Unix seconds */
export async function keepFailure(
  database: Database,
  queries: Queries,
  channelId: number,
  failure: string,
  time: number,
): Promise<void> {
  const change = { checked_time: time, failure: firstCodePoints(failure, FAILURE_LENGTH) };
  const row = { channel_id: channelId, added: "[]", removed: "[]", ...change };
  await upsert(database, queries, "model_watches", row, ["channel_id"], change);
}

/** Marks a difference as the one that was notified of; false where it was already. The row has to exist. */
export async function claimNotice(queries: Queries, channelId: number, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("model_watches")
    .set({ told_hash: hash })
    .where("channel_id", "=", channelId)
    .where("told_hash", "!=", hash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
