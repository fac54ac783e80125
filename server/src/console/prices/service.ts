/** Rules of the administrators' prices: each model's price, its source, and changes of own prices. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { PriceChange, PriceRow, UpstreamCost } from "../../../../contract/src/features/prices.ts";
import {
  hasOwnPrice,
  isSameOwnPrice,
  modelsWithOwnPrice,
  type OwnPrice,
  ownPriceOf,
  type OwnPriceTables,
  ownPriceTexts,
  withOwnPrices,
} from "../../../../contract/src/pricing/own-prices.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import { chargeQuota, type ModelPrice } from "../../../../contract/src/pricing/pricing.ts";
import { surchargeRatio } from "../../../../contract/src/pricing/surcharge-ratios.ts";
import { toolPrice } from "../../../../contract/src/pricing/tool-prices.ts";
import { wholePrice } from "../../../../contract/src/pricing/upstream-cost.ts";
import { CHARGED_TOOLS, NO_USAGE, SURCHARGES } from "../../../../contract/src/pricing/usage.ts";
import { listInForce } from "../../prices/shipped-list.ts";
import type { PriceList } from "../../prices/listed-models.ts";
import { basePrice, parsePriceTables } from "../../prices/prices.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import { changeOptions, storedPriceTables } from "../options/change.ts";

type PricesContext = {
  readonly snapshot: Pick<
    ConsoleContext["snapshot"],
    "options" | "channels" | "priceOf" | "listPriceOf" | "upstreamPriceOf"
  >;
};

/** Status of a channel that takes calls. */
const ENABLED = 1;

/** Models that an enabled channel offers, each once. */
export const enabledModels = ({ snapshot }: { snapshot: Pick<ConsoleContext["snapshot"], "channels"> }): string[] => [
  ...new Set(snapshot.channels().flatMap(({ status, models }) => (status === ENABLED ? [...models] : []))),
];

/** Every model that an enabled channel offers or that has an own entry, by name; or just the one that is asked for. */
export function listPrices({ snapshot }: PricesContext, only?: string): readonly PriceRow[] {
  const channels = snapshot.channels().filter(({ status }) => status === ENABLED);
  return only === undefined ? allRows(snapshot, channels) : rowsOf(snapshot, channels, [only]);
}

type Prices = PricesContext["snapshot"];
type Channels = ReturnType<Prices["channels"]>;

/** All rows, and what they were made of: each is replaced as a whole when it changes. */
interface KeptRows {
  options: Options;
  list: PriceList;
  channels: Channels;
  rows: readonly PriceRow[];
}

/** Thousands of rows are made once, and again when a channel, an option or the price list has changed. */
const keptRows = new WeakMap<Prices, KeptRows>();

