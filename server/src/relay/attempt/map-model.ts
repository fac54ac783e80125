/** The name of a model at a channel's upstream, by the channel's mapping. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import { RelayError } from "../call/relay-error.ts";

/** Follows a mapping to its end; a name mapped to itself ends it. Throws RelayError where it leads in a circle. */
export function mapModel(mapping: Readonly<Record<string, string>>, model: string): string {
  const mapped = mappedModel(mapping, model);
  if (mapped === undefined) throw new RelayError("model_mapping_contains_cycle");
  return mapped;
}
