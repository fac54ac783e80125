/**
 * Surcharges of upstreams above a model's price: removed from a request with a warning, unless the channel allows them (part of step 5);
 * reported in an answer, charged by their ratio (part of step 8), as is a cheaper tier of service.
 */
import { surchargeRatio } from "../../../../contract/src/pricing/surcharge-ratios.ts";
import { NO_USAGE, type Surcharge, type Usage, type UsedSurcharge } from "../../../../contract/src/pricing/usage.ts";
import { type JsonTop, valueOf } from "../../dialects/json/bytes.ts";
import type { DialectName, NeutralRequest, Warn } from "../../dialects/neutral/neutral.ts";
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { OtherModels, ProviderManifest } from "../../providers/provider.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import { withoutUpstreamKey } from "../../upstream/fault.ts";
import type { Answer } from "../call/answer.ts";
import { type Routes, type Target, routableChannels } from "../call/target.ts";
import { type Accepted, requestField } from "../request/accepted.ts";
import type { Terms } from "./terms.ts";
import { namedModel } from "./tool-calls.ts";

/**
 * Faster for a multiple of the price (developers.openai.com/api/docs/guides/fast-mode and api/docs/pricing,
 * ai.google.dev/gemini-api/docs/priority-inference); `flex` costs less, `auto` is what the upstream's own account says.
 */
const SURCHARGED_TIERS: ReadonlySet<unknown> = new Set(["priority", "fast", "ultrafast"]);

/** Google's words for tiers have had its enums' names before them, and Vertex AI's still have. */
const tierName = (tier: string): string => tier.toLowerCase().replace(/^(?:service_tier|traffic_type|on_demand)_/, "");

const isSurchargedTier = (value: unknown): boolean =>
  SURCHARGED_TIERS.has(typeof value === "string" ? tierName(value) : value);

interface SurchargedField {
  field: string;
  costsMore(value: unknown): boolean;
}

const TIER: readonly SurchargedField[] = [{ field: "service_tier", costsMore: isSurchargedTier }];

/**
 * By the format of client and upstream, where the client's own bytes are sent. Anthropic's `inference_geo` is not among them: who asks that
 * words stay in the USA must not find them elsewhere, so it is sent and charged.
 */
const SURCHARGED_FIELDS: Readonly<Record<DialectName, readonly SurchargedField[]>> = {
  "openai-chat": TIER,
  "openai-responses": TIER,
  "anthropic-messages": [
    // Vendors that serve other models in the format have OpenAI's words for it; Anthropic has none of them.
    ...TIER,
    // platform.claude.com/docs/en/build-with-claude/fast-mode
    { field: "speed", costsMore: (value) => value === "fast" },
    // Other models than the one that is priced, and that the key may use (build-with-claude/refusals-and-fallback).
    { field: "fallbacks", costsMore: (value) => Array.isArray(value) || typeof value === "string" },
  ],
  gemini: [
    { field: "serviceTier", costsMore: isSurchargedTier },
    { field: "service_tier", costsMore: isSurchargedTier },
  ],
};

const REASON = "costs more than the price of this model, and its channel does not allow it";

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== "";

/** Fields by which the upstream may answer by other models than the one that is priced. */
const fieldsOfOthers = ({ fields, plugins }: OtherModels): readonly SurchargedField[] => [
  ...fields.map((field) => ({ field, costsMore: isSet })),
  {
    field: "plugins",
    costsMore: (value) => listOf(value).some((plugin) => !plugins.includes(textOf(objectOf(plugin)["id"]))),
  },
];

const NO_FIELDS: readonly string[] = [];

/** Fields of the client's own bytes that stay behind at a provider. */
export function surchargedFields(
  body: Buffer,
  top: JsonTop,
  format: DialectName,
  { setting }: SnapshotChannel,
  { otherModels }: ProviderManifest,
): readonly string[] {
  if (setting.allowsServiceTier === true) return NO_FIELDS;
  const isDearer = ({ field, costsMore }: SurchargedField): boolean =>
    !(field === "speed" && setting.allowsSpeed === true) && costsMore(valueOf(body, top, field));
  const ofFormat = SURCHARGED_FIELDS[format];
  if (otherModels === undefined && !ofFormat.some(isDearer)) return NO_FIELDS;
  const ofOthers = otherModels === undefined ? [] : fieldsOfOthers(otherModels);
  const dearer = [...ofFormat, ...ofOthers].filter(isDearer);
  return [...new Set(dearer.map(({ field }) => field))];
}

/** The warning for a field that was left out. */
export const surchargeWarning = (field: string): string => `${field}: ${REASON}`;

/** The same for a request on its way into another format. */
export function withoutSurcharge(request: NeutralRequest, { setting }: SnapshotChannel, warn: Warn): NeutralRequest {
  const { serviceTier, ...rest } = request;
  if (setting.allowsServiceTier === true || !isSurchargedTier(serviceTier)) return request;
  warn("service_tier", REASON);
  return rest;
}

interface ReportedSurcharge {
  surcharge: Surcharge;
  /** Of the usage, and what it says there. */
  field: string;
  value: string;
}

