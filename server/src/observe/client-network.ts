/** The network an address belongs to: as guesses are counted, and as limits of calls are. */
import ipaddr from "ipaddr.js";

/** What one household or office is given. */
const GUESS_BITS = { ipv4: 24, ipv6: 56 } as const;
/** What one device may take any address of: in IPv6 the smallest network there is. */
const LIMIT_BITS = { ipv4: 32, ipv6: 64 } as const;

function networkOf(ip: string, bits: Readonly<Record<"ipv4" | "ipv6", number>>): string {
  const bare = ip.replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return "";
  const address = ipaddr.process(bare);
  const kind = address.kind();
  const cidr = `${address.toString()}/${bits[kind]}`;
  const first = kind === "ipv4" ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${first.toString()}/${bits[kind]}`;
}

/** Where guesses come from: IPv4 by /24, IPv6 by /56. As CIDR text; an IPv4 address inside IPv6 counts as IPv4. "" for what is no address. */
export const clientNetwork = (ip: string): string => networkOf(ip, GUESS_BITS);

/** Whose calls are counted together: an IPv4 address, an IPv6 /64. As CIDR text; "" for what is no address. */
export const limitedNetwork = (ip: string): string => networkOf(ip, LIMIT_BITS);
