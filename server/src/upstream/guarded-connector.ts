/** A connector for allowed addresses only: it resolves names, and checks the address of each connected socket. */
import { lookup as resolveName } from "node:dns";
import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP } from "node:net";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { addressRefusal, isAddressAllowed } from "./address.ts";
import { UpstreamFault, faultOf } from "./fault.ts";
import { type Connector, bareHost } from "./proxy.ts";
import { buildConnector } from "./undici.ts";

/** What decides where a socket may lead. */
export interface ConnectorOptions {
  /** Whether private addresses may be reached now: the environment's word, else the option's. */
  allowsPrivate(): boolean;
  connectTimeoutMs: number;
  /** Name resolution, replaceable in tests. */
  lookup?: typeof resolveName;
  /** Certificates to trust besides the system's, PEM. */
  certificates?: string;
}

type Lookup = (
  name: string,
  options: LookupOptions,
  callback: (error: Error | null, addresses: unknown, family?: number) => void,
) => void;

/** Resolves a name to its allowed addresses only, so that no packet goes to another. */
function guardedLookup(options: ConnectorOptions): Lookup {
  const resolve = options.lookup ?? resolveName;
  return (name, lookupOptions, callback) => {
    resolve(name, { ...lookupOptions, all: true }, (error, found) => {
      if (error !== null) return callback(error, "");
      const addresses = found as LookupAddress[];
      const allowed = addresses.filter(({ address }) => isAddressAllowed(address, options.allowsPrivate()));
      const first = allowed[0];
      if (first === undefined)
        return callback(new UpstreamFault("address", addressRefusal(addresses[0]?.address ?? name)), "");
      return lookupOptions.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** Which version of HTTP a TLS connection is for: HTTP/1.1 alone, HTTP/2 where the other side speaks it, or nothing else. */
export type HttpVersion = "http1" | "http2_preferred" | "http2_only";

/** Connects, then looks at the address the socket really has: what a name resolved to is only a claim. */
export function guardedConnector(options: ConnectorOptions, version: HttpVersion = "http1"): Connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: version !== "http1",
    preferH2: true,
    lookup: guardedLookup(options) as never,
    ...(options.certificates === undefined ? {} : { ca: options.certificates }),
  });
  return (target, callback) => {
    const host = bareHost(target.hostname);
    if (isIP(host) !== 0 && !isAddressAllowed(host, options.allowsPrivate())) {
      return callback(new UpstreamFault("address", addressRefusal(host)), null);
    }
    return connect(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      // A socket of a tunnel has been checked when the proxy was connected.
      const peer = (socket as Socket).remoteAddress;
      if (target.httpSocket === undefined && (peer === undefined || !isAddressAllowed(peer, options.allowsPrivate()))) {
        socket.destroy();
        return callback(new UpstreamFault("address", addressRefusal(peer ?? "unknown")), null);
      }
      if (version === "http2_only" && (socket as TLSSocket).alpnProtocol !== "h2") {
        socket.destroy();
        return callback(new UpstreamFault("connect", "the upstream does not speak HTTP/2"), null);
      }
      return callback(null, socket);
    });
  };
}

const isThisMachine = (host: string): boolean => /^(.+\.)?localhost\.?$/i.test(host);

function addressesOf(options: ConnectorOptions, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  if (isThisMachine(host)) return Promise.resolve(["127.0.0.1"]);
  return new Promise((resolve, reject) => {
    (options.lookup ?? resolveName)(host, { all: true }, (error, found) => {
      if (error !== null) reject(faultOf(error, false));
      else resolve((found as LookupAddress[]).map(({ address }) => address));
    });
  });
}

/**
 * Checks the target of a URL that a third party (the worker proxy) will connect to, as far as possible from here: every address of its host has to be
 * allowed. Throws UpstreamFault address, or connect where the name has no address.
 */
export async function checkTarget(options: ConnectorOptions, url: string): Promise<void> {
  const addresses = await addressesOf(options, bareHost(new URL(url).hostname));
  const refused = addresses.find((address) => !isAddressAllowed(address, options.allowsPrivate()));
  if (refused !== undefined) throw new UpstreamFault("address", addressRefusal(refused));
}
