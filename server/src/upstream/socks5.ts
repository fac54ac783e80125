/** What is said to a SOCKS 5 proxy until it has connected us (RFC 1928, RFC 1929 for names and passwords); bytes in and out, no socket. */
import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { UpstreamFault } from "./fault.ts";

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
export interface ProxyTarget {
  /** A name or an IP address without brackets. */
  host: string;
  port: number;
}

/** Takes exactly so many of the bytes that the proxy sends; rejects where they do not come. */
export type Take = (bytes: number) => Promise<Buffer>;

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

/** Reads past the address that the proxy is bound to, which nobody needs. */
async function skipAddress(take: Take, kind: number | undefined): Promise<void> {
  const [length] = kind === NAME ? await take(1) : [kind === IPV6 ? 16 : 4];
  await take((length ?? 0) + 2);
}

/**
 * Has the proxy connect to the target, by its name: the proxy resolves it. An empty `name` is no login.
 * Throws an UpstreamFault where the proxy refuses, and what `take` throws.
 */
export async function askSocks5(
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
