/** The price list: which one is in force, what the last upgrade changed, and accepting or undoing lines of a fetched one. */
import { createHash } from "node:crypto";
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import type { AcceptedChange, AcceptedLine, ListDifference } from "../../../../contract/src/pricing/list-lines.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows, insertReturningId, type Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import {
  type ListChange,
  listDifferences,
  readChanges,
  type RuleDifference,
  rulesOf,
} from "../../prices/list-difference.ts";
import type { AcceptedRow } from "../../prices/lookup.ts";
import { PriceListFault } from "../../prices/read-list.ts";
import { listOfText, readListFile } from "../../prices/shipped-list.ts";
import { lastTwoLists, type StoredList } from "../../prices/stored-lists.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";
import { isDiffering, listPrices } from "./service.ts";

/** One acceptance with who made it. */
interface Acceptance extends AcceptedRow {
  source: string;
  createdTime: number;
  /** Username; null where the account is gone. */
  createdBy: string | null;
  /** 0 while it is in force. */
  undoneTime: number;
  /** Username; null if the account was deleted or none was recorded. */
  undoneBy: string | null;
}

/** Number of acceptances shown. */
const SHOWN = 100;

/** The newest first. */
const readAcceptances = (queries: Queries): Promise<Acceptance[]> =>
  queries
    .selectFrom("price_list_changes")
    .leftJoin("users", "users.id", "price_list_changes.created_by")
    .leftJoin("users as undoers", "undoers.id", "price_list_changes.undone_by")
    .select([
      "price_list_changes.id",
      "source",
      "lines",
      "price_list_changes.created_time as createdTime",
      "users.username as createdBy",
      "undone_time as undoneTime",
      "undoers.username as undoneBy",
    ])
    .orderBy("price_list_changes.id", "desc")
    .limit(SHOWN)
    .execute();

/** Accepted lines in force, in the order of their acceptance. */
export const readInForce = (queries: Queries): Promise<AcceptedRow[]> =>
  queries.selectFrom("price_list_changes").select(["id", "lines"]).where("undone_time", "=", 0).orderBy("id").execute();

/** The stored form of an acceptance. */
interface NewAcceptance {
  source: string;
  lines: string;
  /** Unix seconds. */
  created_time: number;
  /** Id of the administrator. */
  created_by: number;
}

/** Gives its id. */
const writeAcceptance = (database: Database, transaction: Transaction<Schema>, row: NewAcceptance): Promise<number> =>
  insertReturningId(database, transaction, "price_list_changes", row);

/** Takes one out of force; false where none of this id is in force. `by` is the administrator's id. */
async function markUndone(
  transaction: Transaction<Schema>,
  id: number,
  { nowSeconds, by }: { nowSeconds: number; by: number },
): Promise<boolean> {
  const update = transaction
    .updateTable("price_list_changes")
    .set({ undone_time: nowSeconds, undone_by: by })
    .where("id", "=", id)
    .where("undone_time", "=", 0);
  return affectedRows(await update.executeTakeFirstOrThrow()) === 1;
}

const DIGITS = 24;

/**
 * Names a list in force in a few letters, so that lines are accepted only over the one that they were compared with: of the product's own
 * list and what is accepted over it.
 */
export const baseOf = (accepted: readonly AcceptedRow[]): string =>
  createHash("sha256")
    .update([readListFile().hash, ...accepted.map(({ id }) => id)].join(" "))
    .digest("hex")
    .slice(0, DIGITS);

/** A difference as it is sent. */
export const toDifference = ({ provider, id, change, alters, was, is }: RuleDifference): ListDifference => ({
  provider,
  id,
  change,
  alters,
  before: was === undefined ? null : toPriceFields(was),
  after: is === undefined ? null : toPriceFields(is),
});

const toVersion = ({ version, date, createdTime }: StoredList) => ({ version, date, since: createdTime });

/** Lines of an acceptance that are named in the list of them. */
const SHOWN_LINES = 50;

function toAccepted(row: Acceptance, current: StoredList): AcceptedChange {
  const lines = JSON.parse(row.lines) as ListChange[]; // acceptLines writes no others
  return {
    id: row.id,
    source: row.source,
    created_time: row.createdTime,
    created_by: row.createdBy,
    undone_time: row.undoneTime,
    undone_by: row.undoneBy,
    count: lines.length,
    lines: lines.slice(0, SHOWN_LINES).map(({ provider, id, rule }) => ({ provider, id, is_removed: rule === null })),
    is_older: row.createdTime < current.createdTime,
  };
}

/** The list in force and how it came about. */
export async function describeList(context: ConsoleContext) {
  const { database, snapshot } = context;
  const { current, previous } = await lastTwoLists(database);
  const rules = rulesOf(listOfText(current.text));
  const changes = previous === undefined ? [] : listDifferences(rulesOf(listOfText(previous.text)), rules);
  const accepted = await readAcceptances(database.kysely);
  return {
    shipped: toVersion(current),
    models: [...rules.values()].reduce((sum, each) => sum + each.length, 0),
    previous: previous === undefined ? null : toVersion(previous),
    changes: changes.map(toDifference),
    accepted: accepted.map((row) => toAccepted(row, current)),
    source: snapshot.options.PriceListUrl,
    differing: listPrices(context).filter(isDiffering).length,
  };
}

const invalid = (fault: PriceListFault): AppError =>
  new AppError("price_list_invalid", {
    message: `The price list cannot be read at ${fault.place}`,
    field: fault.place,
    values: { place: fault.place, problem: fault.problem },
  });

/** Throws AppError price_list_invalid where `read` finds something that is not as it should be. */
export function readSafely<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof PriceListFault ? invalid(error) : error;
  }
}

/** Longest list of rules repeated in the log. */
const AUDIT_LINES = 100;

/**
 * Puts lines in force over the product's list; gives the id of the acceptance. In force here when it returns, in every process within
 * a second. Throws AppError price_list_invalid, or price_list_changed where the list is not the one that the lines were compared with.
 */
export async function acceptLines(
  context: ConsoleContext,
  actor: Actor,
  { source, base, lines }: { source: string; base: string; lines: readonly AcceptedLine[] },
): Promise<number> {
  const changes = readSafely(() => readChanges(lines.map(({ before_id: before, ...line }) => ({ ...line, before }))));
  const { database, snapshot } = context;
  const id = await database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "prices");
    if (baseOf(await readInForce(transaction)) !== base) throw new AppError("price_list_changed");
    return writeAcceptance(database, transaction, {
      source,
      lines: JSON.stringify(changes),
      created_time: nowSeconds(context.clock),
      created_by: actor.session.user.id,
    });
  });
  await snapshot.refresh();
  const event: LogEvent = { code: "price_list_accepted", values: { count: changes.length, source } };
  const shown = changes.slice(0, AUDIT_LINES).map(({ provider, id: rule, rule: to }) => ({ provider, id: rule, to }));
  await audit(context, actor, event, { accepted: id, lines: shown });
  return id;
}

/** Takes an acceptance out of force, as acceptLines put it in. Throws AppError not_found where it is not in force. */
export async function undoAcceptance(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const { database, snapshot } = context;
  await database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "prices");
    const undone = { nowSeconds: nowSeconds(context.clock), by: actor.session.user.id };
    if (!(await markUndone(transaction, id, undone))) throw new AppError("not_found");
  });
  await snapshot.refresh();
  await audit(context, actor, { code: "price_list_undone", values: { id } }, {});
}
