/** Addresses as text: IP addresses and CIDR ranges, domains of email, URLs for a frame; recognised without a schema, so that server and console can share the check. Pure. */

const IPV4_PART = /^(?:0|[1-9]\d{0,2})$/;
const IPV6_PART = /^[0-9a-f]{1,4}$/i;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
const IPV6_PARTS = 8;

const isIpv4 = (text: string): boolean => {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => IPV4_PART.test(part) && Number(part) <= 255);
};

/** How many of the eight groups the parts fill; undefined where a part is not a group. A trailing IPv4 address fills two. */
function groupsOf(text: string): number | undefined {
  if (text === "") return 0;
  const parts = text.split(":");
  const last = parts.at(-1) ?? "";
  const hasIpv4 = isIpv4(last);
  const plain = hasIpv4 ? parts.slice(0, -1) : parts;
  return plain.every((part) => IPV6_PART.test(part)) ? plain.length + (hasIpv4 ? 2 : 0) : undefined;
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const counts = halves.map(groupsOf);
  // An IPv4 address may stand only at the very end.
  if (halves.length === 2 && halves[0]?.includes(".")) return false;
  if (counts.some((count) => count === undefined)) return false;
  const filled = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return halves.length === 2 ? filled < IPV6_PARTS : filled === IPV6_PARTS;
}

/** Whether the text is one IPv4 or IPv6 address, or a CIDR range of one (`10.0.0.0/8`, `2001:db8::/32`). */
export function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0) return false;
  const most = isIpv4(address) ? IPV4_BITS : isIpv6(address) ? IPV6_BITS : undefined;
  if (most === undefined) return false;
  return bits === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= most);
}

const DOMAIN = /^(?!-)[a-z0-9-]+(?<!-)(\.(?!-)[a-z0-9-]+(?<!-))+$/;

/** Whether a text in small letters is a domain with at least two parts, such as `example.org`. */
export const isEmailDomain = (text: string): boolean => DOMAIN.test(text);

/** The URL to show in a frame, where the whole text is one https URL; undefined otherwise. */
export function framedAddressOf(text: string): URL | undefined {
  const trimmed = text.trim();
  if (!/^https:\/\/\S+$/i.test(trimmed)) return undefined;
  return URL.parse(trimmed) ?? undefined;
}

/** Whether a host, a name or an address without a port, is this machine alone. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIpv4(host) && host.startsWith("127."));
