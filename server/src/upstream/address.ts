/** The address policy: which IP addresses an upstream may have; a pure decision on the address a socket really connected to, never on a URL's text. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** `private` needs the operator's switch; `forbidden` is never allowed: link-local, metadata, unspecified, multicast, reserved. */
export type AddressClass = "public" | "private" | "forbidden";

type Range = readonly [text: string, kind: AddressClass];

/** First match wins, so metadata hosts inside a private range stand before it. */
const IPV4_RANGES: readonly Range[] = [
  ["100.100.100.200/32", "forbidden"], // metadata of Alibaba Cloud
  ["192.0.0.192/32", "forbidden"], // metadata of Oracle Cloud
  ["168.63.129.16/32", "forbidden"], // wire server of Azure
  ["0.0.0.0/8", "forbidden"], // reaches the own host on many systems
  ["169.254.0.0/16", "forbidden"], // link-local, with most clouds' metadata
  ["192.0.0.0/24", "forbidden"],
  ["192.0.2.0/24", "forbidden"],
  ["198.51.100.0/24", "forbidden"],
  ["203.0.113.0/24", "forbidden"],
  ["192.88.99.0/24", "forbidden"],
  ["224.0.0.0/4", "forbidden"],
  ["240.0.0.0/4", "forbidden"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "private"],
  ["127.0.0.0/8", "private"],
  ["172.16.0.0/12", "private"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "private"],
];

const IPV6_RANGES: readonly Range[] = [
  ["::/128", "forbidden"],
  ["::1/128", "private"],
  ["fd00:ec2::254/128", "forbidden"], // metadata of AWS
  ["fd20:ce::254/128", "forbidden"], // metadata of Google Cloud
  ["fe80::/10", "forbidden"],
  ["fec0::/10", "forbidden"],
  ["ff00::/8", "forbidden"],
  ["100::/64", "forbidden"],
  ["2001::/32", "forbidden"], // Teredo
  ["2001:10::/28", "forbidden"],
  ["2001:db8::/32", "forbidden"],
  ["3fff::/20", "forbidden"],
  ["5f00::/16", "forbidden"],
  ["fc00::/7", "private"],
  ["2000::/3", "public"],
  ["::/0", "forbidden"],
];

/** Prefixes that carry an IPv4 address, and the byte it starts at: what they lead to decides. */
const EMBEDDED_IPV4: readonly (readonly [prefix: string, offset: number])[] = [
  ["::ffff:0:0/96", 12], // mapped
  ["::/96", 12], // compatible
  ["64:ff9b::/96", 12], // NAT64
  ["64:ff9b:1::/48", 12], // NAT64 of a local network
  ["2002::/16", 2], // 6to4
];

const compile = ([text, kind]: Range) => ({ range: ipaddr.parseCIDR(text), kind });
const ranges4 = IPV4_RANGES.map(compile);
const ranges6 = IPV6_RANGES.map(compile);
const embedded = EMBEDDED_IPV4.map(([text, offset]) => ({ range: ipaddr.IPv6.parseCIDR(text), offset }));

function classify4(address: ipaddr.IPv4): AddressClass {
  return ranges4.find(({ range }) => address.match(range as [ipaddr.IPv4, number]))?.kind ?? "public";
}

/** `::` and `::1` are addresses of their own although they lie in the prefix of IPv4-compatible ones. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set(["::", "::1"]);

function classify6(address: ipaddr.IPv6): AddressClass {
  const carrier = OWN_ADDRESSES.has(address.toString())
    ? undefined
    : embedded.find(({ range }) => address.match(range));
  if (carrier !== undefined) {
    return classify4(new ipaddr.IPv4(address.toByteArray().slice(carrier.offset, carrier.offset + 4)));
  }
  return ranges6.find(({ range }) => address.match(range as [ipaddr.IPv6, number]))?.kind ?? "forbidden";
}

/** Class of an IP address in text form, with or without brackets and zone; anything that is no address is forbidden. */
export function classifyAddress(text: string): AddressClass {
  const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (isIP(bare) === 0) return "forbidden";
  const address = ipaddr.parse(bare);
  return address instanceof ipaddr.IPv4 ? classify4(address) : classify6(address);
}

/** Whether an upstream may be reached there. `allowsPrivate` is ALLOW_PRIVATE_UPSTREAMS, else AllowPrivateUpstreamsEnabled. */
export function isAddressAllowed(text: string, allowsPrivate: boolean): boolean {
  const kind = classifyAddress(text);
  return kind === "public" || (kind === "private" && allowsPrivate);
}

/** Says what to do, and names the switch. */
export function addressRefusal(address: string): string {
  return classifyAddress(address) === "private"
    ? `The upstream address ${address} is private. Turn on the option AllowPrivateUpstreamsEnabled (or set ALLOW_PRIVATE_UPSTREAMS=1) to allow private addresses.`
    : `The upstream address ${address} is never allowed: link-local, metadata and reserved addresses are refused.`;
}
