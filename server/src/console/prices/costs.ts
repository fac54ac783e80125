/** What the channels that offer a model pay for it, from the cheapest to the dearest. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import type { PriceRow, UpstreamCost } from "../../../../contract/src/features/prices.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import { chargeQuota } from "../../../../contract/src/pricing/pricing.ts";
import { wholePrice } from "../../../../contract/src/pricing/upstream-cost.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";

type PricedSnapshot = Pick<Snapshot, "options" | "upstreamPriceOf">;

/** What costs are compared by where they may be of other kinds: a call of 1M tokens in and as many out. */
const COMPARED = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 1_000_000 };

interface Compared {
  cost: UpstreamCost;
  quota: number;
}

/** None where nobody knows, also where the channel's mapping leads in a circle. */
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
export function costsOf(
  snapshot: PricedSnapshot,
  model: string,
  channels: readonly SnapshotChannel[],
): PriceRow["costs"] {
  const known = channels.flatMap((channel) => comparedCost(snapshot, channel, model));
  const sorted = known.toSorted((a, b) => a.quota - b.quota);
  const [min, max] = [sorted[0]?.cost, sorted.at(-1)?.cost];
  return min === undefined || max === undefined ? null : { min, max, known: known.length, channels: channels.length };
}
