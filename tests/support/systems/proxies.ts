/** Proxies for tests: HTTP ones with tunnels and plain forwarding, in the clear or over TLS, and SOCKS 5. */
import { type IncomingMessage, type RequestListener, type Server, createServer, request } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
  connect,
  createServer as createSocketServer,
} from "node:net";
import type { Duplex } from "node:stream";
import type { Certificate } from "./certificate.ts";

/** How a proxy treats its clients. */
export interface ProxyManners {
  /** `name:password` that has to be given. */
  login?: string;
  /** Answers every request for a tunnel with this HTTP status or SOCKS code. */
  refuses?: number;
  /** Takes the connection and then says nothing, or breaks it. */
  fault?: "hangs" | "resets" | "ends";
  /** Waits so long before it connects. */
  delayMs?: number;
  /** Addresses of names that only this proxy resolves. */
  hosts?: Readonly<Record<string, string>>;
  /** Speaks TLS. */
  certificate?: Certificate;
}

export interface TestProxy {
  port: number;
  /** What it was asked for: `CONNECT host:port`, or `GET http://...`. */
  asked: string[];
  /** Connections of its clients that are open. */
  openCount(): number;
  close(): void;
}

/** Breaks off or falls silent where its manners say so; true where that was the answer. */
function misbehaves(socket: Duplex, { fault }: ProxyManners): boolean {
  if (fault === "resets" && "encrypted" in socket) socket.destroy();
  else if (fault === "resets") (socket as Socket).resetAndDestroy();
  if (fault === "ends") socket.end();
  return fault !== undefined;
}

async function join(
  client: Duplex,
  host: string,
  port: number,
  { hosts, delayMs = 0 }: ProxyManners,
  onOpen: () => void,
): Promise<void> {
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  const target = connect(port, hosts?.[host] ?? host, () => {
    onOpen();
    target.pipe(client).pipe(target);
  });
  target.on("error", () => client.destroy());
  client.on("error", () => target.destroy()).on("close", () => target.destroy());
}

async function listening(server: SocketServer, asked: string[]): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, asked, openCount: () => sockets.size, close };
}

const mayPass = ({ headers }: IncomingMessage, { login }: ProxyManners): boolean =>
  login === undefined || headers["proxy-authorization"] === `Basic ${Buffer.from(login).toString("base64")}`;

/** Passes a plain request on that asks for a whole address. */
const passOn =
  (manners: ProxyManners, asked: string[]): RequestListener =>
  (incoming, answer) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!mayPass(incoming, manners)) return void answer.writeHead(407).end();
    const { method = "GET", headers } = incoming;
    const onward = request(String(incoming.url), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    incoming.pipe(onward);
    return undefined;
  };

/** Starts an HTTP proxy on 127.0.0.1. */
export function startHttpProxy(manners: ProxyManners = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const onward = passOn(manners, asked);
  const server: Server =
    manners.certificate === undefined ? createServer(onward) : createSecureServer(manners.certificate, onward);
  server.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on("error", () => undefined);
    if (misbehaves(socket, manners)) return;
    const status = mayPass(incoming, manners) ? manners.refuses : 407;
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    void join(socket, hostname, Number(port || 80), manners, () =>
      socket.write("HTTP/1.1 200 OK\r\nvia: test\r\n\r\n"),
    );
  });
  return listening(server, asked);
}

/** The target of a SOCKS 5 request (RFC 1928 section 4). */
function targetOf(ask: Buffer): { host: string; port: number } {
  const port = ask.readUInt16BE(ask.length - 2);
  const [, , , kind, length = 0] = ask;
  if (kind === 3) return { host: ask.toString("latin1", 5, 5 + length), port };
  return { host: [...ask.subarray(4, 8)].join("."), port };
}

const said = (socket: Socket): Promise<Buffer> => new Promise((resolve) => socket.once("data", resolve));

/** Whether the client has authenticated, if required (RFC 1929). */
async function isLetIn(socket: Socket, { login }: ProxyManners): Promise<boolean> {
  const methods = (await said(socket)).subarray(2);
  if (login === undefined) return socket.write(Buffer.from([5, 0]));
  socket.write(Buffer.from([5, methods.includes(2) ? 2 : 255]));
  if (!methods.includes(2)) return false;
  const given = await said(socket);
  const [, length = 0] = given;
  const isRight = `${given.toString("utf8", 2, 2 + length)}:${given.toString("utf8", 3 + length)}` === login;
  socket.write(Buffer.from([1, isRight ? 0 : 1]));
  return isRight;
}

async function serveSocks(socket: Socket, manners: ProxyManners, asked: string[]): Promise<void> {
  if (misbehaves(socket, manners) || !(await isLetIn(socket, manners))) return;
  const { host, port } = targetOf(await said(socket));
  asked.push(`CONNECT ${host}:${port}`);
  const reply = (code: number): boolean => socket.write(Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 0]));
  if (manners.refuses !== undefined) return void reply(manners.refuses);
  await join(socket, host, port, manners, () => reply(0));
}

/** Starts a SOCKS 5 proxy on 127.0.0.1. */
export function startSocksProxy(manners: ProxyManners = {}): Promise<TestProxy> {
  const asked: string[] = [];
  return listening(
    createSocketServer((socket) => void serveSocks(socket, manners, asked)),
    asked,
  );
}
