/** Address of the client behind the proxies that are trusted, and no others. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** IPv4 in IPv6 clothes as IPv4, so that lists match either way. */
const plainAddress = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

function trustList(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/**
 * The peer's address; behind a trusted proxy the right-most address of X-Forwarded-For that is not itself trusted. What an untrusted
 * peer claims is ignored.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = trustedProxies.length === 0 ? () => false : trustList(trustedProxies);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (!isTrusted(peer)) return peer;
    const forwarded = String(request.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((each) => plainAddress(each.trim()));
    const chain = forwarded.filter((each) => isIP(each) !== 0).toReversed();
    return chain.find((each) => !isTrusted(each)) ?? chain.at(-1) ?? peer;
  };
}
