/** HTTP handlers of the public price list. */
import { isPricingForUsers } from "../../../../contract/src/bar-entries.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { PricingEntry, PricingTier } from "../../../../contract/src/features/pricing.ts";
import { ENDPOINT_ADDRESSES } from "../../../../contract/src/family/endpoint-types.ts";
import { VENDOR_ROWS, vendorOf } from "../../../../contract/src/family/vendors.ts";
import { modelKind } from "../../../../contract/src/pricing/model-kind.ts";
import { type ModelPrice, type PriceTier, UNPRICED_PRICE } from "../../../../contract/src/pricing/pricing.ts";
import type { SITE_PRICE_FIELDS } from "../../../../contract/src/pricing/site-prices.ts";
import { nowSeconds } from "../../util/clock.ts";
import { endpointTypesByModel } from "../../snapshot/endpoint-types.ts";
import { type ConsoleContext, defineHandlers } from "../http/handlers.ts";
import { FOR_ANY_SITE } from "../http/envelope.ts";
import { askOwn } from "../http/user-queue.ts";
import { readModelCache } from "./model-cache.ts";
import { readModelFigures, readModelSpeeds } from "./model-figures.ts";
import { readRankings } from "./rankings.ts";

type PricingContext = {
  readonly snapshot: Pick<
    ConsoleContext["snapshot"],
    "usableGroups" | "hasGroup" | "groupRatio" | "modelsFor" | "priceOf" | "channels" | "factsOf" | "options"
  >;
  readonly relay: Pick<ConsoleContext["relay"], "providers">;
};

interface Pricing {
  entries: PricingEntry[];
  groupRatio: Record<string, number>;
  usableGroup: Record<string, string>;
}

const NO_RATIOS = {
  model_ratio: 0,
  completion_ratio: 0,
  cache_ratio: 0,
  cache_creation_ratio: 0,
  create_cache_ratio: 0,
} as const;

/** A ratio of a part under its name, where the part costs something else than text. */
const unlessOne = <Name extends string>(name: Name, ratio: string): Partial<Record<Name, number>> =>
  Number(ratio) === 1 ? {} : ({ [name]: Number(ratio) } as Record<Name, number>);

const tierAsNumbers = (tier: PriceTier): PricingTier => ({
  above_input_tokens: tier.aboveInputTokens,
  model_ratio: Number(tier.ratio),
  completion_ratio: Number(tier.completionRatio),
  cache_ratio: Number(tier.cacheRatio),
  cache_creation_ratio: Number(tier.cacheCreationRatio),
});

/** Ratios of one model as numbers, as clients of this API family read them. */
function ratiosOf(price: ModelPrice) {
  if (price.kind === "per_call") return { quota_type: 1, model_price: Number(price.price), ...NO_RATIOS };
  return {
    quota_type: 0,
    model_price: 0,
    model_ratio: Number(price.ratio),
    completion_ratio: Number(price.completionRatio),
    cache_ratio: Number(price.cacheRatio),
    cache_creation_ratio: Number(price.cacheCreationRatio),
    create_cache_ratio: Number(price.cacheCreationRatio),
    ...unlessOne("image_ratio", price.imageRatio),
    ...unlessOne("audio_ratio", price.audioRatio),
    ...unlessOne("audio_completion_ratio", price.audioCompletionRatio),
    ...(price.imageOutputRatio === undefined ? {} : { image_output_ratio: Number(price.imageOutputRatio) }),
    ...(price.tiers === undefined ? {} : { tiers: price.tiers.map(tierAsNumbers) }),
  };
}

/** Status of a channel that takes calls. */
const ENABLED = 1;

type Snapshot = PricingContext["snapshot"];

/** The models that each of these groups can call. */
const offeredBy = (snapshot: Snapshot, names: readonly string[]) =>
  names.map((name) => ({ name, models: new Set(snapshot.modelsFor([name])) }));

/** Groups of enabled channels that have a ratio and are none of these. */
function otherGroups(snapshot: Snapshot, usable: ReadonlySet<string>): string[] {
  const offering = snapshot.channels().filter(({ status }) => status === ENABLED);
  const names = new Set(offering.flatMap(({ groupNames }) => groupNames));
  return [...names].filter((name) => !usable.has(name) && snapshot.hasGroup(name)).toSorted();
}

/** Whether some group can call a model: the list has it then, for every reader. */
function listing({ snapshot }: PricingContext, groupName: string): (model: string) => boolean {
  const names = [...snapshot.usableGroups(groupName).keys()].filter((name) => name !== "" && snapshot.hasGroup(name));
  const listed = new Set(snapshot.modelsFor([...names, ...otherGroups(snapshot, new Set(names))]));
  return (model) => listed.has(model);
}

/**
 * Every model that some group can call, with its price. Groups out of reach are named to those who are logged in only.
 * @param groupName the caller's group; undefined for a visitor
 */
