/** Which link a chat page follows: one of the saved templates by its place, or the first one with the token in its settings. Pure. */
import { type ChatLink, carriesKey } from "../../lib/chat-links.ts";

/** Whether a template leads to a page that can be framed; others open an app of this machine. */
export const isWeb = (template: string): boolean => /^https?:\/\//i.test(template.trim());

/** The link at this place of the list, counted from 0; undefined where there is none. */
export function linkAt(links: readonly ChatLink[], id: string | undefined): ChatLink | undefined {
  return id !== undefined && /^\d{1,4}$/.test(id) ? links[Number(id)] : undefined;
}

/** Whether the stored list of chats cannot be read. @param stored its JSON text; null where there is none */
export function isBroken(stored: string | null): boolean {
  if (stored === null) return false;
  try {
    return !Array.isArray(JSON.parse(stored));
  } catch {
    return true;
  }
}

/**
 * The template with a `settings` parameter that holds key and address, as clients of NextChat's kind read it
 * (github.com/ChatGPTNextWeb/NextChat, "settings" in the address); one that places the key itself stays as it is.
 */
export function withSettings(template: string): string {
  if (carriesKey(template)) return template;
  const base = template.trim().replace(/\/+$/, "").replace(/#\/?$/, "").replace(/\/+$/, "");
  return `${base}/#/?settings={"key":"{key}","url":"{address}"}`;
}