const isSameList = <Item>(a: readonly Item[], b: readonly Item[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

function allRows(snapshot: Prices, channels: Channels): readonly PriceRow[] {
  const { options } = snapshot;
  const list = listInForce();
  const kept = keptRows.get(snapshot);
  if (kept?.options === options && kept.list === list && isSameList(kept.channels, channels)) return kept.rows;
  const models = new Set([...channels.flatMap((channel) => [...channel.models]), ...modelsWithOwnPrice(options)]);
  const rows = rowsOf(snapshot, channels, [...models].toSorted());
  keptRows.set(snapshot, { options, list, channels, rows });
  return rows;
}

function rowsOf(snapshot: Prices, channels: Channels, models: readonly string[]): readonly PriceRow[] {
  const { options } = snapshot;
  const tables = parsePriceTables(options);
  const offers = offersOf(channels);
  return models.map((model) => {
    const own = ownPriceOf(options, model);
    const price = snapshot.priceOf(model);
    const listed = snapshot.listPriceOf(model);
    const base = basePrice(model, tables);
    return {
      model,
      is_enabled: offers.has(model),
      origin: originOf(price, listed, own),
      price: fieldsOf(price),
      list_price: fieldsOf(listed),
      own,
      ...(isSamePrice(base, listed) ? {} : { base_price: fieldsOf(base) }),
      tools: toolsOf(options, model),
      surcharges: surchargesOf(options, model),
      costs: costsOf(snapshot, model, offers.get(model) ?? []),
    };
  });
}

/** Whether a model has an own price that is not what the list says of it. */
export const isDiffering = ({ origin, price, list_price: listed }: PriceRow): boolean =>
  origin === "own" && listed !== null && JSON.stringify(price) !== JSON.stringify(listed);

const fieldsOf = (price: ModelPrice | undefined) => (price === undefined ? null : toPriceFields(price));

const isSamePrice = (a: ModelPrice | undefined, b: ModelPrice | undefined): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** The channels that offer each model. */
function offersOf<Channel extends { models: Iterable<string> }>(channels: readonly Channel[]): Map<string, Channel[]> {
  const offers = new Map<string, Channel[]>();
  for (const channel of channels)
    for (const model of channel.models) {
      const known = offers.get(model);
      if (known === undefined) offers.set(model, [channel]);
      else known.push(channel);
    }
  return offers;
}

/** An own entry that says what the list says is own too: it stays when the list changes. The entries may be those of the model behind a setting. */
function originOf(price: ModelPrice | undefined, listed: ModelPrice | undefined, own: OwnPrice): PriceRow["origin"] {
  if (price === undefined) return "none";
  return hasOwnPrice(own) || !isSamePrice(price, listed) ? "own" : "list";
}

type Options = ConsoleContext["snapshot"]["options"];

const toolsOf = (options: Options, model: string) =>
  Object.fromEntries(CHARGED_TOOLS.map((tool) => [tool, toolPrice(options, tool, model)])) as PriceRow["tools"];

const surchargesOf = (options: Options, model: string) =>
  Object.fromEntries(
    SURCHARGES.flatMap((surcharge) => {
      const ratio = surchargeRatio(options, surcharge, model);
      return ratio === "1" ? [] : [[surcharge, ratio]];
    }),
  );

/** The tables after all changes, each checked against what the ones before it have left. */
function applied(tables: OwnPriceTables, changes: readonly PriceChange[]): OwnPriceTables {
  const own = new Map<string, OwnPrice>();
  for (const { model, from, to } of changes) {
    if (!isSameOwnPrice(own.get(model) ?? ownPriceOf(tables, model), from))
      throw new AppError("price_changed", { field: model, values: { model } });
    own.set(model, to);
  }
  return withOwnPrices(tables, own);
}

/** Longest list of changes repeated in the log. */
const AUDIT_CHANGES = 100;

/**
 * Replaces own entries of models, all of them or none; gives how many models changed. In force when it returns.
 * Throws AppError price_changed where one has other entries by now than the caller has read, and what changeOptions throws.
 */
export async function changePrices(
  context: ConsoleContext,
  actor: ConfirmingActor,
  changes: readonly PriceChange[],
): Promise<number> {
  const real = changes.filter(({ from, to }) => !isSameOwnPrice(from, to));
  if (real.length === 0) return 0;
  await changeOptions(context, actor, (stored) => {
    const before = storedPriceTables(stored);
    const after = applied(before, real);
    const [was, is] = [ownPriceTexts(before), ownPriceTexts(after)];
    return new Map([...is].filter(([name, text]) => text !== was.get(name)));
  });
  const shown = real.slice(0, AUDIT_CHANGES).map(({ model, from, to }) => ({ model, from, to }));
  const event = { code: "prices_changed", values: { count: real.length, model: real[0]?.model ?? "" } } as const;
  await audit(context, actor, event, { changes: shown });
  return real.length;
}

type PricedSnapshot = Pick<Snapshot, "options" | "upstreamPriceOf">;

/** What costs are compared by where they may be of other kinds: a call of 1M tokens in and as many out. */
const COMPARED = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 1_000_000 };

interface Compared {
  cost: UpstreamCost;
  quota: number;
}

/** None if unknown, also if the channel's mapping is circular. */
function comparedCost(snapshot: PricedSnapshot, channel: SnapshotChannel, model: string): Compared[] {
  const upstreamModel = mappedModel(channel.modelMapping, model);
  const asked = upstreamModel === undefined ? undefined : snapshot.upstreamPriceOf(channel, upstreamModel);
  if (asked === undefined) return [];
  const { price, factor } = asked;
  const quota = chargeQuota(COMPARED, price, factor, String(snapshot.options.QuotaPerUnit));
  const cost = { channel: channel.id, channel_name: channel.name, price: toPriceFields(wholePrice(asked)) };
  return [{ cost, quota }];
}

/** Costs of a model at the channels that offer it; null where none is known. */
function costsOf(snapshot: PricedSnapshot, model: string, channels: readonly SnapshotChannel[]): PriceRow["costs"] {
  const known = channels.flatMap((channel) => comparedCost(snapshot, channel, model));
  const sorted = known.toSorted((a, b) => a.quota - b.quota);
  const [min, max] = [sorted[0]?.cost, sorted.at(-1)?.cost];
  return min === undefined || max === undefined ? null : { min, max, known: known.length, channels: channels.length };
}
