/** Saved lists of models, tags and endpoints: administrators make, change and delete them, and forms are filled from them. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  type NewPrefillGroup,
  PREFILL_GROUPS_MAX,
  PREFILL_NAME_MAX,
  type PrefillGroup,
  prefillGroup,
  type PrefillUpdate,
  readItems,
} from "../../../../contract/src/family/prefill-groups.ts";
import { affectedRows, insertReturningId, locked, type Queries } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import { parseJson } from "../../util/json-read.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";

/** A list as the log stores it: its items may be far longer than a row should be. */
const ITEMS_SHOWN = 1_000;
const factsOf = ({ name, type, items, description }: Omit<PrefillGroup, "id" | "created_time" | "updated_time">) => ({
  name,
  type,
  items: JSON.stringify(items).slice(0, ITEMS_SHOWN),
  description,
});

type ListContext = Pick<ConsoleContext, "database" | "billing" | "clock">;

async function listsOf(queries: Queries): Promise<PrefillGroup[]> {
  const order = queries.selectFrom("prefill_groups").selectAll().orderBy("updated_time", "desc");
  const rows = await order.orderBy("id", "desc").execute();
  return rows.map((row) => prefillGroup.parse({ ...row, items: parseJson(row.items) }));
}

/** All lists, or those of one type; the latest changed first. A type that does not exist has none. */
export async function listPrefillGroups({ database }: Pick<ListContext, "database">, type: string | undefined) {
  const lists = await listsOf(database.kysely);
  return type === undefined ? lists : lists.filter((list) => list.type === type);
}

/** Trimmed; length counts characters. */
function checkName(sent: string): string {
  const name = sent.trim();
  const { length } = [...name];
  if (length >= 1 && length <= PREFILL_NAME_MAX) return name;
  throw new AppError("invalid_field", {
    field: "name",
    message: `The name has to have 1 to ${PREFILL_NAME_MAX} characters`,
  });
}

/** Runs a write with all lists before it. Writers come one after the other: name and number of lists are still so when the row is written. */
function writing<Result>(
  { database }: ListContext,
  write: (queries: Queries, lists: readonly PrefillGroup[]) => Promise<Result>,
) {
  return database.kysely.transaction().execute(async (transaction) => {
    await locked(database, transaction.selectFrom("setups").select("id")).execute();
    return write(transaction, await listsOf(transaction));
  });
}

function checkFree(lists: readonly PrefillGroup[], name: string, id?: number): void {
  // As databases compare names: the unique key of some ignores case.
  const isTaken = lists.some((list) => list.id !== id && list.name.toLowerCase() === name.toLowerCase());
  if (isTaken) throw new AppError("invalid_field", { field: "name", message: "Another list has this name" });
}

/** Saves a list. Throws invalid_field for a name that is taken, items that do not fit the type, and beyond PREFILL_GROUPS_MAX. */
export async function createPrefillGroup(
  context: ListContext,
  actor: Actor,
  sent: NewPrefillGroup,
): Promise<PrefillGroup> {
  const [name, items] = [checkName(sent.name), readItems(sent.type, sent.items)];
  const now = nowSeconds(context.clock);
  const row = {
    name,
    type: sent.type,
    description: sent.description?.trim() ?? "",
    created_time: now,
    updated_time: now,
  };
  const id = await writing(context, async (queries, lists) => {
    checkFree(lists, name);
    if (lists.length >= PREFILL_GROUPS_MAX)
      throw new AppError("invalid_field", {
        field: "name",
        message: `There are ${PREFILL_GROUPS_MAX} lists; delete one first`,
      });
    return insertReturningId(context.database, queries, "prefill_groups", { ...row, items: JSON.stringify(items) });
  });
  await audit(
    context,
    actor,
    { code: "saved_list_created", values: { name, id } },
    { after: factsOf({ ...row, items }) },
  );
  return { id, ...row, items };
}

/** Changes the fields that are sent. Throws not_found, and invalid_field as the making does. */
export async function updatePrefillGroup(
  context: ListContext,
  actor: Actor,
  sent: PrefillUpdate,
): Promise<PrefillGroup> {
  const { before, after } = await writing(context, async (queries, lists) => {
    const before = lists.find((list) => list.id === sent.id);
    if (before === undefined) throw new AppError("not_found", { message: "This list was not found" });
    const name = sent.name === undefined ? before.name : checkName(sent.name);
    checkFree(lists, name, before.id);
    const type = sent.type ?? before.type;
    const items = readItems(type, sent.items ?? before.items);
    const description = sent.description?.trim() ?? before.description;
    const patch = { name, type, description, updated_time: nowSeconds(context.clock) };
    const change = queries.updateTable("prefill_groups").set({ ...patch, items: JSON.stringify(items) });
    await change.where("id", "=", before.id).execute();
    return { before, after: { ...before, ...patch, items } };
  });
  const { id, name } = after;
  const detail = { before: factsOf(before), after: factsOf(after) };
  await audit(context, actor, { code: "saved_list_changed", values: { name, id } }, detail);
  return after;
}

/** Deletes a list; what was filled from it stays. Throws not_found. */
export async function deletePrefillGroup(context: ListContext, actor: Actor, id: number): Promise<void> {
  const { kysely } = context.database;
  const row = await kysely
    .selectFrom("prefill_groups")
    .select(["name", "type"])
    .where("id", "=", id)
    .executeTakeFirst();
  const removed = row && (await kysely.deleteFrom("prefill_groups").where("id", "=", id).executeTakeFirstOrThrow());
  if (row === undefined || removed === undefined || affectedRows(removed) !== 1)
    throw new AppError("not_found", { message: "This list was not found" });
  await audit(
    context,
    actor,
    { code: "saved_list_deleted", values: { name: row.name, id } },
    { before: { type: row.type } },
  );
}