export function pricingFor({ snapshot, relay }: PricingContext, groupName: string | undefined): Pricing {
  const usable = [...snapshot.usableGroups(groupName ?? "")].filter(([name]) => name !== "" && snapshot.hasGroup(name));
  const names = usable.map(([name]) => name);
  const others = otherGroups(snapshot, new Set(names));
  const [offered, offeredElsewhere] = [offeredBy(snapshot, names), offeredBy(snapshot, others)];
  const providers = new Map(relay.providers.map((provider) => [provider.manifest.id, provider]));
  const types = endpointTypesByModel(snapshot.channels(), [...names, ...others], (type) => providers.get(type));
  const { ModelRetirementDates: days } = snapshot.options;
  const entries = snapshot.modelsFor([...names, ...others]).map((model) => {
    const price = snapshot.priceOf(model);
    const facts = snapshot.factsOf(model);
    const vendor = vendorOf(model, facts?.vendor);
    const groupsOf = (groups: typeof offered) =>
      groups.filter(({ models }) => models.has(model)).map(({ name }) => name);
    return {
      model_name: model,
      ...ratiosOf(price ?? UNPRICED_PRICE),
      owner_by: "",
      ...(vendor === undefined ? {} : { vendor_id: vendor.id }),
      supported_endpoint_types: types.get(model) ?? [],
      enable_groups: groupsOf(offered),
      ...(groupName === undefined ? {} : { other_groups: groupsOf(offeredElsewhere) }),
      has_price: price !== undefined,
      kind: modelKind(model),
      ...(Object.hasOwn(days, model) ? { expiration_date: days[model] } : {}),
      ...facts,
    };
  });
  const groupRatio = Object.fromEntries(
    names.map((name) => [name, Number(snapshot.groupRatio(groupName ?? "", name)?.ratio)]),
  );
  return { entries, groupRatio, usableGroup: Object.fromEntries(usable) };
}

/** Seconds for which the tables are answered as they were made. */
const RATIO_CONFIG_S = 30;

type RatioConfig = Record<keyof typeof SITE_PRICE_FIELDS, Record<string, number>>;

const keptConfigs = new WeakMap<Snapshot, { madeAt: number; config: RatioConfig }>();

const RATIO_FIELDS = ["model_ratio", "completion_ratio", "cache_ratio", "create_cache_ratio"] as const;

/** Every priced model that some group can call, a table for each kind of ratio, as new-api publishes them. */
function ratioConfig(context: PricingContext): RatioConfig {
  const entries = pricingFor(context, undefined).entries.filter(({ has_price: isPriced }) => isPriced);
  const tableOf = (quotaType: number, field: keyof RatioConfig): Record<string, number> =>
    Object.fromEntries(
      entries.filter(({ quota_type }) => quota_type === quotaType).map((entry) => [entry.model_name, entry[field]]),
    );
  const ratios = RATIO_FIELDS.map((field) => [field, tableOf(0, field)] as const);
  return {
    ...(Object.fromEntries(ratios) as Omit<RatioConfig, "model_price">),
    model_price: tableOf(1, "model_price"),
  };
}

/** The same, made anew after half a minute: it is public, and thousands of models take a while. */
function keptRatioConfig(context: PricingContext & Pick<ConsoleContext, "clock">): RatioConfig {
  const now = nowSeconds(context.clock);
  const kept = keptConfigs.get(context.snapshot);
  if (kept !== undefined && now - kept.madeAt < RATIO_CONFIG_S) return kept.config;
  const config = ratioConfig(context);
  keptConfigs.set(context.snapshot, { madeAt: now, config });
  return config;
}

/** Of the form of the list, not of its prices. */
const PRICING_VERSION = "turnpike-1";

export const pricingHandlers = defineHandlers("pricing", {
  getRatioConfig({ context }) {
    if (!context.snapshot.options.ExposeRatioEnabled) throw new AppError("ratio_config_off");
    return { data: keptRatioConfig(context), headers: FOR_ANY_SITE };
  },
  getPricing({ context, session }) {
    if (session === undefined && isPricingForUsers(context.snapshot.options.HeaderNavModules))
      throw new AppError("not_logged_in");
    const { entries, groupRatio, usableGroup } = pricingFor(context, session?.user.groupName);
    const autoGroups = context.snapshot.options.AutoGroups.filter((name) => Object.hasOwn(usableGroup, name));
    const extra = {
      group_ratio: groupRatio,
      usable_group: usableGroup,
      supported_endpoint: ENDPOINT_ADDRESSES,
      vendors: VENDOR_ROWS.filter(({ id }) => entries.some(({ vendor_id }) => vendor_id === id)),
      auto_groups: autoGroups,
      pricing_version: PRICING_VERSION,
    };
    // Who offers the ratios to other sites offers the list to their pages too; an intranet's is its own.
    return { data: entries, extra, headers: context.snapshot.options.ExposeRatioEnabled ? FOR_ANY_SITE : {} };
  },
  getModelFigures: async ({ context, session, query: { model_name: model, time_zone: timeZone } }) => {
    const isListed = listing(context, session.user.groupName);
    const read = (asked: ConsoleContext) => readModelFigures(asked, session, { model, timeZone, isListed });
    return { data: await askOwn(context, session.user.id, read) };
  },
  getModelCache: async ({ context, session, query: { model_name: model } }) => {
    const isListed = listing(context, session.user.groupName);
    const read = (asked: ConsoleContext) => readModelCache(asked, session, { model, isListed });
    return { data: await askOwn(context, session.user.id, read) };
  },
  listModelSpeeds: async ({ context, session }) => ({
    data: await readModelSpeeds(context, listing(context, session.user.groupName)),
  }),
  getRankings: async ({ context, session, query }) => {
    if (session === undefined && isPricingForUsers(context.snapshot.options.HeaderNavModules))
      throw new AppError("not_logged_in");
    const isListed = listing(context, session?.user.groupName ?? "");
    const data = await readRankings(context, { days: query.days, isListed });
    return { data, headers: data.enabled ? FOR_ANY_SITE : {} };
  },
  listVendors({ query: { p, page_size } }) {
    const items = VENDOR_ROWS.slice((p - 1) * page_size, p * page_size);
    return { data: { items, total: VENDOR_ROWS.length, page: p, page_size } };
  },
});
