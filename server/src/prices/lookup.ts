/** Builds the snapshot's prices from options and accepted changes; an unchanged list stays the same object, with its memoised results. */
import type { Logger } from "pino";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { type ListedFacts, type Modality, VENDORS } from "../../../contract/src/pricing/listed-facts.ts";
import { modelKind } from "../../../contract/src/pricing/model-kind.ts";
import type { ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import { rulesFor } from "./data-set.ts";
import { type ListChange, readChanges, withChanges } from "./list-difference.ts";
import type { FoundRule, ListedRule, PriceList } from "./listed-models.ts";
import { listedName, parsePriceTables, resolvePrice } from "./prices.ts";
import { setListInForce, shippedList } from "./shipped-list.ts";

// What a price list knows of a model besides its price.

type Side = "input" | "output";

/** What a price key is paid for; keys of text alone are none. */
const MODALITY_OF_KEY: readonly (readonly [RegExp, Side, Modality])[] = [
  [/^input_image_/, "input", "image"],
  [/^(?:input_audio_|audio_)/, "input", "audio"],
  [/^input_video_/, "input", "video"],
  [/^output_image_/, "output", "image"],
  [/^output_audio_/, "output", "audio"],
  [/^output_video_/, "output", "video"],
];

const keysOf = ({ prices }: ListedRule): string[] =>
  Array.isArray(prices)
    ? prices.flatMap((entry: { prices: object }) => Object.keys(entry.prices))
    : Object.keys(prices);

function modalitiesOf(model: string, rule: ListedRule): Pick<ListedFacts, "input_modalities" | "output_modalities"> {
  const keys = [...new Set(keysOf(rule))];
  const others = MODALITY_OF_KEY.filter(([pattern]) => keys.some((key) => pattern.test(key)));
  // A list prices most pictures as text: of a model that has text prices only, it does not say what else it takes.
  if (others.length === 0) return {};
  const of = (side: Side): Modality[] => [
    ...(keys.includes(`${side}_mtok`) || keys.includes(`${side}_text_mtok`) ? (["text"] as const) : []),
    ...others.flatMap(([, otherSide, modality]) => (otherSide === side ? [modality] : [])),
  ];
  const outputs = of("output");
  // What is drawn or spoken is often priced as plain output: the list then does not say what comes out.
  const isKnown = outputs.some((modality) => modality !== "text") || modelKind(model) === "chat";
  return { input_modalities: of("input"), ...(isKnown ? { output_modalities: outputs } : {}) };
}

const isVendor = (provider: string): provider is keyof typeof VENDORS => Object.hasOwn(VENDORS, provider);

const vendorOf = (found: readonly FoundRule[]): string | undefined => {
  const maker = found.map(({ provider }) => provider).find(isVendor);
  return maker && VENDORS[maker];
};

/** What the list knows of the model: of its maker's rule first, and of resellers' what that does not say. */
export function factsOf(list: PriceList, model: string): ListedFacts {
  const found = rulesFor(list, model);
  const vendor = vendorOf(found);
  const context = found.find(({ rule }) => rule.context_window !== undefined)?.rule.context_window;
  return {
    ...(vendor === undefined ? {} : { vendor }),
    ...(context === undefined ? {} : { context_length: context }),
    ...(found[0] === undefined ? {} : modalitiesOf(model, found[0].rule)),
  };
}

/** A row of price_list_changes that is in force. */
export interface AcceptedRow {
  id: number;
  /** JSON of ListChange[]. */
  lines: string;
}

/** Prices under the options and the list of one moment. */
export interface Prices {
  /** The price that calls are charged at; undefined for an unpriced model. */
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
