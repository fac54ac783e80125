/** Tests of WebSockets to upstreams: also over TLS, never to a disallowed address, and with a timeout. */
import { type Server, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { makeCertificate } from "../../../tests/support/systems/certificate.ts";
import { type UpstreamClient, type UpstreamClientOptions, createUpstreamClient } from "./client.ts";

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function listening(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return (server.address() as AddressInfo).port;
}

/** A server that greets with the address that was asked for, and how many connections it saw. */
async function greeting(server: Server): Promise<{ port: number; seen: () => number }> {
  let seen = 0;
  server.on("connection", () => (seen += 1));
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, request) => {
    open.push({ close: () => socket.terminate() });
    socket.send(`${request.headers.host} ${request.url} ${request.headers["x-mine"]}`);
  });
  return { port: await listening(server), seen: () => seen };
}

function clientWith(options: Partial<UpstreamClientOptions> = {}): UpstreamClient {
  const client = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 10_000, ...options });
  open.push(client);
  return client;
}

/** The first message, or the error's text. */
function said(client: UpstreamClient, url: string, handshakeTimeoutMs = 10_000): Promise<string> {
  const socket = client.openSocket({
    url,
    headers: ["x-mine", "yes"],
    proxy: "",
    handshakeTimeoutMs,
    maxMessageBytes: 1000,
  });
  return new Promise((resolve) => {
    // Arrives in the same turn as `open` if both come in one packet.
    socket.on("message", (data) => resolve((data as Buffer).toString()));
    socket.on("error", (error) => resolve(error.message));
    socket.once("close", () => resolve("closed"));
  }).finally(() => socket.terminate()) as Promise<string>;
}

test("reaches an upstream in the clear and over TLS, with its headers and its first word", async () => {
  const plain = await greeting(createServer());
  expect(await said(clientWith(), `http://127.0.0.1:${plain.port}/v1/realtime?model=m`)).toBe(
    `127.0.0.1:${plain.port} /v1/realtime?model=m yes`,
  );
  const { cert, key } = makeCertificate();
  const secure = await greeting(createSecureServer({ cert, key }));
  const url = `https://localhost:${secure.port}/x`;
  expect(await said(clientWith({ certificates: cert }), url)).toBe(`localhost:${secure.port} /x yes`);
  expect(await said(clientWith(), url)).toContain("certificate");
});

test("never reaches a private address that is not allowed, by number or by name", async () => {
  const { port, seen } = await greeting(createServer());
  const client = clientWith({ allowsPrivate: () => false });
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f000001"])
    expect(await said(client, `http://${host}:${port}/`)).toContain("is private");
  const lookup = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address: "169.254.169.254", family: 4 }])) as never;
  expect(await said(clientWith({ lookup }), "http://rebinding.example/")).toContain("169.254.169.254");
  expect(seen()).toBe(0);
});

test("gives up a connection and a handshake that take too long, and a redirect", async () => {
  const silent = createServer({ shouldUpgradeCallback: () => true });
  silent.on("upgrade", (_request, socket) => open.push({ close: () => socket.destroy() }));
  const port = await listening(silent);
  expect(await said(clientWith(), `http://127.0.0.1:${port}/`, 100)).toContain("timed out");
  expect(
    await said(clientWith({ connectTimeoutMs: 300, lookup: (() => undefined) as never }), "http://slow.example/"),
  ).toContain("Timeout");
  const away = await listening(
    createServer((_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()),
  );
  expect(await said(clientWith(), `http://127.0.0.1:${away}/`)).toBe("Unexpected server response: 302");
});

test("ends with 1009 where a message is larger than allowed, and throws for what is no address", async () => {
  const server = createServer();
  const codes: number[] = [];
  new WebSocketServer({ server }).on("connection", (socket) => {
    socket.on("close", (code) => codes.push(code));
    socket.send(Buffer.alloc(1001));
  });
  const port = await listening(server);
  expect(await said(clientWith(), `http://127.0.0.1:${port}/`)).toContain("Max payload size exceeded");
  await expect.poll(() => codes).toEqual([1009]);
  expect(() =>
    clientWith().openSocket({ url: "nonsense", headers: [], proxy: "", handshakeTimeoutMs: 1, maxMessageBytes: 1 }),
  ).toThrow("Invalid URL");
});
