/** Who is calling: the peer's address, or what a trusted proxy in front of us says. Everybody else's forwarding headers are ignored. */
import { BlockList, isIP } from "node:net";

export interface AddressReader {
  /** The client's address of a request with this peer and this X-Forwarded-For value. */
  client(peer: string, forwardedFor: string | undefined): string;
  isTrusted(peer: string): boolean;
}

/** What stands behind an address as a port: some proxies write it too (Azure's Application Gateway). */
const PORT = /^(\d+\.\d+\.\d+\.\d+|\[[^\]]*\]):\d+$/;

/** `::ffff:10.0.0.1` is the IPv4 address it wraps; zone ids and ports are dropped. */
function plainAddress(address: string): string {
  const bare = address
    .trim()
    .replace(PORT, "$1")
    .replace(/^\[|\]$/g, "")
    .replace(/%.*$/, "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return mapped ?? bare;
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** @param trustedProxies addresses and CIDR ranges, already checked by the configuration. */
export function createAddressReader(trustedProxies: readonly string[]): AddressReader {
  const trusted = blockListOf(trustedProxies);
  const isTrusted = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4");
  };
  return {
    isTrusted: (peer) => isTrusted(plainAddress(peer)),
    client(peer, forwardedFor) {
      const own = plainAddress(peer);
      if (forwardedFor === undefined || !isTrusted(own)) return own;
      return nearestUntrusted(own, forwardedFor, isTrusted);
    },
  };
}

/** Walks the list from our side: each trusted hop vouches for the one before it. */
function nearestUntrusted(peer: string, forwardedFor: string, isTrusted: (address: string) => boolean): string {
  let nearest = peer;
  for (const hop of forwardedFor.split(",").map(plainAddress).reverse()) {
    if (isIP(hop) === 0) return nearest;
    nearest = hop;
    if (!isTrusted(hop)) return nearest;
  }
  return nearest;
}
