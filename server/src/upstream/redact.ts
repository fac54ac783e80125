/** Takes the key that an upstream was called with out of what it says: patterns know the shapes of some vendors' keys, this knows the key. */

/** Shorter ones are placeholders of upstreams that want none, and would be found in ordinary words. */
const SHORTEST_SECRET = 8;

/** The text without `key`, nor any part of a key that is made of several (`id|secret`). */
export function withoutUpstreamKey(text: string, key: string): string {
  let result = text;
  for (const part of [key, ...key.split("|")]) {
    if (part.length >= SHORTEST_SECRET && result.includes(part)) result = result.replaceAll(part, "[key]");
  }
  return result;
}
