/** Connects through a channel's proxy: tunnelled sockets to the target, and plain requests that the proxy forwards. */
import { isIPv6, type Socket } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";
import type { buildConnector, Dispatcher, Pool as UndiciPool } from "undici";
import { newFault, UpstreamFault } from "./fault.ts";
import { Pool } from "./undici.ts";

// What is said to a SOCKS 5 proxy until it has connected us (RFC 1928, RFC 1929 for names and passwords); bytes in and out, no socket.

const VERSION = 5;
const CONNECT = 1;
const NO_LOGIN = 0;
const PASSWORD = 2;
const PASSWORD_VERSION = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
/** Lengths stand in one byte. */
const MAX_BYTES = 255;

/** Where the proxy is to connect to. */
interface ProxyTarget {
  /** A name or an IP address without brackets. */
  host: string;
  port: number;
}

/** Takes exactly so many of the bytes that the proxy sends; rejects where they do not come. */
type Take = (bytes: number) => Promise<Buffer>;

const refused = (why: string): UpstreamFault => new UpstreamFault("connect", `the proxy refused: ${why}`);

/** Bytes with their length before them; throws an UpstreamFault where one byte cannot say it. */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_BYTES) throw refused("a name or password is too long for SOCKS 5");
  return Buffer.from([bytes.length, ...bytes]);
}

function addressOf(host: string): Buffer {
  if (!ipaddr.isValid(host)) return Buffer.from([NAME, ...counted(host)]);
  return Buffer.from([isIPv6(host) ? IPV6 : IPV4, ...ipaddr.parse(host).toByteArray()]);
}

/** Why a request was not granted, by the code of the reply (RFC 1928 section 6). */
const REASONS = [
  "",
  "general failure",
  "connection not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "address type not supported",
] as const;

async function login(take: Take, say: (bytes: Buffer) => void, name: string, password: string): Promise<void> {
  say(Buffer.concat([Buffer.from([PASSWORD_VERSION]), counted(name), counted(password)]));
  const [, status] = await take(2);
  if (status !== 0) throw refused("wrong name or password");
}

async function greet(take: Take, say: (bytes: Buffer) => void, name: string, password: string): Promise<void> {
  const methods = name === "" ? [NO_LOGIN] : [NO_LOGIN, PASSWORD];
  say(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(2);
  if (version !== VERSION) throw refused("it does not speak SOCKS 5");
  if (method === PASSWORD && name !== "") return login(take, say, name, password);
  if (method !== NO_LOGIN) throw refused("it wants a login that was not given");
}

/** Reads past the address that the proxy is bound to, which is not used. */
async function skipAddress(take: Take, kind: number | undefined): Promise<void> {
  const [length] = kind === NAME ? await take(1) : [kind === IPV6 ? 16 : 4];
  await take((length ?? 0) + 2);
}

/**
 * Has the proxy connect to the target, by its name: the proxy resolves it. An empty `name` is no login.
 * Throws an UpstreamFault where the proxy refuses, and what `take` throws.
 */
async function askSocks5(
  take: Take,
  say: (bytes: Buffer) => void,
  target: ProxyTarget,
  { name, password }: { name: string; password: string },
): Promise<void> {
  await greet(take, say, name, password);
  const port = Buffer.alloc(2);
  port.writeUInt16BE(target.port);
  say(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(target.host), port]));
  const [version, code = 1, , kind] = await take(4);
  if (version !== VERSION) throw refused("it does not speak SOCKS 5");
  if (code !== 0) throw refused(REASONS[code] ?? `code ${code}`);
  await skipAddress(take, kind);
}

export type Connector = ReturnType<typeof buildConnector>;
type ConnectTarget = Parameters<Connector>[0];

/** A proxy's address, read once; what it is logged in with stands apart. */
export interface ProxyAddress {
  kind: "http" | "socks5";
  isSecure: boolean;
  /** As in a URL: IPv6 in brackets. */
  hostname: string;
  port: string;
  login: { name: string; password: string };
}

type ProxyKind = Pick<ProxyAddress, "kind" | "isSecure"> & { port: string };

/** socks5 and socks5h are one: the proxy resolves the target's name in both. */
const SCHEMES: Readonly<Record<string, ProxyKind>> = {
  "http:": { kind: "http", isSecure: false, port: "80" },
  "https:": { kind: "http", isSecure: true, port: "443" },
  "socks:": { kind: "socks5", isSecure: false, port: "1080" },
  "socks5:": { kind: "socks5", isSecure: false, port: "1080" },
  "socks5h:": { kind: "socks5", isSecure: false, port: "1080" },
};

/** A head that is longer is none. */
const MAX_HEAD_BYTES = 16_384;
const END_OF_HEAD = "\r\n\r\n";

export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

/** Reads a proxy's URL; throws an UpstreamFault without the URL, which may hold a password. */
export function parseProxy(text: string): ProxyAddress {
  const url = URL.parse(text);
  const scheme = SCHEMES[url?.protocol ?? ""];
  if (url === null || scheme === undefined || url.hostname === "")
    throw new UpstreamFault("connect", "the channel's proxy is no http, https or socks5 URL");
  const login = { name: decoded(url.username), password: decoded(url.password) };
  return { ...scheme, hostname: url.hostname, port: url.port || scheme.port, login };
}

