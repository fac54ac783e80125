/** The price fields of a receipt: every ratio, factor and tool its call was priced by, under the names that clients of this API family read. */
import { type ModelPrice, type PerTokenPrice, priceFor, tierOf } from "../../../../contract/src/pricing/pricing.ts";
import { saneFactor, saneToolCalls } from "../../../../contract/src/pricing/usage-parts.ts";
import type { ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import type { Group } from "../call/target.ts";

export interface PriceInfo {
  /** Undefined where the call failed before it was priced. */
  price: ModelPrice | undefined;
  group: Pick<Group, "ratio" | "userGroup" | "isOfPair">;
  quotaPerUnit: string;
  priceVersion: number;
  /** When that version came into force; Unix seconds. */
  priceSince: number;
}

type Fields = Record<string, unknown>;

function fixedFields(price: string, usage: Usage): Fields {
  const factor = saneFactor(usage.callFactor);
  return {
    model_ratio: 0,
    model_price: Number(price),
    completion_ratio: 0,
    cache_ratio: 0,
    ...(factor === "1" ? {} : { call_factor: factor }),
  };
}

function cacheWriteFields(usage: Usage, price: PerTokenPrice): Fields {
  const { cacheWriteTokens: short, cacheWriteLongTokens: long } = usage;
  if (short === 0 && long === 0) return {};
  return {
    cache_creation_tokens: short,
    cache_creation_ratio: Number(price.cacheCreationRatio),
    ...(long === 0 ? {} : { cache_creation_long_tokens: long }),
  };
}

function audioFields(usage: Usage, price: PerTokenPrice): Fields {
  const { audioInputTokens, audioOutputTokens } = usage;
  if (audioInputTokens === 0 && audioOutputTokens === 0) return {};
  return {
    audio: true,
    audio_input: audioInputTokens,
    audio_output: audioOutputTokens,
    text_input: Math.max(0, usage.inputTokens - audioInputTokens),
    text_output: Math.max(0, usage.outputTokens - audioOutputTokens),
    audio_ratio: Number(price.audioRatio),
    audio_completion_ratio: Number(price.audioCompletionRatio),
  };
}

function tokenFields(price: PerTokenPrice, usage: Usage, tierAbove: number | undefined): Fields {
  const { imageOutputRatio } = price;
  return {
    model_ratio: Number(price.ratio),
    model_price: -1,
    completion_ratio: Number(price.completionRatio),
    cache_ratio: Number(price.cacheRatio),
    ...(tierAbove === undefined ? {} : { tier_above: tierAbove }),
    ...cacheWriteFields(usage, price),
    ...audioFields(usage, price),
    ...(usage.surcharges.length > 0
      ? { premiums: usage.surcharges.map(({ surcharge, ratio }) => ({ premium: surcharge, ratio: Number(ratio) })) }
      : {}),
    ...(usage.imageInputTokens > 0 ? { image_ratio: Number(price.imageRatio) } : {}),
    ...(usage.imageOutputTokens > 0 && imageOutputRatio !== undefined
      ? { image_output_ratio: Number(imageOutputRatio) }
      : {}),
  };
}

/** What all calls of one tool come to, as one count and one price: the mean where they had several, so that count × price is the charge. */
function sumFields(calls: readonly ToolCalls[]): Fields {
  const [tool, count] = [calls[0]?.tool ?? "", calls.reduce((sum, each) => sum + each.calls, 0)];
  const prices = new Set(calls.map(({ usdPerThousand }) => usdPerThousand));
  const cost = calls.reduce((sum, each) => sum + each.calls * Number(each.usdPerThousand), 0);
  const price = prices.size === 1 ? Number([...prices][0]) : cost / count;
  return { [tool]: true, [`${tool}_call_count`]: count, [`${tool}_price`]: price };
}

/** A line for each tool; calls of one tool at several prices are listed one by one beside it. */
function toolFields(usage: Usage): Fields {
  const calls = saneToolCalls(usage.toolCalls);
  if (calls.length === 0) return {};
  const byTool = [...Map.groupBy(calls, ({ tool }) => tool).values()];
  const listed = calls.map(({ tool, calls: count, usdPerThousand }) => ({
    tool,
    count,
    price: Number(usdPerThousand),
  }));
  return Object.assign(
    {},
    ...byTool.map(sumFields),
    byTool.length < calls.length ? { tool_calls: listed } : {},
  ) as Fields;
}

/** The fields of a charged call. Ratios are those of the tier that the call fell into. */
export function priceFields(facts: PriceInfo, usage: Usage): Fields {
  const { price, group, quotaPerUnit, priceVersion, priceSince } = facts;
  const common = {
    group_ratio: Number(group.ratio),
    ...(group.isOfPair ? { user_group_ratio: Number(group.ratio), user_group: group.userGroup } : {}),
    quota_per_unit: Number(quotaPerUnit),
    price_version: priceVersion,
    price_since: priceSince,
    cache_tokens: usage.cacheReadTokens,
    ...toolFields(usage),
  };
  if (price === undefined) return { ...common, model_ratio: 0, model_price: -1, completion_ratio: 0, cache_ratio: 0 };
  const own = priceFor(price, usage);
  return own.kind === "per_call"
    ? { ...common, ...fixedFields(own.price, usage) }
    : { ...common, ...tokenFields(own, usage, tierOf(price, usage)?.aboveInputTokens) };
}
