/**
 * What makes an upstream dearer than the price of its model: of a request left out and told, unless the channel allows it (part of
 * step 5); of an answer that says so, charged by its ratio (part of step 8), as is a tier of service that is cheaper.
 */
import { premiumRatio } from "../../../contract/src/premium-ratios.ts";
import { NO_USAGE, type Premium, type Usage, type UsedPremium } from "../../../contract/src/usage.ts";
import { type JsonTop, valueOf } from "../dialects/json-bytes.ts";
import type { DialectName, NeutralRequest, Warn } from "../dialects/neutral.ts";
import { objectOf } from "../dialects/json-fields.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { withoutKey } from "../upstream/conceal.ts";
import { type Exchange, known } from "./exchange.ts";
import { requestField } from "./request-field.ts";
import { askedModel } from "./tool-calls.ts";

/**
 * Faster for a multiple of the price (developers.openai.com/api/docs/guides/fast-mode and api/docs/pricing,
 * ai.google.dev/gemini-api/docs/priority-inference); `flex` costs less, `auto` is what the upstream's own account says.
 */
const PREMIUM_TIERS: ReadonlySet<unknown> = new Set(["priority", "fast", "ultrafast"]);

/** Google's words for tiers have had its enums' names before them, and Vertex AI's still have. */
const tierName = (tier: string): string => tier.toLowerCase().replace(/^(?:service_tier|traffic_type|on_demand)_/, "");

const isPremiumTier = (value: unknown): boolean =>
  PREMIUM_TIERS.has(typeof value === "string" ? tierName(value) : value);

interface PremiumField {
  field: string;
  isPremium(value: unknown): boolean;
}

const TIER: readonly PremiumField[] = [{ field: "service_tier", isPremium: isPremiumTier }];

/**
 * By the format of client and upstream, where the client's own bytes go on. Anthropic's `inference_geo` is not among them: who asks that
 * words stay in the USA must not find them elsewhere, so it goes on and is charged.
 */
const PREMIUM_FIELDS: Readonly<Record<DialectName, readonly PremiumField[]>> = {
  "openai-chat": TIER,
  "openai-responses": TIER,
  "anthropic-messages": [
    // platform.claude.com/docs/en/build-with-claude/fast-mode
    { field: "speed", isPremium: (value) => value === "fast" },
    // Other models than the one that is priced, and that the key may use (build-with-claude/refusals-and-fallback).
    { field: "fallbacks", isPremium: (value) => Array.isArray(value) || typeof value === "string" },
  ],
  gemini: [
    { field: "serviceTier", isPremium: isPremiumTier },
    { field: "service_tier", isPremium: isPremiumTier },
  ],
};

const REASON = "costs more than the price of this model, and its channel does not allow it";

/** Fields of the client's own bytes that stay behind. */
export function premiumFields(body: Buffer, top: JsonTop, format: DialectName, { setting }: SnapshotChannel): string[] {
  if (setting.allowsServiceTier === true) return [];
  return PREMIUM_FIELDS[format]
    .filter(({ field, isPremium }) => isPremium(valueOf(body, top, field)))
    .map(({ field }) => field);
}

/** What the client is told of a field that stayed behind. */
export const premiumWarning = (field: string): string => `${field}: ${REASON}`;

/** The same for a request on its way into another format. */
export function withoutPremium(request: NeutralRequest, { setting }: SnapshotChannel, warn: Warn): NeutralRequest {
  const { serviceTier, ...rest } = request;
  if (setting.allowsServiceTier === true || !isPremiumTier(serviceTier)) return request;
  warn("service_tier", REASON);
  return rest;
}

interface SaidPremium {
  premium: Premium;
  /** Of the usage, and what it says there. */
  field: string;
  value: string;
}

/** Premiums that an upstream's usage names, by its format (platform.claude.com/docs/en/api/messages, "usage"). */
const SAID_PREMIUMS: Readonly<Partial<Record<DialectName, readonly SaidPremium[]>>> = {
  "anthropic-messages": [
    { premium: "inference_geo_us", field: "inference_geo", value: "us" },
    { premium: "speed_fast", field: "speed", value: "fast" },
  ],
};

/** Tiers with another price than the plain one; OpenAI calls one of them by two names (developers.openai.com/api/docs/guides/fast-mode). */
const TIER_PREMIUMS: ReadonlyMap<string, Premium> = new Map([
  ["priority", "service_tier_priority"],
  ["fast", "service_tier_priority"],
  ["ultrafast", "service_tier_ultrafast"],
  ["flex", "service_tier_flex"],
]);

