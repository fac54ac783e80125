/** Tests of calls and WebSockets through real proxies: every kind, with credentials, refusing, hanging, and never to a disallowed address. */
import { type IncomingHttpHeaders, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { awakeMs } from "../../../tests/support/clients/awake-clock.ts";
import { makeCertificate } from "../../../tests/support/systems/certificate.ts";
import {
  type ProxyManners,
  type TestProxy,
  startHttpProxy,
  startSocksProxy,
} from "../../../tests/support/systems/proxies.ts";
import { type UpstreamClient, type UpstreamClientOptions, createUpstreamClient } from "./client.ts";
import { faultOf } from "./fault.ts";
import { parseProxy } from "./proxy.ts";

const certificate = makeCertificate();
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** An upstream that says its Host, the path and what the proxy may have left in the head, to requests and to WebSockets. */
async function startUpstream(isSecure: boolean): Promise<number> {
  const server = isSecure ? createSecureServer(certificate) : createServer();
  const word = (head: IncomingHttpHeaders, url = ""): string => `${head.host} ${url} ${head["proxy-authorization"]}`;
  server.on("request", (incoming, answer) => answer.end(word(incoming.headers, incoming.url)));
  new WebSocketServer({ server }).on("connection", (socket, { headers, url }) => socket.send(word(headers, url)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  open.push({ close: () => (server.closeAllConnections(), server.close()) });
  return (server.address() as AddressInfo).port;
}

/** The connect timer is longer than a busy machine takes, where nothing else is said. */
function clientWith(options: Partial<UpstreamClientOptions> = {}): UpstreamClient {
  const given = { allowsPrivate: () => true, connectTimeoutMs: 10_000, certificates: certificate.cert, ...options };
  const client = createUpstreamClient(given);
  open.push(client);
  return client;
}

async function proxied(start: (manners?: ProxyManners) => Promise<TestProxy>, manners?: ProxyManners) {
  const proxy = await start(manners);
  open.push(proxy);
  return proxy;
}

interface Heard {
  text?: string;
  kind?: string;
  message?: string;
}

/** As the relay reads an error before anything was sent. */
function heardFault(error: unknown): Heard {
  const { kind, message } = faultOf(error, false);
  return { kind, message };
}

function call(client: UpstreamClient, url: string, proxy: string): Promise<Heard> {
  return new Promise((resolve) => {
    let [text, status] = ["", 0];
    const timers = { firstByteTimeoutMs: 10_000, idleTimeoutMs: 10_000 };
    client.send(
      { method: "GET", url, headers: ["x-mine", "yes"], body: null, proxy, ...timers },
      {
        started: (code) => void (status = code),
        data: (chunk) => void (text += chunk.toString()),
        ended: () => resolve({ text: status === 200 ? text : String(status) }),
        failed: (fault) => resolve(heardFault(fault)),
      },
    );
  });
}

function talk(client: UpstreamClient, url: string, proxy: string): Promise<Heard> {
  return new Promise((resolve) => {
    const socket = client.openSocket({ url, headers: [], proxy, handshakeTimeoutMs: 10_000, maxMessageBytes: 1000 });
    open.push({ close: () => socket.terminate() });
    socket.on("message", (data) => resolve({ text: (data as Buffer).toString() }));
    socket.on("error", (error) => resolve(heardFault(error)));
  });
}

const WAYS = [
  ["a call", call],
  ["a WebSocket", talk],
] as const;

const KINDS = [
  ["an http proxy", startHttpProxy, "http", {}],
  ["an https proxy", startHttpProxy, "https", { certificate }],
  ["a socks5 proxy", startSocksProxy, "socks5", {}],
  ["a socks5h proxy", startSocksProxy, "socks5h", {}],
] as const;

describe.each(WAYS)("%s", (_way, ask) => {
  describe.each(KINDS)("through %s", (_kind, start, scheme, more) => {
    test("reaches an upstream over TLS by a name that the proxy alone knows", async () => {
      const proxy = await proxied(start, { ...more, hosts: { localhost: "127.0.0.1" } });
      const port = await startUpstream(true);
      const lookup = ((name: string, _options: object, callback: (...result: unknown[]) => void) =>
        name === "proxy.example"
          ? callback(null, [{ address: "127.0.0.1", family: 4 }])
          : callback(new Error("asked for another"))) as never;
      const address = scheme === "https" ? "127.0.0.1" : "proxy.example";
      const heard = await ask(
        clientWith({ lookup }),
        `https://localhost:${port}/a?b=c`,
        `${scheme}://${address}:${proxy.port}`,
      );
      expect(heard).toEqual({ text: `localhost:${port} /a?b=c undefined` });
      expect(proxy.asked).toEqual([`CONNECT localhost:${port}`]);
    });

    test("reaches a plain target, and sends the proxy's credentials to the proxy alone", async () => {
      const proxy = await proxied(start, { ...more, login: "me:p@ss%" });
      const port = await startUpstream(false);
      const heard = await ask(
        clientWith(),
        `http://127.0.0.1:${port}/a`,
        `${scheme}://me:p%40ss%25@127.0.0.1:${proxy.port}`,
      );
      expect(heard.text).toMatch(new RegExp(`^127.0.0.1:${port} /a (undefined|Basic .*)$`));
      expect(proxy.asked).toHaveLength(1);
    });

    test("reports that the proxy refuses the credentials, without showing them", async () => {
      const proxy = await proxied(start, { ...more, login: "me:right" });
      for (const login of ["me:other-secret@", ""]) {
        for (const url of [`https://localhost:${await startUpstream(true)}/`, `http://localhost:1/`]) {
          const heard = await ask(clientWith(), url, `${scheme}://${login}127.0.0.1:${proxy.port}`);
          expect(heard).toEqual({ kind: "connect", message: expect.stringMatching(/^the proxy refused: /) });
          expect(heard.message).not.toContain("other-secret");
        }
      }
    });

    test("fails in time where the proxy refuses, hangs, resets or ends", async () => {
      const url = `https://localhost:${await startUpstream(true)}/`;
      const through = async (manners: ProxyManners, options: Partial<UpstreamClientOptions> = {}): Promise<Heard> =>
        ask(clientWith(options), url, `${scheme}://127.0.0.1:${(await proxied(start, { ...more, ...manners })).port}`);
      expect(await through({ refuses: scheme.startsWith("http") ? 502 : 2 })).toMatchObject({
        kind: "connect",
        message: expect.stringMatching(/^the proxy refused: (status 502|connection not allowed)/),
      });
      const startMs = awakeMs();
      expect((await through({ fault: "hangs" }, { connectTimeoutMs: 300 })).kind).toBe("connect_timeout");
      expect(awakeMs() - startMs).toBeLessThan(2000);
      for (const fault of ["resets", "ends"] as const)
        expect([fault, await through({ fault })]).toMatchObject([fault, { kind: "connect" }]);
    });

    test("never connects to an address that is not allowed, be it the proxy's or the upstream's", async () => {
      const proxy = await proxied(start, more);
      const lookup = ((_name: string, _options: object, callback: (...result: unknown[]) => void) =>
        callback(null, [{ address: "10.1.2.3", family: 4 }])) as never;
      const strict = clientWith({ allowsPrivate: () => false, lookup });
      const cases = [
        [strict, "https://api.example/", "127.0.0.1"],
        [strict, "https://api.example/", "inner.example"],
        [strict, "https://127.0.0.1/", "8.8.8.8"],
        [clientWith(), "https://169.254.169.254/", "127.0.0.1"],
        [clientWith(), "http://[fd00:ec2::254]/", "127.0.0.1"],
      ] as const;
      for (const [client, url, host] of cases) {
        const heard = await Promise.resolve()
          .then(() => ask(client, url, `${scheme}://${host}:${proxy.port}`))
          .catch(heardFault);
        expect([url, host, heard.kind]).toEqual([url, host, "address"]);
      }
      expect(proxy.asked).toEqual([]);
    });
  });

  test("does not trust an upstream with a false certificate because a proxy led there", async () => {
    const proxy = await proxied(startHttpProxy);
    const url = `https://localhost:${await startUpstream(true)}/`;
    const client = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 10_000 });
    open.push(client);
    const heard = await ask(client, url, `http://127.0.0.1:${proxy.port}`);
    expect(heard).toEqual({ kind: "connect", message: expect.stringMatching(/CERT/) });
  });
});

test.each(KINDS)("a WebSocket aborted while %s connects leaves no socket open", async (_kind, start, scheme, more) => {
  const proxy = await proxied(start, { ...more, delayMs: 150 });
  const url = `https://localhost:${await startUpstream(true)}/`;
  const through = `${scheme}://127.0.0.1:${proxy.port}`;
  const terms = { headers: [], handshakeTimeoutMs: 10_000, maxMessageBytes: 1000 };
  const socket = clientWith().openSocket({ ...terms, url, proxy: through });
  socket.on("error", () => undefined);
  await expect.poll(() => proxy.asked.length).toBe(1);
  socket.terminate();
  await new Promise((resolve) => setTimeout(resolve, 200));
  await expect.poll(() => proxy.openCount()).toBe(0);
});

test("a plain call is asked of an http proxy itself, whose answer it gets, and no tunnel is opened", async () => {
  const proxy = await proxied(startHttpProxy);
  const port = await startUpstream(false);
  const client = clientWith();
  for (let index = 0; index < 2; index += 1)
    await call(client, `http://127.0.0.1:${port}/a`, `http://127.0.0.1:${proxy.port}`);
  const asked = `GET http://127.0.0.1:${port}/a`;
  expect(proxy.asked).toEqual([asked, asked]);
});

test("an invalid proxy is reported without its text, which may hold a password", () => {
  for (const text of ["::nonsense::", "ftp://me:secret-word@host", "socks5://", "http://me:secret-word@:0:0"]) {
    let told: unknown;
    try {
      parseProxy(text);
    } catch (error) {
      told = error;
    }
    expect(told).toMatchObject({ kind: "connect", message: "the channel's proxy is no http, https or socks5 URL" });
    expect(JSON.stringify(told)).not.toContain("secret-word");
  }
});
