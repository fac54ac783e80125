/** Chat links of the settings: templates with {address} and {key}, filled for one token. */
import { serverAddress } from "./status.ts";

export interface ChatLink {
  name: string;
  template: string;
}

/** Name and link template of each chat application; in the settings, each map holds one name. */
export const chatLinks = (chats: readonly Record<string, string>[]): ChatLink[] =>
  chats.flatMap((chat) => Object.entries(chat).map(([name, template]) => ({ name, template })));

/** {address} becomes the encoded server address, {key} the token with its prefix. `key` comes without `sk-`. */
const fillChatLink = (template: string, key: string): string =>
  template.replaceAll("{address}", encodeURIComponent(serverAddress())).replaceAll("{key}", `sk-${key}`);

/** Schemes that run code in the page instead of navigating. */
const RUNNING_SCHEMES = new Set(["javascript:", "data:", "vbscript:", "blob:"]);

/** The filled link, or undefined where the template does not give a permitted URL, because the settings are wrong. */
export function usableChatLink(template: string, key: string): string | undefined {
  const link = fillChatLink(template.trim(), key);
  const address = URL.parse(link);
  return address === null || RUNNING_SCHEMES.has(address.protocol) ? undefined : link;
}

/** The receiver of the data in a link: the host of a site, or the scheme of an app on this machine (`deskchat://`). */
export function receiverOf(link: string): string {
  const address = URL.parse(link);
  if (address === null) return "";
  return ["http:", "https:"].includes(address.protocol) ? address.host : `${address.protocol}//`;
}
