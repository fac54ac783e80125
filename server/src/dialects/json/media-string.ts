/** Distinguishes encoded media from text by the field a string is in and by its characters. */

/** A shorter string counts as text. */
export const MEDIA_BYTES = 4096;

const named = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Fields whose strings are always text to a model; those of a list in them too. */
const WORDS = named(
  "text content contents input prompt instructions system output query documents texts title name description thinking reasoning " +
    "reasoning_content refusal summary arguments transcript code logs stdout stderr negative_prompt lyrics stop context",
);

/** Fields whose objects have names of a client's own: arguments and results of calls, and schemas. */
const OWN_NAMES = named("arguments args response input_schema parameters parametersJsonSchema schema json_schema");

/** Base64 of both alphabets, with what JSON may have escaped in it: slashes and ends of lines. */
const NO_BASE64 = /[^A-Za-z0-9+/=_\\-]/;
const PROBES = 8;
const PROBE_BYTES = 512;

/** Letters in front, at the end and between; if all of these are base64, it is no text. */
function isBase64(text: string, from: number, to: number): boolean {
  const step = (to - from - PROBE_BYTES) / (PROBES - 1);
  for (let probe = 0; probe < PROBES; probe += 1) {
    const at = from + Math.round(probe * step);
    if (NO_BASE64.test(text.slice(at, at + PROBE_BYTES))) return false;
  }
  return true;
}

/** An object as the argument of a call of Anthropic's; at the top the name is that of a conversation. */
const isOwn = (name: string, depth: number): boolean => OWN_NAMES.has(name) || (name === "input" && depth > 0);

/**
 * True for the string between two positions that is encoded media, whose tokens cannot be estimated from its bytes. `path` has the
 * names of the fields around it, from the top to its own; `text` is the body as Latin-1.
 */
export function isMediaString(text: string, from: number, to: number, path: readonly string[]): boolean {
  if (to - from < MEDIA_BYTES) return false;
  if (WORDS.has(path.at(-1) ?? "") || path.some(isOwn)) return false;
  return text.slice(from, from + 5).toLowerCase() === "data:" || isBase64(text, from, to);
}
