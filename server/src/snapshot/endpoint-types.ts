/** The endpoint types of a model in this API family's terms (`supported_endpoint_types`), from the formats of the channels that offer it. */
import { mappedModel } from "../../../contract/src/channels/model-mapping.ts";
import { CHANNEL_STATUS } from "../../../contract/src/features/channels.ts";
import { ENDPOINT_TYPES, type EndpointType } from "../../../contract/src/family/endpoint-types.ts";
import { modelKind } from "../../../contract/src/pricing/model-kind.ts";
import type { SnapshotChannel } from "./snapshot.ts";

/** The part of a provider that is read here. */
interface ServingProvider {
  manifest: { dialects: readonly string[]; operations: readonly string[] };
  /** Formats of one model, where they differ by model; the preferred one first. */
  dialectsOf?(model: string, channel: SnapshotChannel): readonly string[];
}

/** The type of calls in a vendor's own format; every other format is reached by OpenAI's. */
const TYPE_BY_FORMAT: Readonly<Record<string, EndpointType>> = { "anthropic-messages": "anthropic", gemini: "gemini" };

/** What one channel serves of a model, the preferred way first. Every conversation is translated from OpenAI's format. */
function typesAt(provider: ServingProvider, channel: SnapshotChannel, model: string): EndpointType[] {
  const kind = modelKind(model);
  const upstream = mappedModel(channel.modelMapping, model) ?? model;
  const [preferred = ""] = provider.dialectsOf?.(upstream, channel) ?? provider.manifest.dialects;
  if (kind === "rerank" && provider.manifest.operations.includes("rerank")) return ["jina-rerank"];
  if (kind === "video" && provider.manifest.operations.includes("videos")) return ["openai-video"];
  const types: EndpointType[] = [];
  if (kind === "image" && provider.manifest.operations.includes("images")) types.push("image-generation");
  const own = Object.hasOwn(TYPE_BY_FORMAT, preferred) ? TYPE_BY_FORMAT[preferred] : undefined;
  return own === undefined ? [...types, "openai"] : [...types, own, "openai"];
}

/**
 * The types of every model that an enabled channel of these groups offers, each in the order of `ENDPOINT_TYPES`.
 * @param providerOf the provider of a channel's type; undefined where a type has none any more
 */
export function endpointTypesByModel(
  channels: readonly SnapshotChannel[],
  groupNames: readonly string[],
  providerOf: (type: number) => ServingProvider | undefined,
): ReadonlyMap<string, EndpointType[]> {
  const groups = new Set(groupNames);
  const found = new Map<string, Set<EndpointType>>();
  for (const channel of channels) {
    const provider = providerOf(channel.type);
    const isOffering = channel.status === CHANNEL_STATUS.enabled && channel.groupNames.some((name) => groups.has(name));
    if (provider === undefined || !isOffering) continue;
    for (const model of channel.models) {
      const types = found.get(model) ?? new Set();
      for (const type of typesAt(provider, channel, model)) types.add(type);
      found.set(model, types);
    }
  }
  return new Map([...found].map(([model, types]) => [model, ENDPOINT_TYPES.filter((type) => types.has(type))]));
}
