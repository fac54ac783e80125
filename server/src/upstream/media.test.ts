/** Tests of media by URL from a real server: types by content, and refusal of private addresses, redirects to them, floods and stalls. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { awakeMs } from "../../../tests/support/clients/awake-clock.ts";
import { type UpstreamClient, createUpstreamClient } from "./client.ts";
import { fetchMedia, type MediaFaultKind, type MediaLimits, mediaTypeOf } from "./media.ts";
import { UpstreamFault } from "./fault.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: string[];
let client: UpstreamClient;
let isPrivateAllowed: boolean;

beforeEach(async () => {
  asked = [];
  isPrivateAllowed = true;
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createUpstreamClient({
    allowsPrivate: () => true,
    allowsPrivateForUsers: () => isPrivateAllowed,
    connectTimeoutMs: 1_000,
  });
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function faultOf(target: string, limits: Partial<MediaLimits> = {}): Promise<MediaFaultKind> {
  try {
    await fetchMedia(client, target, limits);
  } catch (error) {
    if (error instanceof UpstreamFault) return error.kind;
    throw error;
  }
  throw new Error("the file was fetched");
}

test("a picture comes as base64 with the type of its bytes, whatever the header says", async () => {
  answer = (_, response) => response.setHeader("content-type", "text/html").end(PNG);
  expect(await fetchMedia(client, `${url}/a?b=c#d`)).toEqual({
    mimeType: "image/png",
    base64: PNG.toString("base64"),
  });
  expect(asked).toEqual(["/a?b=c"]);
});

test("redirects are followed, relative ones too, up to their bound", async () => {
  answer = ({ url: path }, response) =>
    path === "/file" ? response.end(PNG) : response.writeHead(302, { location: path === "/a" ? "b" : "/file" }).end();
  expect((await fetchMedia(client, `${url}/a`)).mimeType).toBe("image/png");
  expect(await faultOf(`${url}/a`, { maxRedirects: 1 })).toBe("too_many_redirects");
});

test("what the operator's lists do not let through is not asked for, behind a redirect neither", async () => {
  answer = ({ url: path }, response) =>
    path === "/file" ? response.end(PNG) : response.writeHead(302, { location: "http://denied.example/file" }).end();
  const fetched = (path: string) =>
    fetchMedia(client, `${url}${path}`, {}, undefined, ({ hostname }) => hostname !== "denied.example");
  expect((await fetched("/file")).mimeType).toBe("image/png");
  await expect(fetched("/a")).rejects.toMatchObject({ kind: "address" });
  await expect(fetchMedia(client, `${url}/file`, {}, undefined, () => false)).rejects.toMatchObject({
    kind: "address",
  });
  expect(asked).toEqual(["/file", "/a"]);
});

test("private addresses are refused for users although channels may use them", async () => {
  answer = (_, response) => response.end(PNG);
  isPrivateAllowed = false;
  expect(await faultOf(url)).toBe("address");
  expect(await faultOf(url.replace("127.0.0.1", "localhost"))).toBe("address");
  expect(await faultOf("http://[::1]:9/")).toBe("address");
  expect(await faultOf("http://2130706433/")).toBe("address");
  expect(asked).toEqual([]);
});

test.each([
  ["http://169.254.169.254/latest/meta-data/", "address"],
  ["http://[::ffff:169.254.169.254]/", "address"],
  ["http://0.0.0.0/", "address"],
  ["file:///etc/passwd", "url"],
  ["gopher://127.0.0.1/", "url"],
  ["http://user:password@127.0.0.1/", "url"],
])("a redirect to %s is refused", async (location, kind) => {
  answer = (_, response) => response.writeHead(302, { location }).end();
  expect(await faultOf(url)).toBe(kind);
  expect(asked).toHaveLength(1);
});

test("a redirect from an allowed server to a private address is refused before a byte is sent", async () => {
  const inner = createServer((_, response) => response.end("secret"));
  await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", () => resolve()));
  let innerCalls = 0;
  inner.on("connection", () => (innerCalls += 1));
  answer = (_, response) => {
    isPrivateAllowed = false;
    response.writeHead(307, { location: `http://127.0.0.1:${(inner.address() as AddressInfo).port}/` }).end();
  };
  expect([await faultOf(url), innerCalls]).toEqual(["address", 0]);
  await new Promise((resolve) => inner.close(resolve));
});

test("a huge body is given up, declared or not", async () => {
  answer = (_, response) => response.writeHead(200, { "content-length": "30000000" }).flushHeaders();
  expect(await faultOf(url)).toBe("too_large");
  let sent = 0;
  answer = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    response.on("drain", more);
    more();
  };
  expect(await faultOf(url, { maxBytes: 1_000_000 })).toBe("too_large");
  expect(sent).toBeLessThan(20_000_000);
});

test("a body that decodes to more than the bound is given up", async () => {
  const { gzipSync } = await import("node:zlib");
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  expect(await faultOf(url, { maxBytes: 1_000_000 })).toBe("too_large");
});

test("a server that drips is given up in time", async () => {
  answer = (_, response) => {
    response.write(PNG);
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  };
  const startedMs = awakeMs();
  expect(await faultOf(url, { timeoutMs: 200 })).toBe("too_slow");
  answer = () => undefined;
  expect(await faultOf(url, { timeoutMs: 200 })).toBe("too_slow");
  expect(awakeMs() - startedMs).toBeLessThan(1_500);
});

test("an error page, a broken answer and a missing server are no files", async () => {
  answer = (_, response) => response.writeHead(404).end("nothing here");
  expect(await faultOf(url)).toBe("status");
  answer = (_, response) => response.setHeader("content-type", "image/png").end("<html>not found</html>");
  expect(await faultOf(url)).toBe("type");
  answer = (_, response) => response.destroy();
  expect(await faultOf(url)).toBe("unreachable");
});

test.each([
  ["image/jpeg", Buffer.from("ffd8ffe0", "hex"), ""],
  ["image/webp", Buffer.from("RIFF0000WEBPVP8 "), "image/png"],
  ["audio/wav", Buffer.from("RIFF0000WAVEfmt "), ""],
  ["application/pdf", Buffer.from("%PDF-1.7"), "text/plain"],
  ["video/mp4", Buffer.from("\0\0\0 ftypisom"), ""],
  ["text/plain", Buffer.from("words, 你好"), "text/plain; charset=utf-8"],
  ["text/csv", Buffer.from("a,b"), "Text/CSV"],
  [undefined, Buffer.from("\0\u0001"), "text/plain"],
  [undefined, Buffer.from("<svg onload=x>"), "image/svg+xml"],
  [undefined, Buffer.from("<p>"), "text/html"],
  [undefined, Buffer.alloc(0), "image/png"],
])("%s is reported", (expected, body, header) => {
  expect(mediaTypeOf(body, header)).toBe(expected);
});
