/** Connection pools, one for each origin and proxy. */
import { isIP } from "node:net";
import type { Dispatcher } from "undici";
import { addressRefusal, isAddressAllowed } from "./address.ts";
import { UpstreamFault } from "./fault.ts";
import { type ConnectorOptions, guardedConnector } from "./guarded-connector.ts";
import { type Connector, type ProxyAddress, bareHost, forwarding, parseProxy, tunnelling } from "./proxy.ts";
import { Pool } from "./undici.ts";

/** Idle sockets are kept this long; a shorter Keep-Alive hint of the upstream goes before it. */
const KEEP_ALIVE_MS = 30_000;
const MAX_KEEP_ALIVE_MS = 600_000;
/** Pools kept; the oldest goes first. */
const MAX_POOLS = 512;
const MAX_PARSED_URLS = 4096;

const POOL_OPTIONS = {
  // No bound on sockets: a thousand open streams to one vendor need a thousand.
  connections: null,
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
} as const;

interface ParsedUrl {
  origin: string;
  path: string;
}

/** Pools by origin and proxy, the oldest dropped first. */
export class Pools {
  readonly #options: ConnectorOptions;
  readonly #connect: Connector;
  readonly #pools = new Map<string, Dispatcher>();
  readonly #urls = new Map<string, ParsedUrl>();
  #allowedPrivate: boolean;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#allowedPrivate = options.allowsPrivate();
    this.#connect = guardedConnector(options);
  }

  parse(url: string): ParsedUrl {
    let parsed = this.#urls.get(url);
    if (parsed === undefined) {
      const { origin, pathname, search } = new URL(url);
      parsed = { origin, path: pathname + search };
      if (this.#urls.size >= MAX_PARSED_URLS) this.#urls.clear();
      this.#urls.set(url, parsed);
    }
    return parsed;
  }

  /** An idle socket must not outlive the permission it was connected under: new calls connect, and are checked, again. */
  #followPolicy(): void {
    const allowed = this.#options.allowsPrivate();
    if (allowed === this.#allowedPrivate) return;
    this.#allowedPrivate = allowed;
    while (this.#pools.size > 0) this.#dropOldest();
  }

  for(origin: string, proxy: string): Dispatcher {
    this.#followPolicy();
    const parsed = proxy === "" ? undefined : this.#checkedProxy(origin, proxy);
    const key = proxy === "" ? origin : `${proxy} ${origin}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    if (this.#pools.size >= MAX_POOLS) this.#dropOldest();
    const created =
      parsed?.kind === "http" && origin.startsWith("http:")
        ? forwarding(this.#connect, parsed, POOL_OPTIONS)
        : new Pool(origin, { ...POOL_OPTIONS, connect: this.#connectorThrough(parsed) });
    this.#pools.set(key, created);
    return created;
  }

  /** How a socket to the origin comes about. Throws an UpstreamFault where an address is not allowed or the proxy's URL is none. */
  connector(origin: string, proxy: string): Connector {
    return this.#connectorThrough(proxy === "" ? undefined : this.#checkedProxy(origin, proxy));
  }

  #connectorThrough(proxy: ProxyAddress | undefined): Connector {
    return proxy === undefined ? this.#connect : tunnelling(this.#connect, proxy, this.#options.connectTimeoutMs);
  }

  /** Behind a proxy the target is resolved by the proxy: what we can see of either address is checked for each call. */
  #checkedProxy(origin: string, proxy: string): ProxyAddress {
    const parsed = parseProxy(proxy);
    for (const host of [new URL(origin).hostname, parsed.hostname].map(bareHost)) {
      if (isIP(host) !== 0 && !isAddressAllowed(host, this.#options.allowsPrivate()))
        throw new UpstreamFault("address", addressRefusal(host));
    }
    return parsed;
  }

  #dropOldest(): void {
    const [oldest] = this.#pools;
    if (oldest === undefined) return;
    this.#pools.delete(oldest[0]);
    // Running calls finish; new ones open a new pool.
    void oldest[1].close();
  }

  async close(): Promise<void> {
    const all = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(all.map((pool) => pool.destroy()));
  }
}
