/** Effects of a plan: prices that rise and fall, ratios of groups, and models that lose their last channel. */
import { splitList } from "../../../../contract/src/query.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { EFFECTS_LISTED, type PlanEffects, type PriceEffect } from "../../../../contract/src/configuration/plan.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import { chargeQuota, type ModelPrice } from "../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { parsePriceTables, resolvePrice } from "../../prices/prices.ts";
import { addTo, type Offers } from "../channels/effects.ts";
import { lossOf } from "../channels/impact.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { enabledModels } from "../prices/service.ts";
import type { ChannelsPlan } from "./plan-channels.ts";
import { type OptionsPlan, valuesAfter } from "./plan-options.ts";

/** The call by which prices are compared: 1M tokens in and as many out. */
const COMPARED = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 1_000_000 };

/** By how many percent `to` is dearer, to two digits after the point. */
function percentOf(from: ModelPrice | undefined, to: ModelPrice | undefined, perUnit: string): number | null {
  if (from === undefined || to === undefined) return null;
  const [was, is] = [from, to].map((price) => chargeQuota(COMPARED, price, "1", perUnit));
  if (was === undefined || is === undefined || was === 0) return null;
  return Math.round(((is - was) / was) * 10_000) / 100;
}

function pricesOf(context: ConsoleContext, { texts, prices }: OptionsPlan): PriceEffect[] {
  const { options } = context.snapshot;
  const [before, after] = [parsePriceTables(options), parsePriceTables(valuesAfter(context, texts))];
  const enabled = new Set(enabledModels(context));
  const effects = prices.map(({ model }): PriceEffect => {
    const [from, to] = [resolvePrice(model, before), resolvePrice(model, after)];
    return {
      model,
      is_enabled: enabled.has(model),
      from: from === undefined ? null : toPriceFields(from),
      to: to === undefined ? null : toPriceFields(to),
      percent: percentOf(from, to, String(options.QuotaPerUnit)),
    };
  });
  const weight = ({ is_enabled, percent }: PriceEffect) => Number(is_enabled) * 1e9 + Math.abs(percent ?? 1e6);
  return effects.toSorted((one, other) => weight(other) - weight(one) || (one.model < other.model ? -1 : 1));
}

function groupsOf(context: ConsoleContext, { texts }: OptionsPlan): PlanEffects["groups"] {
  const [before, after] = [context.snapshot.options.GroupRatio, valuesAfter(context, texts).GroupRatio];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((group) => ({ group, from: before[group] ?? null, to: after[group] ?? null }))
    .filter(({ from, to }) => from !== to);
}

interface Offering {
  models: Iterable<string>;
  groupNames: Iterable<string>;
}

function offersOf(offerings: readonly Offering[]): Offers {
  const offers: Offers = new Map();
  for (const { models, groupNames } of offerings)
    for (const model of models) for (const group of groupNames) addTo(offers, group, model);
  return offers;
}

/** Offers of enabled channels that none has after the plan. */
function lostOffers({ snapshot }: ConsoleContext, { creates, updates, deletes }: ChannelsPlan): Offers {
  const now = snapshot.channels().filter(({ status }) => status === CHANNEL_STATUS.enabled);
  const next = new Map<number, Offering>(now.map((channel) => [channel.id, channel]));
  for (const id of deletes) next.delete(id);
  const formed = ({ models, groups }: ChannelsPlan["creates"][number]["sent"]): Offering => ({
    models: splitList(models ?? ""),
    groupNames: groups ?? [],
  });
  for (const { id, wanted } of updates) {
    if (wanted.isEnabled) next.set(id, formed(wanted.form));
    else next.delete(id);
  }
  const made = creates.filter(({ isEnabled }) => isEnabled).map(({ sent }) => formed(sent));
  const after = offersOf([...next.values(), ...made]);
  const lost: Offers = new Map();
  for (const [model, groups] of offersOf(now))
    for (const group of groups) if (after.get(model)?.has(group) !== true) addTo(lost, group, model);
  return lost;
}

/** The effects of a whole plan. */
export async function effectsOfPlan(
  context: ConsoleContext,
  options: OptionsPlan,
  channels: ChannelsPlan,
): Promise<PlanEffects> {
  const prices = pricesOf(context, options);
  return {
    prices: prices.slice(0, EFFECTS_LISTED),
    price_count: prices.length,
    groups: groupsOf(context, options).slice(0, EFFECTS_LISTED),
    lost: await lossOf(context, lostOffers(context, channels)),
  };
}
