/** Orders channels inside of a priority by the option ChannelChoice: by time to the first token, or by upstream price. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import { chargeQuota } from "../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ModelLatencies } from "../../channels/latencies.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { RoutedCall } from "./routed-call.ts";

type Channels = readonly SnapshotChannel[];
/** One after the other; among the channels of one step chance and weight decide. */
export type Steps = readonly Channels[];

/** Share of the calls that go by weight alone, so that a channel that was slow once is measured again. */
export const EXPLORED_SHARE = 0.05;
/** Times that differ by less say nothing of the channels, and all calls together would make the fastest one slow. */
const LIKE_FASTEST = 1.1;
/** A tier is put in order again at most once in so many milliseconds for each of its channels, which bounds what that costs a process. */
const MS_PER_CHANNEL = 0.05;

interface Ranking {
  readonly steps: Steps;
  /** What it was made from: another number says that it may be another now. */
  readonly version: number;
  readonly madeMs: number;
}

/** By the list of a tier's channels, which the snapshot replaces when one of them changes, and by the times it was ranked by: each operation has its own. */
const latencyRankings = new WeakMap<Channels, WeakMap<ModelLatencies, Ranking>>();
const costRankings = new WeakMap<Channels, Ranking>();

interface Scored {
  channel: SnapshotChannel;
  score: number;
}

/** Ascending; a step holds what is at most `alike` times its lowest score. */
function stepsByScore(scored: readonly Scored[], alike: number): SnapshotChannel[][] {
  const steps: SnapshotChannel[][] = [];
  let [step, bound]: [SnapshotChannel[] | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const { channel, score } of scored.toSorted((left, right) => left.score - right.score)) {
    if (step === undefined || score > bound) {
      steps.push((step = []));
      bound = score * alike;
    }
    step.push(channel);
  }
  return steps;
}

function split(channels: Channels, scoreOf: (channel: SnapshotChannel) => number | undefined) {
  const known: Scored[] = [];
  const unknown: SnapshotChannel[] = [];
  for (const channel of channels) {
    const score = scoreOf(channel);
    if (score === undefined) unknown.push(channel);
    else known.push({ channel, score });
  }
  return { known, unknown: unknown.length === 0 ? [] : [unknown] };
}

/** Unmeasured channels come first: nothing else would ever measure them. */
function byLatency({ call, accepted: { model, isStream } }: RoutedCall, channels: Channels): Steps {
  const { context, operation } = call;
  const times = context.channelLatencies.of(operation, model, isStream);
  if (times === undefined) return [channels];
  const kept = latencyRankings.get(channels) ?? new WeakMap<ModelLatencies, Ranking>();
  const ranking = kept.get(times);
  const nowMs = performance.now();
  const isFresh = ranking !== undefined && nowMs - ranking.madeMs < channels.length * MS_PER_CHANNEL;
  if (ranking !== undefined && (isFresh || ranking.version === times.version)) return ranking.steps;
  const { known, unknown } = split(channels, ({ id }) => times.averageMs(id));
  const steps = [...unknown, ...stepsByScore(known, LIKE_FASTEST)];
  kept.set(times, { steps, version: times.version, madeMs: nowMs });
  latencyRankings.set(channels, kept);
  return steps;
}

/** What upstreams are compared by: tokens in the proportion of a conversation, and one call where calls are paid. */
const COMPARED: Usage = Object.freeze({ ...NO_USAGE, inputTokens: 3_000, outputTokens: 1_000 });
/** So many to the dollar that rounding hides no difference. */
const FINE_QUOTA_PER_USD = "1000000000";

/** What the channel's upstream asks for `COMPARED`; undefined where it is unknown. */
function costOf(snapshot: Snapshot, channel: SnapshotChannel, model: string): number | undefined {
  const upstreamModel = mappedModel(channel.modelMapping, model);
  const asked = upstreamModel === undefined ? undefined : snapshot.upstreamPriceOf(channel, upstreamModel);
  return asked === undefined ? undefined : chargeQuota(COMPARED, asked.price, asked.factor, FINE_QUOTA_PER_USD);
}

/** Channels of one price are one step; those of an unknown price come last. */
function byCost({ call, accepted: { model } }: RoutedCall, channels: Channels): Steps {
  const { snapshot } = call.context;
  const { priceVersion: version } = snapshot;
  const ranking = costRankings.get(channels);
  if (ranking?.version === version) return ranking.steps;
  const { known, unknown } = split(channels, (channel) => costOf(snapshot, channel, model));
  const steps = [...stepsByScore(known, 1), ...unknown];
  costRankings.set(channels, { steps, version, madeMs: 0 });
  return steps;
}

/** The steps of a tier's channels by the option ChannelChoice; undefined where weights alone decide. */
export function rankedSteps(routed: RoutedCall, channels: Channels): Steps | undefined {
  const { ChannelChoice } = routed.call.context.snapshot.options;
  if (ChannelChoice === "weight" || channels.length < 2) return undefined;
  return ChannelChoice === "cost" ? byCost(routed, channels) : byLatency(routed, channels);
}

/** The same for one call: now and then weights decide, so that times are measured anew. */
export function stepsOf(routed: RoutedCall, channels: Channels, random: () => number): Steps | undefined {
  const steps = rankedSteps(routed, channels);
  const isExplored = steps !== undefined && routed.call.context.snapshot.options.ChannelChoice === "latency";
  return isExplored && random() < EXPLORED_SHARE ? undefined : steps;
}