/** Surcharges that an upstream's usage names, by its format (platform.claude.com/docs/en/api/messages, "usage"). */
const REPORTED_SURCHARGES: Readonly<Partial<Record<DialectName, readonly ReportedSurcharge[]>>> = {
  "anthropic-messages": [
    { surcharge: "inference_geo_us", field: "inference_geo", value: "us" },
    { surcharge: "speed_fast", field: "speed", value: "fast" },
  ],
};

/** Tiers with another price than the plain one; OpenAI calls one of them by two names (developers.openai.com/api/docs/guides/fast-mode). */
const TIER_SURCHARGES: ReadonlyMap<string, Surcharge> = new Map([
  ["priority", "service_tier_priority"],
  ["fast", "service_tier_priority"],
  ["ultrafast", "service_tier_ultrafast"],
  ["flex", "service_tier_flex"],
]);

/** Fields by which clients of any format ask for what is charged by a ratio, and whether they are sent where a channel does not allow it. */
const REQUESTED_SURCHARGES: readonly {
  field: string;
  isAlwaysSent: boolean;
  surchargeOf(value: string): Surcharge | undefined;
}[] = [
  { field: "service_tier", isAlwaysSent: false, surchargeOf: (value) => TIER_SURCHARGES.get(tierName(value)) },
  { field: "serviceTier", isAlwaysSent: false, surchargeOf: (value) => TIER_SURCHARGES.get(tierName(value)) },
  { field: "speed", isAlwaysSent: false, surchargeOf: (value) => (value === "fast" ? "speed_fast" : undefined) },
  {
    field: "inference_geo",
    isAlwaysSent: true,
    surchargeOf: (value) => (value === "us" ? "inference_geo_us" : undefined),
  },
];

const REQUESTING: ReadonlySet<string> = new Set(REQUESTED_SURCHARGES.map(({ field }) => field));

/** True where a channel that the call may go to lets the field through. */
const maySend = (snapshot: Snapshot, routes: Routes, field: string): boolean =>
  snapshot.options["global.pass_through_request_enabled"] ||
  routableChannels(snapshot, routes).some(
    ({ setting }) =>
      setting.allowsServiceTier === true ||
      setting.passesBody === true ||
      (field === "speed" && setting.allowsSpeed === true),
  );

const ratioOf = (accepted: Accepted, { surchargeRatios }: Terms, surcharge: Surcharge): UsedSurcharge => ({
  surcharge,
  ratio: surchargeRatio({ PremiumRatios: surchargeRatios }, surcharge, namedModel(accepted)),
});

/** What the request asks for and makes its tokens cost more, as far as a channel it may go to lets it through: what is held covers it. */
export function requestedSurcharges(
  snapshot: Snapshot,
  accepted: Accepted,
  terms: Terms,
  routes: Routes,
): readonly UsedSurcharge[] {
  if (accepted.form === undefined && !accepted.info.top.fields.some(({ name }) => REQUESTING.has(name)))
    return NO_USAGE.surcharges;
  const requested = REQUESTED_SURCHARGES.flatMap(({ field, isAlwaysSent, surchargeOf }) => {
    const value = requestField(accepted, field);
    const surcharge = typeof value === "string" ? surchargeOf(value) : undefined;
    if (surcharge === undefined || !(isAlwaysSent || maySend(snapshot, routes, field))) return [];
    return [ratioOf(accepted, terms, surcharge)];
  });
  return requested.length === 0 ? NO_USAGE.surcharges : requested.filter(({ ratio }) => Number(ratio) > 1);
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

/** The warning of a tier whose price is unknown. */
function warnOfTier({ channel, warnings }: Target, tier: string): void {
  const name = withoutUpstreamKey(tier, channel.key).slice(0, TIER_CHARACTERS);
  warnings.push(`service_tier: the answer came in the tier "${name}", which has no ratio: charged at the plain price`);
}

/** The surcharge of the tier that the answer says it came in; one that is unknown is noted as a warning. */
function surchargeOfTier({ tier, target }: Answer): Surcharge | undefined {
  if (tier === undefined) return undefined;
  const name = tierName(tier);
  const surcharge = TIER_SURCHARGES.get(name);
  if (surcharge === undefined && !PLAIN_TIERS.has(name)) warnOfTier(target, tier);
  return surcharge;
}

/** Surcharges that the answer names: in its usage, and as its tier. */
function reportedSurcharges(answer: Answer): readonly Surcharge[] {
  const { name } = answer.target.dialect;
  const possible = name === "vendor" ? [] : (REPORTED_SURCHARGES[name] ?? []);
  const usage = objectOf(answer.rawUsage);
  const reported = possible.filter(({ field, value }) => usage[field] === value).map(({ surcharge }) => surcharge);
  const ofTier = surchargeOfTier(answer);
  return ofTier === undefined ? reported : [...reported, ofTier];
}

/**
 * The usage with the surcharges that the answer had, each at the ratio of the moment the call was let in. An unknown tier
 * becomes a warning of the answer's target.
 */
export function withSurcharges(accepted: Accepted, terms: Terms, answer: Answer, usage: Usage): Usage {
  const reported = reportedSurcharges(answer);
  if (reported.length === 0) return usage;
  return { ...usage, surcharges: reported.map((surcharge) => ratioOf(accepted, terms, surcharge)) };
}
