/** Tests of the upstream client over real sockets: addresses checked on connect, timeouts, proxies, connection reuse, aborts. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { awakeMs } from "../../../tests/support/clients/awake-clock.ts";
import {
  type UpstreamClient,
  type UpstreamClientOptions,
  type UpstreamRequest,
  createUpstreamClient,
} from "./client.ts";
import type { UpstreamFault } from "./fault.ts";

let upstream: FakeUpstream;
let client: UpstreamClient;
const opened: Server[] = [];

beforeEach(async () => {
  upstream = await startFakeUpstream({ plan: { text: "hello" } });
  use({ allowsPrivate: () => true });
});

afterEach(async () => {
  await client.close();
  await upstream.close();
  for (const server of opened.splice(0)) server.close();
});

/** The connect timer is longer than a busy machine takes, where nothing else is said. */
const use = (options: Partial<UpstreamClientOptions>): void =>
  void (client = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 10_000, ...options }));

const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"x"}]}');
const request = (changes: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  method: "POST",
  url: `${upstream.url}/v1/chat/completions`,
  headers: ["content-type", "application/json"],
  body,
  proxy: "",
  firstByteTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  ...changes,
});

function send(
  changes: Partial<UpstreamRequest> = {},
): Promise<{ status: number; text: string; fault: UpstreamFault | undefined }> {
  return new Promise((resolve) => {
    let [status, text] = [0, ""];
    client.send(request(changes), {
      started: (code) => void (status = code),
      data: (chunk) => void (text += chunk.toString()),
      ended: () => resolve({ status, text, fault: undefined }),
      failed: (fault) => resolve({ status, text, fault }),
    });
  });
}

async function listen(server: Server): Promise<number> {
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return (server.address() as AddressInfo).port;
}

test("a connection is used again, and a redirect is only an answer", async () => {
  const ports = new Set<number | undefined>();
  upstream.server.on("connection", (socket: Socket) => void ports.add(socket.remotePort));
  for (let index = 0; index < 5; index += 1) expect((await send()).text).toContain("hello");
  // A response resolves before its socket is free again, so a second one may have been opened.
  expect(ports.size).toBeLessThan(3);
  upstream.next({ status: 302, headers: { location: `${upstream.url}/v1/models` }, rawBody: "" });
  expect(await send()).toMatchObject({ status: 302 });
  expect(upstream.count).toBe(6);
});

test("a private address is refused unless allowed, by number and by name, and nothing is sent", async () => {
  use({ allowsPrivate: () => false });
  const { port } = upstream;
  for (const host of [
    "127.0.0.1",
    "localhost",
    "[::ffff:127.0.0.1]",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0.0.0.0",
    "[::]",
    "[::1]",
  ]) {
    const { fault } = await send({ url: `http://${host}:${port}/v1/chat/completions` });
    expect([host, fault?.kind]).toEqual([host, "address"]);
  }
  expect(upstream.count).toBe(0);
});

test("a kept connection to a private address is not used any more once private addresses are forbidden", async () => {
  let isAllowed = true;
  await client.close();
  use({ allowsPrivate: () => isAllowed });
  expect((await send()).status).toBe(200);
  isAllowed = false;
  expect((await send()).fault?.kind).toBe("address");
  expect(upstream.count).toBe(1);
});

test("metadata and unspecified addresses are refused although private ones are allowed", async () => {
  for (const host of [
    "169.254.169.254",
    "0.0.0.0",
    "[::]",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
  ]) {
    expect((await send({ url: `http://${host}/` })).fault?.kind).toBe("address");
  }
});

test("a name that leads to a forbidden address is refused", async () => {
  const lookup = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address: "169.254.169.254", family: 4 }])) as never;
  use({ lookup });
  expect((await send({ url: "http://rebinding.example/" })).fault).toMatchObject({
    kind: "address",
    message: expect.stringContaining("169.254.169.254"),
  });
});

