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

/** The list with a link one place further up (-1) or down (1). */
export function movedLink(links: readonly ChatLink[], from: number, by: -1 | 1): readonly ChatLink[] {
  const link = links[from];
  const to = from + by;
  if (link === undefined || to < 0 || to >= links.length) return links;
  const others = links.filter((_, index) => index !== from);
  return [...others.slice(0, to), link, ...others.slice(to)];
}
