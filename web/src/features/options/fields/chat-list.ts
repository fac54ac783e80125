/** Chat links of the option `Chats` as a list of names and templates, and back into its text. Pure. */
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import { type ChatLink, chatLinks } from "../../../lib/chat-links.ts";

const isEntry = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((template) => typeof template === "string");

/** The links in a text; undefined where it is no list of them, which only the JSON editor can show. */
export function readChats(text: string): ChatLink[] | undefined {
  if (text.trim() === "" || findJsonError(text) !== undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) && value.every(isEntry) ? chatLinks(value) : undefined;
}

export const writeChats = (links: readonly ChatLink[]): string =>
  JSON.stringify(
    links.map(({ name, template }) => ({ [name]: template })),
    null,
    2,
  );

/** The list with an entry one place further up (-1) or down (1). */
export function movedEntry<Entry>(entries: readonly Entry[], from: number, by: -1 | 1): readonly Entry[] {
  const entry = entries[from];
  const to = from + by;
  if (entry === undefined || to < 0 || to >= entries.length) return entries;
  const others = entries.filter((_, index) => index !== from);
  return [...others.slice(0, to), entry, ...others.slice(to)];
}
