/** Saved views of the log: filters under a name, of one account and for it alone. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  logViewSearch,
  LOG_VIEWS_MAX,
  type NewLogView,
  type SavedLogView,
} from "../../../../contract/src/logs/filters.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows, locked, type Queries } from "../../db/portable.ts";
import { parseJson } from "../../util/json-read.ts";

const ofUser = async (queries: Queries, userId: number): Promise<SavedLogView[]> => {
  const rows = await queries
    .selectFrom("log_views")
    .select(["id", "name", "search"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
  return rows.map(({ id, name, search }) => ({ id, name, search: logViewSearch.catch({}).parse(parseJson(search)) }));
};

/** The views of the account, the latest saved last. */
export const listViews = ({ kysely }: Database, userId: number): Promise<SavedLogView[]> => ofUser(kysely, userId);

/** Of two of one name the last one. */
const distinct = (views: readonly NewLogView[]): NewLogView[] => [
  ...new Map(views.map((view) => [view.name, view])).values(),
];

/**
 * Saves all of these or none; one of the same name takes the place of the earlier one.
 * @returns all views of the account.
 * @throws AppError log_view_limit where there would be more than LOG_VIEWS_MAX.
 */
export async function saveViews(
  database: Database,
  userId: number,
  sent: readonly NewLogView[],
): Promise<SavedLogView[]> {
  const views = distinct(sent);
  return database.kysely.transaction().execute(async (transaction) => {
    // Those who save for one account at once do so one after the other, so that none goes beyond the limit.
    const account = transaction.selectFrom("users").select("id").where("id", "=", userId);
    await locked(database, account).executeTakeFirstOrThrow();
    const earlier = await ofUser(transaction, userId);
    const replaced = earlier.filter(({ name }) => views.some((view) => view.name === name)).map(({ id }) => id);
    if (earlier.length - replaced.length + views.length > LOG_VIEWS_MAX) throw new AppError("log_view_limit");
    if (replaced.length > 0) await transaction.deleteFrom("log_views").where("id", "in", replaced).execute();
    const rows = views.map(({ name, search }) => ({ user_id: userId, name, search: JSON.stringify(search) }));
    await transaction.insertInto("log_views").values(rows).execute();
    return ofUser(transaction, userId);
  });
}

/** Removes one. @returns what is left. @throws AppError not_found where it is not theirs. */
export async function removeView({ kysely }: Database, userId: number, id: number): Promise<SavedLogView[]> {
  const removed = kysely.deleteFrom("log_views").where("id", "=", id).where("user_id", "=", userId);
  if (affectedRows(await removed.executeTakeFirstOrThrow()) !== 1) throw new AppError("not_found");
  return ofUser(kysely, userId);
}
