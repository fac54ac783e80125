/** Tests of HTTP/2 to upstreams over real TLS sockets: choice of version, streams beside each other on one connection, aborts, timeouts, going away, and proxies. */
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer as createHttpsServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeCertificate } from "../../../tests/support/systems/certificate.ts";
import { startHttpProxy } from "../../../tests/support/systems/proxies.ts";
import { createUpstreamClient, type Http2Use, type UpstreamCall, type UpstreamClient } from "./client.ts";
import type { UpstreamFault } from "./fault.ts";

const PREFERRED: Http2Use = { isRequired: false, connections: 1 };
const REQUIRED: Http2Use = { isRequired: true, connections: 1 };
const certificate = makeCertificate();
const body = Buffer.from('{"model":"m"}');

let client: UpstreamClient;
let server: Http2SecureServer;
/** Sockets that upstreams got, each connection once. */
let sockets: Socket[];
let streams: ServerHttp2Stream[];
let arrived: (stream: ServerHttp2Stream) => void;
const opened: (Server | Http2SecureServer)[] = [];

/** What the next call does at the upstream; by default it is answered in one piece. */
let answer: (stream: ServerHttp2Stream, path: string) => void;

const whole = (stream: ServerHttp2Stream, path: string): void => {
  stream.respond({ ":status": 200, "content-type": "text/plain" });
  stream.end(path);
};

async function listen(made: Server | Http2SecureServer): Promise<number> {
  opened.push(made);
  made.on("secureConnection", (socket: Socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return (made.address() as AddressInfo).port;
}

let url: string;
beforeEach(async () => {
  [sockets, streams, answer, arrived] = [[], [], whole, () => undefined];
  client = createUpstreamClient({
    allowsPrivate: () => true,
    connectTimeoutMs: 10_000,
    certificates: certificate.cert,
  });
  server = createSecureServer(certificate);
  server.on("stream", (opened, headers) => {
    const stream = opened as ServerHttp2Stream;
    stream.on("error", () => undefined);
    streams.push(stream);
    answer(stream, String(headers[":path"]));
    arrived(stream);
  });
  url = `https://127.0.0.1:${await listen(server)}`;
});
afterEach(async () => {
  await client.close();
  for (const made of opened.splice(0)) made.close();
  for (const socket of sockets) socket.destroy();
});

interface Heard {
  status: number;
  text: string;
  fault: UpstreamFault | undefined;
}

interface Sent {
  call: UpstreamCall;
  heard: Promise<Heard>;
  /** Resolves with what has come, once that has so many bytes. */
  first(bytes?: number): Promise<string>;
}

function start(path: string, http2: Http2Use | undefined, more: object = {}): Sent {
  let [status, text] = [0, ""];
  let waiting: (() => void)[] = [];
  const said = () => {
    for (const check of waiting) check();
  };
  let finish: (heard: Heard) => void = () => undefined;
  const heard = new Promise<Heard>((resolve) => (finish = resolve));
  const timers = { firstByteTimeoutMs: 20_000, idleTimeoutMs: 20_000 };
  const request = {
    method: "POST" as const,
    url: url + path,
    headers: ["content-type", "application/json"],
    body,
    proxy: "",
  };
  const call = client.send(
    { ...request, ...timers, http2, ...more },
    {
      started: (code) => void (status = code),
      data: (chunk) => {
        text += chunk.toString();
        said();
      },
      ended: () => finish({ status, text, fault: undefined }),
      failed: (fault) => finish({ status, text, fault }),
    },
  );
  const first = (bytes = 1) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (text.length < bytes) return;
        waiting = waiting.filter((other) => other !== check);
        resolve(text);
      };
      waiting.push(check);
      check();
    });
  return { call, heard, first };
}

const send = (path: string, http2?: Http2Use, more?: object): Promise<Heard> => start(path, http2, more).heard;

/** An upstream of HTTP/1.1 alone. */
async function oldUpstream(): Promise<void> {
  const old = createHttpsServer(certificate, (request, response) => {
    request.resume();
    response.end(`http ${request.httpVersion}`);
  });
  url = `https://127.0.0.1:${await listen(old)}`;
}

test("calls go by HTTP/2 where a channel asks for it and the upstream speaks it, else by HTTP/1.1", async () => {
  expect(await send("/a", PREFERRED)).toMatchObject({ status: 200, text: "/a" });
  expect(await send("/b", REQUIRED)).toMatchObject({ status: 200, text: "/b" });
  // Node's server of HTTP/2 alone answers nothing to a client that only has HTTP/1.1.
  expect((await send("/c")).status).not.toBe(200);
  await oldUpstream();
  expect(await send("/d", PREFERRED)).toMatchObject({ status: 200, text: "http 1.1" });
  expect(await send("/e")).toMatchObject({ status: 200, text: "http 1.1" });
  const { status, fault } = await send("/f", REQUIRED);
  expect([status, fault?.kind]).toEqual([0, "connect"]);
});

test("a required HTTP/2 is refused for an address without TLS, before anything is sent", async () => {
  const { fault } = await send("/a", REQUIRED, { url: url.replace("https:", "http:") });
  expect([fault?.kind, fault?.message]).toEqual(["connect", "HTTP/2 is spoken to https addresses alone"]);
  expect(sockets).toEqual([]);
});

test("a hundred calls at once share the connections that were opened first, and each has its own answer", async () => {
  await send("/warm", PREFERRED);
  const paths = Array.from({ length: 100 }, (_, place) => `/${place}`);
  const answers = await Promise.all(paths.map((path) => send(path, PREFERRED)));
  expect(answers.map(({ text }) => text)).toEqual(paths);
  expect(sockets).toHaveLength(1);
});

