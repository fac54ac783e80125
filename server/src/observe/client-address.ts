/** The client's address and its network: the peer's address, or what a trusted proxy forwards. Forwarding headers of all other peers are ignored. */
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressReader {
  /** The client's address for a request with this peer and this X-Forwarded-For value. */
  client(peer: string, forwardedFor: string | undefined): string;
  isTrusted(peer: string): boolean;
  /**
   * The address that the client found by `client` claims to forward for, by an untrusted header; undefined if there is none. Any client can
   * forge it: it may subdivide that client's own limits, and nothing else.
   */
  claim(peer: string, headers: ForwardingHeaders): string | undefined;
}

export interface ForwardingHeaders {
  /** X-Forwarded-For. */
  forwardedFor: string | undefined;
  /** Forwarded (RFC 7239). */
  forwarded: string | undefined;
}

/** The port behind an address: some proxies append it (Azure's Application Gateway). */
const PORT = /^(\d+\.\d+\.\d+\.\d+|\[[^\]]*\]):\d+$/;

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** `::ffff:10.0.0.1` is normalised to its IPv4 address; zone ids and ports are removed. */
function plainAddress(address: string): string {
  if (IPV4.test(address)) return address;
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
      return hopsOf(own, forwardedFor, isTrusted).nearest;
    },
    claim(peer, { forwardedFor, forwarded }) {
      const own = plainAddress(peer);
      if (forwardedFor !== undefined) return hopsOf(own, forwardedFor, isTrusted).behind;
      return forwarded === undefined || isTrusted(own) ? undefined : lastForwarded(forwarded);
    },
  };
}

interface Hops {
  /** The first untrusted address, from our side. */
  nearest: string;
  /** The address that it claims to forward for. */
  behind: string | undefined;
}

/** Walks the list from our side: each trusted hop is believed about the one before it. */
function hopsOf(peer: string, forwardedFor: string, isTrusted: (address: string) => boolean): Hops {
  let nearest = peer;
  for (const hop of forwardedFor.split(",").map(plainAddress).reverse()) {
    if (!isTrusted(nearest) || isIP(hop) === 0) return { nearest, behind: isTrusted(nearest) ? undefined : hop };
    nearest = hop;
  }
  return { nearest, behind: undefined };
}

const lastForwarded = (forwarded: string): string =>
  plainAddress(/for="?([^;,"]*)[^,]*$/i.exec(forwarded)?.[1] ?? "unknown");

// The network of an address, as it is used for counting guesses and for rate limits.

/** The prefix that a household or an office usually has. */
const GUESS_BITS = { ipv4: 24, ipv6: 56 } as const;
/** The prefix within which one device may use any address: in IPv6 the smallest network. */
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

/** The network for counting guesses: IPv4 by /24, IPv6 by /56. As CIDR text; an IPv4-mapped address counts as IPv4. "" for an invalid address. */
export const clientNetwork = (ip: string): string => networkOf(ip, GUESS_BITS);

/** The network for rate limits: an IPv4 address, an IPv6 /64. As CIDR text; "" for an invalid address. */
export const limitedNetwork = (ip: string): string => networkOf(ip, LIMIT_BITS);