/** A lone percent sign stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Says that the proxy answered with this status in place of the upstream. */
export const proxyRefused = (status: number): UpstreamFault =>
  new UpstreamFault("connect", `the proxy refused: status ${status}`);

const authorizationOf = ({ login }: ProxyAddress): string[] =>
  login.name === "" && login.password === ""
    ? []
    : ["proxy-authorization", `Basic ${Buffer.from(`${login.name}:${login.password}`).toString("base64")}`];

/** Reads the proxy's response, piece by piece; bytes behind it are put back for the next reader of the socket. */
class ProxyReader {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw new UpstreamFault("connect", "the proxy closed the connection");
    this.#bytes = Buffer.concat([this.#bytes, value]);
  }

  readonly take = async (bytes: number): Promise<Buffer> => {
    while (this.#bytes.length < bytes) await this.#more();
    const taken = this.#bytes.subarray(0, bytes);
    this.#bytes = this.#bytes.subarray(bytes);
    return taken;
  };

  /** Takes a head with the empty line that ends it. */
  async takeHead(): Promise<string> {
    let end = -1;
    while ((end = this.#bytes.indexOf(END_OF_HEAD)) === -1) {
      if (this.#bytes.length > MAX_HEAD_BYTES) throw new UpstreamFault("connect", "the proxy speaks no HTTP");
      await this.#more();
    }
    return (await this.take(end + END_OF_HEAD.length)).toString("latin1");
  }

  async release(): Promise<void> {
    await this.#chunks.return?.();
    if (this.#bytes.length > 0) this.#socket.unshift(this.#bytes);
  }
}

async function askHttp(reader: ProxyReader, socket: Socket, proxy: ProxyAddress, target: ProxyTarget): Promise<void> {
  const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`;
  const [name, value] = authorizationOf(proxy);
  const login = name === undefined ? "" : `${name}: ${value}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${login}\r\n`);
  let status = 100;
  while (status < 200) {
    status = Number(/^HTTP\/1\.\d (\d{3})/.exec(await reader.takeHead())?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new UpstreamFault("connect", "the proxy speaks no HTTP");
  }
  if (status >= 300) throw proxyRefused(status);
}

/** Has the proxy at the other end of `socket` connect to the target, in the time given for connections. */
async function lead(socket: Socket, proxy: ProxyAddress, target: ProxyTarget, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => socket.destroy(newFault("connect_timeout")), timeoutMs);
  const reader = new ProxyReader(socket);
  try {
    if (proxy.kind === "http") await askHttp(reader, socket, proxy, target);
    else await askSocks5(reader.take, (bytes) => void socket.write(bytes), target, proxy.login);
    await reader.release();
  } finally {
    clearTimeout(timer);
  }
}

const connected = (connect: Connector, target: ConnectTarget): Promise<Socket> =>
  new Promise((resolve, reject) =>
    connect(target, (...[error, socket]) => {
      if (error === null) resolve(socket);
      else reject(error);
    }),
  );

async function tunnel(
  connect: Connector,
  connectTarget: Connector,
  proxy: ProxyAddress,
  target: ConnectTarget,
  timeoutMs: number,
): Promise<Socket> {
  const { hostname, port, isSecure } = proxy;
  const isTargetSecure = target.protocol === "https:";
  const host = `${hostname}:${port}`;
  const socket = await connected(connect, {
    hostname: bareHost(hostname),
    host,
    port,
    protocol: isSecure ? "https:" : "http:",
  });
  try {
    const targetPort = Number(target.port || (isTargetSecure ? 443 : 80));
    await lead(socket, proxy, { host: bareHost(target.hostname), port: targetPort }, timeoutMs);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return isTargetSecure ? connected(connectTarget, { ...target, httpSocket: socket }) : socket;
}

/**
 * A connector like `connect`, whose sockets end at the target and go through the proxy, which `connect` reaches and looks at. TLS is
 * spoken with the target itself, by `connectTarget`. `timeoutMs` is for the talk with the proxy; the connectors have their own for the connection and for TLS.
 */
export function tunnelling(
  connect: Connector,
  proxy: ProxyAddress,
  timeoutMs: number,
  connectTarget: Connector = connect,
): Connector {
  const open = callbackify((target: ConnectTarget) => tunnel(connect, connectTarget, proxy, target, timeoutMs));
  return (target, callback) =>
    open(target, (error, socket) => (error === null ? callback(null, socket) : callback(error, null)));
}

/**
 * Plain requests that the proxy itself is asked for, in absolute form (RFC 9112 section 3.2.2): many proxies open tunnels to port 443
 * alone. The proxy's refusal is an answer like any other, but for 407, which is not the upstream's to give.
 */
export function forwarding(connect: Connector, proxy: ProxyAddress, options: UndiciPool.Options): Dispatcher {
  const origin = `${proxy.isSecure ? "https" : "http"}://${proxy.hostname}:${proxy.port}`;
  const extra = authorizationOf(proxy);
  return new Pool(origin, { ...options, connect }).compose((dispatch) => (asked, handler) => {
    const headers = [...(asked.headers as string[]), "host", new URL(String(asked.origin)).host, ...extra];
    return dispatch({ ...asked, origin, path: `${String(asked.origin)}${asked.path}`, headers }, handler);
  });
}