test("calls take turns on as many connections as the channel says", async () => {
  const spread: Http2Use = { isRequired: false, connections: 3 };
  for (let place = 0; place < 6; place += 1) await send(`/${place}`, spread);
  expect(sockets).toHaveLength(3);
});

test("a stream arrives piece by piece; one that is given up ends at the upstream, and those beside it go on", async () => {
  await send("/warm", PREFERRED);
  answer = (stream) => {
    stream.respond({ ":status": 200 });
    stream.write("data: 1\n\n");
  };
  const [one, two] = [start("/one", PREFERRED), start("/two", PREFERRED)];
  await Promise.all([one.first(), two.first()]);
  const [, first, second] = streams;
  const closed = new Promise<void>((resolve) => first?.on("close", resolve));
  one.call.abort();
  expect((await one.heard).fault?.kind).toBe("aborted");
  await closed;
  second?.end("data: 2\n\n");
  expect(await two.heard).toEqual({ status: 200, text: "data: 1\n\ndata: 2\n\n", fault: undefined });
  expect(sockets).toHaveLength(1);
});

test("a call that is given up before its answer leaves the connection to the next one", async () => {
  await send("/warm", PREFERRED);
  answer = () => undefined;
  const taken = new Promise<ServerHttp2Stream>((resolve) => (arrived = resolve));
  const silent = start("/silent", PREFERRED);
  const stream = await taken;
  const closed = new Promise<void>((resolve) => stream.on("close", resolve));
  silent.call.abort();
  expect((await silent.heard).fault?.kind).toBe("aborted");
  await closed;
  answer = whole;
  expect(await send("/next", PREFERRED)).toMatchObject({ status: 200, text: "/next" });
  expect(sockets).toHaveLength(1);
});

test("both timers hold for each stream alone", async () => {
  answer = (stream, path) => {
    if (path === "/no-answer") return;
    stream.respond({ ":status": 200 });
    stream.write("begun");
  };
  const other = start("/other", PREFERRED);
  await other.first();
  const short = { firstByteTimeoutMs: 100, idleTimeoutMs: 100 };
  expect((await send("/no-answer", PREFERRED, short)).fault?.kind).toBe("first_byte_timeout");
  const silent = await send("/falls-silent", PREFERRED, short);
  expect([silent.text, silent.fault?.kind]).toEqual(["begun", "idle_timeout"]);
  streams[0]?.end(" and ended");
  expect(await other.heard).toMatchObject({ text: "begun and ended", fault: undefined });
});

test("an upstream that goes away finishes what it has taken, and later calls find another connection", async () => {
  answer = (stream) => {
    stream.respond({ ":status": 200 });
    stream.write("begun");
  };
  const running = start("/running", PREFERRED);
  await running.first();
  const gone = new Promise<void>((resolve) => streams[0]?.session?.on("close", resolve));
  streams[0]?.session?.close();
  streams[0]?.end(" and ended");
  expect(await running.heard).toMatchObject({ text: "begun and ended", fault: undefined });
  await gone;
  answer = whole;
  expect(await send("/later", PREFERRED)).toMatchObject({ status: 200, text: "/later" });
  expect(sockets).toHaveLength(2);
});

test("a connection that breaks ends every call on it as broken, and the next call opens another", async () => {
  answer = (stream) => {
    stream.respond({ ":status": 200 });
    stream.write("begun");
  };
  const calls = [start("/one", PREFERRED)];
  await calls[0]?.first();
  calls.push(start("/two", PREFERRED));
  await calls[1]?.first();
  sockets[0]?.destroy();
  for (const { heard } of calls) expect((await heard).fault?.kind).toBe("reset");
  answer = whole;
  expect(await send("/next", PREFERRED)).toMatchObject({ status: 200, text: "/next" });
});

test("a reader that pauses holds its own stream up and no other", async () => {
  const large = "x".repeat(4_000_000);
  let written = 0;
  answer = (stream, path) => {
    if (path !== "/large") return whole(stream, path);
    stream.respond({ ":status": 200 });
    stream.write(large, () => void (written = large.length));
    stream.end();
  };
  const slow = start("/large", PREFERRED);
  await slow.first();
  slow.call.pause();
  for (let place = 0; place < 20; place += 1) expect((await send(`/${place}`, PREFERRED)).text).toBe(`/${place}`);
  expect(written).toBe(0);
  slow.call.resume();
  expect((await slow.heard).text).toHaveLength(large.length);
});

test("through a proxy the target is spoken to by HTTP/2, and the proxy by HTTP/1.1", async () => {
  const proxy = await startHttpProxy();
  try {
    expect(await send("/a", REQUIRED, { proxy: `http://127.0.0.1:${proxy.port}` })).toMatchObject({
      status: 200,
      text: "/a",
    });
    expect(proxy.asked).toEqual([`CONNECT ${new URL(url).host}`]);
  } finally {
    proxy.close();
  }
});

test("an address that is not allowed is refused for HTTP/2 too", async () => {
  await client.close();
  client = createUpstreamClient({
    allowsPrivate: () => false,
    connectTimeoutMs: 10_000,
    certificates: certificate.cert,
  });
  expect((await send("/a", PREFERRED)).fault?.kind).toBe("address");
  expect((await send("/a", PREFERRED, { url: url.replace("127.0.0.1", "localhost") })).fault?.kind).toBe("address");
  expect(sockets).toEqual([]);
});
