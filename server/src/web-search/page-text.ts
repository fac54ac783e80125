/** What strangers wrote on their pages as plain text within a bound, and whether a page is within a domain that a client named. */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Excerpts mark what was looked for with tags, and have a few characters as entities. */
const TAG = /<\/?[a-z][^<>]{0,200}>/gi;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;

/** Characters that no reader sees, or that turn the direction of others: words could hide behind them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu;

function characterOf(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** The text without markup and unseen characters, in one line, cut to so many characters; "" for anything but text. */
export function plainText(value: unknown, mostCharacters: number): string {
  if (typeof value !== "string") return "";
  // Markup may be several times as long as the words in it; more is not looked at.
  const words = value
    .slice(0, mostCharacters * 4)
    .replace(TAG, "")
    .replace(ENTITY, characterOf);
  return words.replace(UNSEEN, " ").replace(/\s+/g, " ").trim().slice(0, mostCharacters);
}

/** What clients name as a domain: a host, below which all hosts are, and perhaps the beginning of a path. */
const DOMAIN = /^[\p{L}\d](?:[\p{L}\d-]{0,62}\.){1,10}[\p{L}\d-]{2,63}(?:\/[^\s?#*]{0,200})?$/u;

export const isDomain = (text: string): boolean => text.length <= 300 && DOMAIN.test(text);

/** True for an address of the web whose host is the domain's or below it, and whose path begins as the domain's does. */
export function isWithin(url: string, domain: string): boolean {
  const place = URL.parse(`https://${domain}`);
  const page = URL.parse(url);
  if (place === null || page === null) return false;
  const isHost = page.hostname === place.hostname || page.hostname.endsWith(`.${place.hostname}`);
  const path = place.pathname.replace(/\/$/, "");
  return isHost && (page.pathname === path || page.pathname.startsWith(`${path}/`) || path === "");
}
