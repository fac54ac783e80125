/** Explains where a call would go: by the rules that route calls, without sending or counting it. */
import {
  OUT_LISTED_MAX,
  type RouteCandidate,
  type RouteExplanation,
} from "../../../../contract/src/features/routing.ts";
import type { SkipReason } from "../../../../contract/src/receipt-codes.ts";
import type { Operation } from "../../providers/provider.ts";
import type { SnapshotChannel, SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import { absentReason, noChannelFor } from "../admission/skip-reasons.ts";
import { checkModelLimits } from "../admission/caller.ts";
import { furtherGroups, groupFor, groupsOf } from "../admission/groups.ts";
import { RelayError } from "../call/relay-error.ts";
import { Trace } from "../call/trace.ts";
import { type Group, groupServedBy, type Routes, routesThrough } from "../call/target.ts";
import { groupNamed, ownGroupAsIs, termsFor } from "../metering/terms.ts";
import { BUSY, cooldownMs, hasRoom, ineligibleReason, openReason } from "./eligibility.ts";
import { nothingToTry } from "./nothing-to-try.ts";
import { RetryBudget } from "./retry-budget.ts";
import type { RoutedCall, RoutingContext } from "./routed-call.ts";
import { EXPLORED_SHARE, rankedSteps } from "./steps.ts";
import { shareOf } from "./weighted-order.ts";

export interface AskedCall {
  readonly model: string;
  readonly operation: Operation;
  readonly inputTokens: number;
  readonly isStream: boolean;
  /** Who would make it; undefined for no user in particular. */
  readonly user: SnapshotUser | undefined;
  readonly token: SnapshotToken | undefined;
  /** Goes before the group of the token and the user; blank for none. */
  readonly groupName: string;
}

const DEFAULT_GROUP = "default";
const UNRESTRICTED_TOKEN: Omit<SnapshotToken, "userId" | "groupName"> = {
  id: 0,
  name: "",
  status: 1,
  expiredTime: -1,
  isUnlimited: true,
  modelLimits: undefined,
  autoGroups: [],
  retriesAcrossGroups: false,
  isKeyUnknown: false,
  isAddressAllowed: undefined,
  keyFirst: "",
  keyLast: "",
};

interface Admitted {
  group: Group | undefined;
  /** In which it may be retried after that. */
  further: readonly Group[];
  /** Every group whose channels the call may go to. */
  groupNames: readonly string[];
  refusal: RelayError | undefined;
}

/** The group of the call, and why it would be refused before a channel is looked for. */
function admitted({ snapshot }: RoutingContext, asked: AskedCall): Admitted {
  const { user, model, groupName, operation } = asked;
  let group: Group | undefined;
  let further: readonly Group[] = [];
  let groupNames: readonly string[] = [];
  try {
    if (user === undefined) {
      const name = groupName || DEFAULT_GROUP;
      group = groupNamed(snapshot, name, name) ?? ownGroupAsIs(name);
      return { group, further, groupNames: [name], refusal: priceRefusal(snapshot, model) };
    }
    const token = { ...(asked.token ?? { ...UNRESTRICTED_TOKEN, userId: user.id, groupName: "" }) };
    if (groupName !== "") token.groupName = groupName;
    const caller = { user, token, address: "", pinnedChannelId: 0 };
    group = groupFor(snapshot, caller, model);
    further = furtherGroups(snapshot, caller, group, { model, operation });
    groupNames = groupsOf(snapshot, caller);
    checkModelLimits(caller, model);
    termsFor(snapshot, model, user, group);
    return { group, further, groupNames, refusal: undefined };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { group, further, groupNames, refusal: error };
  }
}

/** Without a user there is none who has accepted models without a price. */
function priceRefusal({ options, priceOf }: RoutingContext["snapshot"], model: string): RelayError | undefined {
  if (options.SelfUseModeEnabled || priceOf(model) !== undefined) return undefined;
  return new RelayError("model_price_error", { message: `No price is set for the model ${model}.`, param: "model" });
}

const summary = ({ id, name, type }: SnapshotChannel) => ({ id, name, type });

/** As stored with receipts: a code, and its values where it has some. */
const stored = ({ code, values }: SkipReason) => ({ code, ...(values === undefined ? {} : { values }) });

function candidateOf(routed: RoutedCall, channel: SnapshotChannel, shares: number): RouteCandidate {
  const { context, operation } = routed.call;
  const { model, isStream } = routed.accepted;
  const code = openReason(routed, channel);
  const latencyMs = context.channelLatencies.of(operation, model, isStream)?.averageMs(channel.id);
  const leftMs = code === undefined ? 0 : cooldownMs(routed, channel);
  return {
    ...summary(channel),
    weight: channel.weight,
    chance: shareOf(channel) / shares,
    open_calls: context.channelCalls.count(channel.id),
    latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
    resting: code === undefined ? null : { code },
    resting_until_ms: leftMs === 0 ? null : Math.round(Date.now() + leftMs),
  };
}

interface Step {
  /** Of its channels; undefined where the call has only one. */
  group: Group | undefined;
  priority: number;
  channels: SnapshotChannel[];
}

const sharesOf = (channels: readonly SnapshotChannel[]): number =>
  channels.reduce((sum, channel) => sum + shareOf(channel), 0);

/** The steps in which the channels come, those that cool down behind all others; what cannot be tried is noted in the call's trace. */
function stepsOf(routed: RoutedCall): Step[] {
  const [ready, resting]: [Step[], Step[]] = [[], []];
  for (const { priority, channels } of routed.routes.tiers) {
    for (const step of rankedSteps(routed, channels) ?? [channels]) {
      const [now, later]: [SnapshotChannel[], SnapshotChannel[]] = [[], []];
      for (const channel of step) {
        const reason = ineligibleReason(routed, channel) ?? (hasRoom(routed, channel) ? undefined : BUSY);
        if (reason !== undefined) routed.call.trace.skip(channel, reason);
        else (openReason(routed, channel) === undefined ? now : later).push(channel);
      }
      const group = groupServedBy(routed.routes, channels[0]?.id ?? 0);
      if (now.length > 0) ready.push({ group, priority, channels: now });
      if (later.length > 0) resting.push({ group, priority, channels: later });
    }
  }
  return [...ready, ...resting];
}

/** How near a channel is to the call: one that only has to be enabled before one that lacks the model. */
const NEARNESS: Readonly<Partial<Record<SkipReason["code"], number>>> = { model: 2, group: 1 };

/** Why a channel is in none of the groups: what is nearest to being in one. */
function absentInAll(channel: SnapshotChannel, groups: readonly Group[], model: string): SkipReason | undefined {
  const reasons = groups.map(({ name }) => absentReason(channel, name, model));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** The channels that are in the call's way but not for it, and those that are in none of its groups. */
function outOf({ call: { context }, accepted }: RoutedCall, trace: Trace, groups: readonly Group[]) {
  const here = trace.skipped.map(({ id, name, ...reason }) => ({ id, name, reason: stored(reason) }));
  const elsewhere = context.snapshot.channels().flatMap((channel) => {
    const reason = absentInAll(channel, groups, accepted.model);
    return reason === undefined ? [] : [{ id: channel.id, name: channel.name, reason: stored(reason) }];
  });
  const out = [...here, ...elsewhere];
  const listed = out
    .toSorted((left, right) => (NEARNESS[left.reason.code] ?? 0) - (NEARNESS[right.reason.code] ?? 0))
    .slice(0, OUT_LISTED_MAX)
    .map((each) => ({ ...each, type: context.snapshot.channelById(each.id)?.type ?? 0 }));
  return { out: listed, out_total: out.length };
}

const refusalView = (refusal: RelayError | undefined) =>
  refusal === undefined ? null : { code: refusal.code, status: refusal.status, message: refusal.message };

/** The channels of each group by tier, as a call that is made has them. */
function routesIn({ snapshot }: RoutingContext, groups: readonly Group[], model: string): Routes {
  const ofGroups = groups.map((group) => ({ group, tiers: snapshot.tiersFor(group.name, model) }));
  const [only] = ofGroups;
  return ofGroups.length > 1 ? routesThrough(ofGroups) : { tiers: only?.tiers ?? [], pinnedChannelId: 0 };
}

/** Where the call would go now. */
export function explainRoute(context: RoutingContext, asked: AskedCall): RouteExplanation {
  const { model, operation, inputTokens, isStream, user, token } = asked;
  const { options } = context.snapshot;
  const { group, further, groupNames, refusal } = admitted(context, asked);
  const groups = group === undefined ? [] : [group, ...further];
  const trace = new Trace();
  const call = { context, operation, trace };
  const routed: RoutedCall = {
    call,
    accepted: { model, isStream },
    routes: routesIn(context, groups, model),
    inputTokens,
    retries: new RetryBudget(call),
    held: undefined,
  };
  const steps = stepsOf(routed);
  const absent =
    routed.routes.tiers.length === 0 ? noChannelFor(context, groupNames, model, group?.name ?? "") : undefined;
  const untried =
    steps.length === 0
      ? nothingToTry({ operation, dialect: "openai-chat", inputTokens, skipped: trace.skipped })
      : undefined;
  return {
    model,
    group: group?.name ?? "",
    groups: groups.map(({ name }) => name),
    input_tokens: inputTokens,
    user: user === undefined ? null : { id: user.id, username: user.username },
    token: token === undefined ? null : { id: token.id, name: token.name },
    refusal: refusalView(refusal ?? absent ?? untried),
    choice: options.ChannelChoice,
    explored_share: options.ChannelChoice === "latency" ? EXPLORED_SHARE : 0,
    has_affinity: options.PromptCacheAffinityEnabled,
    max_tries: options.RetryTimes + 1,
    steps: steps.map(({ group: served, priority, channels }) => {
      const shares = sharesOf(channels);
      return {
        group: (served ?? group)?.name ?? "",
        priority,
        channels: channels.map((channel) => candidateOf(routed, channel, shares)),
      };
    }),
    ...(groups.length === 0 ? { out: [], out_total: 0 } : outOf(routed, trace, groups)),
  };
}
