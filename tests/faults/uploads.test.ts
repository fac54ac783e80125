/** Fault: through a real server, an upload that is too large is refused at once, and a client that sends it to its end reads why. */
import { type Socket, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestClient, type TestServer, setUp, startTestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const MIB = 1024 * 1024;
let server: TestServer;
let root: TestClient;
let headers: Readonly<Record<"nobody" | "root" | "token", string>>;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
  const token = await dataOf<{ key: string }>(
    root.post("/api/token", { name: "t", unlimited_quota: true, expired_time: -1 }),
  );
  headers = {
    nobody: "",
    root: `Cookie: ${root.cookie}\r\nNew-Api-User: ${root.userId}\r\n`,
    token: `Authorization: Bearer sk-${token.key}\r\n`,
  };
});

afterAll(() => server.stop());

const start = (head: string): Socket => {
  const socket = connect(server.app.port, "127.0.0.1");
  socket.write(`${head}Content-Type: application/json\r\nHost: localhost\r\n\r\n`);
  return socket;
};

/** All that comes until the connection ends; rejects where it is reset. */
const readAll = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => parts.push(part));
    socket.once("error", reject);
    socket.once("close", () => resolve(Buffer.concat(parts).toString()));
    socket.resume();
  });

const ROUTES = [
  ["POST", "/api/user/login", "nobody", 413],
  ["POST", "/api/setup", "nobody", 413],
  ["PUT", "/api/option", "root", 413],
  ["POST", "/api/channel", "root", 413],
  ["POST", "/api/channel", "nobody", 401],
  ["POST", "/api/no-such-path", "nobody", 404],
  ["POST", "/v1/chat/completions", "token", 413],
  ["POST", "/v1/images/edits", "token", 413],
] as const;

test.each(ROUTES)(
  "%s %s of 200 MB announced by %s is %i before a byte of it is read",
  async (method, path, who, status) => {
    const socket = start(`${method} ${path} HTTP/1.1\r\n${headers[who]}Content-Length: ${200 * MIB}\r\n`);
    const answer = await new Promise<string>((resolve) =>
      socket.once("data", (part: Buffer) => resolve(part.toString())),
    );
    socket.destroy();
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  },
);

/** Writes the whole body before it looks at the answer. */
async function sendAll(socket: Socket, bytes: number, isChunked: boolean): Promise<string> {
  socket.pause();
  const piece = Buffer.alloc(MIB, " ");
  for (let sent = 0; sent < bytes; sent += MIB)
    await new Promise<void>((resolve, reject) => {
      if (isChunked) socket.write(`${MIB.toString(16)}\r\n`);
      socket.write(isChunked ? Buffer.concat([piece, Buffer.from("\r\n")]) : piece, (fault) =>
        fault === null || fault === undefined ? resolve() : reject(fault),
      );
    });
  if (isChunked) socket.write("0\r\n\r\n");
  return readAll(socket);
}

test.each([
  ["/api/user/login", "nobody", false],
  ["/api/user/login", "nobody", true],
  ["/api/channel", "root", true],
  ["/v1/chat/completions", "token", false],
  ["/v1/chat/completions", "token", true],
] as const)("POST %s by %s, sent to its end (chunked: %s), gets 413", async (path, who, isChunked) => {
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${40 * MIB}`;
  const socket = start(`POST ${path} HTTP/1.1\r\n${headers[who]}${framing}\r\n`);
  expect(await sendAll(socket, 40 * MIB, isChunked)).toMatch(/^HTTP\/1\.1 413 [\s\S]*(too large|larger than)/);
});

test.each([
  ["/api/user/login", "nobody", 17, 413],
  ["/api/token", "root", 257, 413],
  ["/api/channel", "root", 4097, 413],
  ["/api/channel", "root", 4095, 200],
] as const)("POST %s by %s takes a body of its form's size: %i KiB are %i", async (path, who, kibibytes, status) => {
  const client = who === "root" ? root : server.client();
  const answer = await client.post(path, JSON.stringify({ name: "", pad: "x".repeat(kibibytes * 1024 - 20) }));
  expect(answer.status).toBe(status);
});

test("a request with two Host headers is 400, for console and relay, and served by none", async () => {
  for (const path of ["/api/status", "/v1/models", "/"]) {
    const socket = connect(server.app.port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nhOST: elsewhere.example\r\n\r\n`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than one Host header/);
  }
});
