/** Rules of the price list: which one is in force, what the last upgrade changed, and accepting and undoing lines of a fetched one. */
import { AppError } from "../../../../../contract/src/errors.ts";
import type { AcceptedChange, AcceptedLine, ListDifference } from "../../../../../contract/src/pricing/list-lines.ts";
import type { LogEvent } from "../../../../../contract/src/log-events.ts";
import { toPriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { bumpVersion } from "../../../db/versions.ts";
import {
  type ListChange,
  listDifferences,
  readChanges,
  type RuleDifference,
  rulesOf,
} from "../../../prices/list-difference.ts";
import { PriceListFault } from "../../../prices/read-list.ts";
import { listOfText } from "../../../prices/shipped-list.ts";
import { lastTwoLists, type StoredList } from "../../../prices/stored-lists.ts";
import { nowSeconds } from "../../../util/clock.ts";
import type { ConsoleContext } from "../../http/handlers.ts";
import { audit, type Actor } from "../../kit/audit.ts";
import { isDiffering, listPrices } from "../service.ts";
import { baseOf } from "./base.ts";
import { type Acceptance, markUndone, readAcceptances, readInForce, writeAcceptance } from "./store.ts";

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
