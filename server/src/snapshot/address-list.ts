/** Lists of addresses and CIDR ranges, both versions, as tokens and TRUSTED_PROXIES have them. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Bytes of an entry: the address as IPv6 has it, and how many of its bits count. */
const ENTRY_BYTES = 17;

interface Range {
  /** 16 bytes; an IPv4 address as it is written inside IPv6. */
  address: readonly number[];
  bits: number;
}

/** Reads one address or range. An IPv4 address and the same one written inside IPv6 are one. Undefined where it is neither. */
function parseRange(text: string): Range | undefined {
  const [address = "", bitsText, ...rest] = text.split("/");
  if (isIP(address) === 0 || rest.length > 0 || address.includes("%")) return undefined;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === "ipv4" ? 32 : 128;
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  const bits = bitsText === undefined ? width : Number(bitsText);
  if (bits > width) return undefined;
  if (parsed instanceof ipaddr.IPv6) return { address: parsed.toByteArray(), bits };
  return { address: (parsed as ipaddr.IPv4).toIPv4MappedAddress().toByteArray(), bits: bits + 96 };
}

/** Whether the first `bits` of an address are those that stand at `from`. */
function isInside({ address }: Range, list: Uint8Array, from: number): boolean {
  const bits = list[from + ENTRY_BYTES - 1] ?? 0;
  const whole = bits >> 3;
  for (let index = 0; index < whole; index += 1) {
    if (address[index] !== list[from + index]) return false;
  }
  const mask = 0xff & (0xff00 >> (bits & 7));
  return (((address[whole] ?? 0) ^ (list[from + whole] ?? 0)) & mask) === 0;
}

/**
 * Makes the test of a list with one entry per line (commas and blanks also separate). Undefined for a list without entries.
 * Entries that cannot be read admit nobody, so a list of only such entries admits nobody at all: a typing error must not open a token.
 */
export function parseAddressList(text: string): ((address: string) => boolean) | undefined {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length === 0) return undefined;
  // Node's BlockList takes half a kilobyte for each entry, and a list may have hundreds in each of a thousand tokens.
  const ranges = entries.map(parseRange).filter((range) => range !== undefined);
  const list = Uint8Array.from(ranges.flatMap(({ address, bits }) => [...address, bits]));
  return (address) => {
    const range = parseRange(address.split("%")[0] ?? "");
    if (range === undefined || address.includes("/")) return false;
    for (let from = 0; from < list.length; from += ENTRY_BYTES) if (isInside(range, list, from)) return true;
    return false;
  };
}
