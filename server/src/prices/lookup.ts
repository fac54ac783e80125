/** Makes of options and accepted changes what the snapshot prices by; a list that stays the same stays the same object, with what is remembered of it. */
import type { Logger } from "pino";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { ListedFacts } from "../../../contract/src/pricing/listed-facts.ts";
import type { ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import { factsOf } from "./facts.ts";
import { type ListChange, readChanges, withChanges } from "./list-changes.ts";
import { setListInForce } from "./list-in-force.ts";
import type { PriceList } from "./listed-models.ts";
import { listedName, parsePriceTables, resolvePrice } from "./prices.ts";
import { shippedList } from "./shipped-list.ts";

/** A row of price_list_changes that is in force. */
export interface AcceptedRow {
  id: number;
  /** JSON of ListChange[]. */
  lines: string;
}

/** Prices under the options and the list of one moment. */
export interface Prices {
  /** By which calls are charged; undefined where nobody priced the model. */
  priceOf: (model: string) => ModelPrice | undefined;
  /** What the list says, whatever the operator's own prices are. */
  listPriceOf: (model: string) => ModelPrice | undefined;
  factsOf: (model: string) => ListedFacts;
  list: PriceList;
  /** Names the list in the price version rows. */
  listName: string;
}

/** Longest memory of facts, as of prices: names come from callers. */
const MAX_REMEMBERED = 10_000;

function rememberedFacts(list: PriceList): (model: string) => ListedFacts {
  const memory = new Map<string, ListedFacts>();
  const tables = parsePriceTables({}, () => list);
  return (model) => {
    const known = memory.get(model);
    if (known !== undefined) return known;
    if (memory.size >= MAX_REMEMBERED) memory.clear();
    const facts = factsOf(list, listedName(model, tables));
    memory.set(model, facts);
    return facts;
  };
}

/** The changes of one acceptance; none, and an entry in the log, where they cannot be read. */
function changesOf({ id, lines }: AcceptedRow, logger: Logger): ListChange[] {
  try {
    return readChanges(JSON.parse(lines) as unknown[]);
  } catch (error) {
    logger.error({ accepted: id, err: error }, "accepted lines of a price list cannot be read; they are not in force");
    return [];
  }
}

/** All that rows change, in their order. */
export const currentChanges = (rows: readonly AcceptedRow[], logger: Logger): ListChange[] =>
  rows.flatMap((row) => changesOf(row, logger));

interface Listed extends Pick<Prices, "list" | "listPriceOf" | "factsOf"> {
  /** Ids of the acceptances in it. */
  accepted: string;
}

/** @param dataSet names the product's own list and its defaults */
export function createPrices(
  dataSet: string,
  logger: Logger,
): (options: OptionValues, accepted: readonly AcceptedRow[]) => Prices {
  let current: Listed | undefined;
  const listedUnder = (rows: readonly AcceptedRow[]): Listed => {
    const accepted = rows.map(({ id }) => id).join("+");
    if (current?.accepted === accepted) return current;
    const list = withChanges(shippedList(), currentChanges(rows, logger));
    const tables = parsePriceTables({}, () => list);
    return { accepted, list, listPriceOf: (model) => resolvePrice(model, tables), factsOf: rememberedFacts(list) };
  };
  return (options, rows) => {
    const { accepted, ...listed } = (current = listedUnder(rows));
    setListInForce(listed.list);
    const tables = parsePriceTables(options, () => listed.list);
    return {
      ...listed,
      priceOf: (model) => resolvePrice(model, tables),
      listName: accepted === "" ? dataSet : `${dataSet}, accepted ${accepted}`,
    };
  };
}
