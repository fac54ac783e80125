/** Resolves a model's upstream name by the channel's mapping: for the relay, and for pages that show what a call will cost. */

/** Follows a mapping to its end; a name mapped to itself or to nothing ends it. Undefined where it leads in a circle. */
export function mappedModel(mapping: Readonly<Record<string, string>>, model: string): string | undefined {
  let current = model;
  const passed: string[] = [];
  for (;;) {
    const next = Object.hasOwn(mapping, current) ? mapping[current] : undefined;
    if (next === undefined || next === "" || next === current) return current;
    passed.push(current);
    if (passed.includes(next)) return undefined;
    current = next;
  }
}