test("each failure has its kind", async () => {
  const port = await listen(createServer());
  opened.splice(0).forEach((server) => server.close());
  expect((await send({ url: `http://127.0.0.1:${port}/` })).fault?.kind).toBe("connect");
  expect((await send({ url: "http://name.invalid/" })).fault?.kind).toBe("connect");
  upstream.next({ neverAnswers: true }, { cutAtByte: 5 }, { dropsRequest: "reset" }, { cutAtByte: 5, cutBy: "halt" });
  expect((await send({ firstByteTimeoutMs: 200 })).fault?.kind).toBe("first_byte_timeout");
  expect(await send()).toMatchObject({ status: 200, fault: { kind: "reset" } });
  expect((await send()).fault?.kind).toBe("reset");
  expect((await send({ idleTimeoutMs: 200 })).fault?.kind).toBe("idle_timeout");
  upstream.next({ rawBody: "not gzip", headers: { "content-encoding": "gzip" } });
  expect((await send()).fault?.kind).toBe("decode");
});

test("a host that is not reached in time is given up by the connect timer", async () => {
  use({ connectTimeoutMs: 200, lookup: (() => undefined) as never });
  const startMs = awakeMs();
  expect((await send({ url: "http://slow.example/" })).fault?.kind).toBe("connect_timeout");
  expect(awakeMs() - startMs).toBeLessThan(2000);
});

test("an aborted call ends at once on both sides, also while it waits for a connection", async () => {
  upstream.plan({ neverAnswers: true });
  const faults: string[] = [];
  const sink = {
    started: () => undefined,
    data: () => undefined,
    ended: () => undefined,
    failed: (fault: UpstreamFault) => void faults.push(fault.kind),
  };
  client.send(request(), sink).abort();
  const call = client.send(request(), sink);
  while (upstream.count === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  call.abort();
  call.abort();
  while (upstream.requests.at(-1)?.wasAborted !== true) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(faults).toEqual(["aborted", "aborted"]);
});

test("an answer that its reader pauses again and again comes whole and in order, and the connection serves the next call", async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join("");
  const ports = new Set<number | undefined>();
  const port = await listen(
    createServer((asked, answer) => {
      ports.add(asked.socket.remotePort);
      if (asked.url === "/whole") return void answer.end(lines);
      for (let from = 0; from < lines.length; from += 7_777) answer.write(lines.slice(from, from + 7_777));
      answer.end();
    }),
  );
  for (const path of ["/pieces", "/whole"]) {
    const text = await new Promise<string>((resolve) => {
      let [came, turn] = ["", 0];
      const call = client.send(request({ url: `http://127.0.0.1:${port}${path}` }), {
        started: () => undefined,
        data: (chunk) => {
          came += chunk.toString();
          turn += 1;
          if (turn % 3 === 0) return;
          call.pause();
          if (turn % 3 === 1) setImmediate(() => call.resume());
          else setTimeout(() => call.resume(), 2);
        },
        ended: () => resolve(came),
        failed: ({ message }) => resolve(message),
      });
    });
    expect(text === lines).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(ports.size).toBe(1);
});

test("a compressed answer that is not read is not unpacked into memory, and can be aborted", async () => {
  const [megabytes, block] = [16, "x".repeat(2 ** 20)];
  upstream.plan({ rawBody: block.repeat(megabytes), isGzipped: true });
  let [seen, whenPaused] = [0, 0];
  const fault = await new Promise<UpstreamFault>((resolve, reject) => {
    const call = client.send(request(), {
      started: () => undefined,
      data: (chunk) => {
        seen += chunk.length;
        if (whenPaused > 0) return;
        whenPaused = seen;
        call.pause();
        setTimeout(() => call.abort(), 150);
      },
      ended: () => reject(new Error("it was not paused")),
      failed: resolve,
    });
  });
  expect([fault.kind, seen]).toEqual(["aborted", whenPaused]);
  const resumed = await new Promise<number>((resolve) => {
    let size = 0;
    const call = client.send(request(), {
      started: () => undefined,
      data: (chunk) => {
        size += chunk.length;
        call.pause();
        setImmediate(() => call.resume());
      },
      ended: () => resolve(size),
      failed: () => resolve(-1),
    });
  });
  expect(resumed).toBe(megabytes * block.length);
});
