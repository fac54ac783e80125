/** Chooses the format in which a channel is called, and remembers those its upstream does not serve, so that the next one is tried. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import type { FormatName, UpstreamFormat } from "../../dialects/dialect.ts";
import { type MissingFormat, refusesModel } from "../../dialects/neutral/missing-format.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation, UpstreamFailure } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Attempt } from "./attempts.ts";

/** Follows a mapping to its end; a name mapped to itself ends it. Throws RelayError where it leads in a circle. */
export function mapModel(mapping: Readonly<Record<string, string>>, model: string): string {
  const mapped = mappedModel(mapping, model);
  if (mapped === undefined) throw new RelayError("model_mapping_contains_cycle");
  return mapped;
}

/** What is learnt of one key holds for the channel, whichever key comes next. */
const wholeOf = ({ channel }: Attempt): SnapshotChannel => channel.ofKey?.channel ?? channel;

/** A format that only this model lacks; the same channel may serve it for others. */
const forModel = (name: FormatName, { model }: Accepted): string => `${name} ${model}`;

/** The model's name at the upstream. Throws RelayError for a mapping in a circle. */
export const upstreamModelOf = ({ attempts: { accepted }, channel }: Attempt): string =>
  mapModel(channel.modelMapping, requestedModelOf(accepted));

/** The model as the client's request has it, where it names one. */
export const requestedModelOf = ({ endpoint, info, model }: Accepted): string => endpoint.model || info.model || model;

/** Operations whose format may differ by model: a count of tokens is one of a chat. */
const BY_MODEL: ReadonlySet<Operation> = new Set<Operation>(["chat", "count_tokens"]);

/** Formats that the channel's chat may be asked in, the preferred one first. */
function formatsOf(attempt: Attempt): readonly FormatName[] {
  const { provider, channel } = attempt;
  if (provider.dialectsOf === undefined || !BY_MODEL.has(attempt.attempts.accepted.operation))
    return provider.manifest.dialects;
  return provider.dialectsOf(upstreamModelOf(attempt), channel);
}

/** The format of that name, or the provider's own. */
function formatNamed(attempt: Attempt, name: FormatName): UpstreamFormat {
  if (name !== "vendor") return DIALECTS[name];
  const own = attempt.provider.format?.(attempt.channel, upstreamModelOf(attempt));
  if (own === undefined) throw new Error(`${attempt.provider.manifest.slug} has no format of its own`);
  return own;
}

/** The call in the vendor's own format, where it has one for the channel's key. */
export function vendorOperationOf({ provider, channel, attempts }: Attempt): VendorOperation | undefined {
  const own = provider.ownOperations?.[attempts.accepted.operation];
  return own?.isFor?.(channel.key) === false ? undefined : own;
}

/** Calls beside chat are made in one of the dialects: those that a vendor has in a format of its own come from OpenAI's. */
function formatBesideChat(attempt: Attempt): UpstreamFormat {
  const { accepted } = attempt.attempts;
  const dialects = formatsOf(attempt);
  const { operation, dialect } = accepted;
  // OpenAI counts no tokens: that call comes in the words of who asks.
  if (operation === "count_tokens" && dialects.includes(dialect.name)) return dialect;
  if (vendorOperationOf(attempt) !== undefined) return DIALECTS["openai-chat"];
  const own = dialects.includes(accepted.dialect.name) ? accepted.dialect.name : dialects[0];
  return DIALECTS[own === undefined || own === "vendor" ? "openai-chat" : own];
}

function isServed(attempt: Attempt, name: FormatName): boolean {
  const { refusedFormats, attempts } = attempt;
  const { call, accepted } = attempts;
  const keys = [name, forModel(name, accepted)];
  if (keys.some((key) => refusedFormats.includes(key))) return false;
  return !keys.some((key) => call.context.missingFormats.isMissing(wholeOf(attempt), key, performance.now()));
}

/** The client's own format where the provider speaks it, else the provider's first; the next in its order where that one is missing. */
export function formatFor(attempt: Attempt): UpstreamFormat {
  const { call, accepted } = attempt.attempts;
  if (accepted.operation !== "chat") return formatBesideChat(attempt);
  const formats = formatsOf(attempt);
  const own = formats.includes(accepted.dialect.name) ? accepted.dialect.name : (formats[0] ?? "openai-chat");
  const isKnownToServe = !call.context.missingFormats.hasRecords && attempt.refusedFormats.length === 0;
  // A conversation is made shorter in the client's own words or not at all.
  if (accepted.endpoint.compacts === true || isKnownToServe || formats.length < 2 || isServed(attempt, own))
    return formatNamed(attempt, own);
  return formatNamed(attempt, formats.find((name) => isServed(attempt, name)) ?? own);
}

/** The formats that the channel serves beside one that cannot express the call, the preferred one first. */
export const formatsBeside = (attempt: Attempt, { name }: UpstreamFormat): readonly UpstreamFormat[] =>
  formatsOf(attempt)
    .filter((each) => each !== name && isServed(attempt, each))
    .map((each) => formatNamed(attempt, each));

/** What a failure says of the target's format: of one that the vendor has for some models only, also that it does not have this one. */
function missingIn({ provider }: Attempt, { dialect }: Target, failure: UpstreamFailure): MissingFormat | undefined {
  const isPartial = provider.manifest.partialFormats?.includes(dialect.name) === true;
  return failure.missingFormat ?? (isPartial && refusesModel(failure) ? "model" : undefined);
}

/**
 * Notes for this call that the target's format is not served; true where the channel has another one to try. A server without its
 * first format is at the wrong address rather than without it.
 */
export function hasNextFormat(attempt: Attempt, target: Target, failure: UpstreamFailure): boolean {
  const { call, accepted } = attempt.attempts;
  const { dialect } = target;
  if (accepted.endpoint.compacts === true) return false;
  const missingFormat = missingIn(attempt, target, failure);
  const dialects = formatsOf(attempt);
  if (missingFormat === undefined || accepted.operation !== "chat" || call.isClientGone) return false;
  if (missingFormat === "path" && dialect.name === dialects[0]) return false;
  const others = dialects.filter((name) => name !== dialect.name);
  if (!others.some((name) => isServed(attempt, name))) return false;
  const refused = missingFormat === "path" ? dialect.name : forModel(dialect.name, accepted);
  attempt.refusedFormats = [...attempt.refusedFormats, refused];
  return true;
}

/** Keeps for later calls what this one learnt of a channel; not where no path of it was found at all, for then its address is wrong. */
export function rememberFormats(attempt: Attempt, last: UpstreamFailure | undefined): void {
  if (last?.missingFormat !== undefined) return;
  const { missingFormats } = attempt.attempts.call.context;
  for (const format of attempt.refusedFormats) missingFormats.note(wholeOf(attempt), format, performance.now());
}
