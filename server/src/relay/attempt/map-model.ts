/** The name of a model at a channel's upstream, by the channel's mapping. */
import { ownOf } from "../../dialects/json/fields.ts";
import { RelayError } from "../call/relay-error.ts";

/** Follows a mapping to its end; a name mapped to itself ends it. Throws RelayError where it leads in a circle. */
export function mapModel(mapping: Readonly<Record<string, string>>, model: string): string {
  let current = model;
  const passed: string[] = [];
  for (;;) {
    const next = ownOf(mapping, current);
    if (next === undefined || next === "" || next === current) return current;
    passed.push(current);
    if (passed.includes(next)) throw new RelayError("model_mapping_contains_cycle");
    current = next;
  }
}