/** Fields by which clients of any format ask for what is charged by a ratio, and whether they go on without a channel's leave. */
const ASKED_PREMIUMS: readonly {
  field: string;
  isAlwaysSent: boolean;
  premiumOf(value: string): Premium | undefined;
}[] = [
  { field: "service_tier", isAlwaysSent: false, premiumOf: (value) => TIER_PREMIUMS.get(tierName(value)) },
  { field: "serviceTier", isAlwaysSent: false, premiumOf: (value) => TIER_PREMIUMS.get(tierName(value)) },
  { field: "speed", isAlwaysSent: false, premiumOf: (value) => (value === "fast" ? "speed_fast" : undefined) },
  {
    field: "inference_geo",
    isAlwaysSent: true,
    premiumOf: (value) => (value === "us" ? "inference_geo_us" : undefined),
  },
];

/** True where a channel that the call may go to allows tiers. */
function mayHaveTier({ context, tiers, pinnedChannelId }: Exchange): boolean {
  const pinned = context.snapshot.channelById(pinnedChannelId);
  const channels = pinned === undefined ? tiers.flatMap((tier) => tier.channels) : [pinned];
  return channels.some(({ setting }) => setting.allowsServiceTier === true);
}

const ratioOf = (exchange: Exchange, premium: Premium): UsedPremium => {
  const ratios = { PremiumRatios: known(exchange.premiumRatios, "premiumRatios") };
  return { premium, ratio: premiumRatio(ratios, premium, askedModel(exchange)) };
};

/** What the request asks for and makes its tokens dearer, as far as a channel it may go to lets it through: what is held covers it. */
export function askedPremiums(exchange: Exchange): readonly UsedPremium[] {
  const asked = ASKED_PREMIUMS.flatMap(({ field, isAlwaysSent, premiumOf }) => {
    const value = requestField(exchange, field);
    const premium = typeof value === "string" ? premiumOf(value) : undefined;
    if (premium === undefined || !(isAlwaysSent || mayHaveTier(exchange))) return [];
    return [ratioOf(exchange, premium)];
  });
  return asked.length === 0 ? NO_USAGE.premiums : asked.filter(({ ratio }) => Number(ratio) > 1);
}

/** Tiers at the plain price; tokens of the last two are paid for in advance, by the minute or the month. */
const PLAIN_TIERS: ReadonlySet<string> = new Set([
  "auto",
  "default",
  "standard",
  "on_demand",
  "unspecified",
  "scale",
  "provisioned_throughput",
]);

const TIER_CHARACTERS = 64;

/** What the client and the receipt are told of a tier whose price nobody knows. */
function warnOfTier(exchange: Exchange, tier: string): void {
  const target = known(exchange.target, "target");
  const name = withoutKey(tier, target.channel.key).slice(0, TIER_CHARACTERS);
  const warning = `service_tier: the answer came in the tier "${name}", which has no ratio: charged at the plain price`;
  exchange.target = { ...target, warnings: [...target.warnings, warning] };
}

/** The premium of the tier that the answer says it came in; one that is unknown is noted as a warning. */
function premiumOfTier(exchange: Exchange): Premium | undefined {
  const { tier } = known(exchange.answer, "answer");
  if (tier === undefined) return undefined;
  const name = tierName(tier);
  const premium = TIER_PREMIUMS.get(name);
  if (premium === undefined && !PLAIN_TIERS.has(name)) warnOfTier(exchange, tier);
  return premium;
}

/** Premiums that the answer names: in its usage, and as its tier. */
function saidPremiums(exchange: Exchange): readonly Premium[] {
  const sayable = SAID_PREMIUMS[known(exchange.target, "target").dialect.name] ?? [];
  const told = objectOf(known(exchange.answer, "answer").rawUsage);
  const said = sayable.filter(({ field, value }) => told[field] === value).map(({ premium }) => premium);
  const ofTier = premiumOfTier(exchange);
  return ofTier === undefined ? said : [...said, ofTier];
}

/**
 * The usage with the premiums that the answer had, each at the ratio of the moment the call was let in. A tier that nobody knows
 * becomes a warning of the exchange's target.
 */
export function withPremiums(exchange: Exchange, usage: Usage): Usage {
  const said = saidPremiums(exchange);
  if (said.length === 0) return usage;
  return { ...usage, premiums: said.map((premium) => ratioOf(exchange, premium)) };
}
