/** Lists of addresses and CIDR ranges, both versions, as tokens and TRUSTED_PROXIES have them. */
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

interface Range {
  address: string;
  bits: number;
  family: "ipv4" | "ipv6";
}

/** Reads one address or range. An IPv4 address written inside IPv6 counts as IPv4. Undefined where it is neither. */
function parseRange(text: string): Range | undefined {
  const [address = "", bitsText, ...rest] = text.split("/");
  if (isIP(address) === 0 || rest.length > 0 || address.includes("%")) return undefined;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === "ipv4" ? 32 : 128;
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  const bits = bitsText === undefined ? width : Number(bitsText);
  if (bits > width) return undefined;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96)
    return { address: parsed.toIPv4Address().toString(), bits: bits - 96, family: "ipv4" };
  return { address, bits, family: parsed.kind() };
}

/**
 * Makes the test of a list with one entry per line (commas and blanks also separate). Undefined for a list without entries.
 * Entries that cannot be read admit nobody, so a list of only such entries admits nobody at all: a typing error must not open a token.
 */
export function parseAddressList(text: string): ((address: string) => boolean) | undefined {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length === 0) return undefined;
  const list = new BlockList();
  for (const range of entries.map(parseRange)) {
    if (range !== undefined) list.addSubnet(range.address, range.bits, range.family);
  }
  return (address) => {
    const range = parseRange(address.split("%")[0] ?? "");
    return range !== undefined && !address.includes("/") && list.check(range.address, range.family);
  };
}
