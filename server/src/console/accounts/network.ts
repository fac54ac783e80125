/** The network an address belongs to, as guesses are counted: IPv4 by /24, IPv6 by /56 (what one household or office is given). */
import ipaddr from "ipaddr.js";

const IPV4_BITS = 24;
const IPV6_BITS = 56;

/** As CIDR text; an IPv4 address inside IPv6 counts as IPv4. "" for what is no address. */
export function clientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  return address.kind() === "ipv4"
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${IPV4_BITS}`).toString()}/${IPV4_BITS}`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_BITS}`).toString()}/${IPV6_BITS}`;
}
