/** Tests of streamed answers on the wire: chunks of HTTP/1.1 that any client reads, and plain bytes for HTTP/1.0. */
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { StreamBody } from "./delivery.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

/** A server that streams the pieces, then ends with the last of them; gives its port. */
async function streaming(pieces: readonly string[], last: string): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(200, ["Content-Type", "text/event-stream"]);
    const body = new StreamBody(response);
    for (const piece of pieces) body.write(latin1(piece));
    body.end(latin1(last));
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Everything that comes over one connection until the server closes it. */
async function received(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.write(request);
  await once(socket, "close");
  return Buffer.concat(parts).toString("utf8");
}

test("pieces of any letters arrive whole, and the connection serves the next call", async () => {
  const port = await streaming(["data: 1\n\n", "data: 你好 é\n\n"], "data: [DONE]\n\n");
  for (let call = 0; call < 2; call += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.text()).toBe("data: 1\n\ndata: 你好 é\n\ndata: [DONE]\n\n");
  }
});

test("each piece is a chunk of its length in bytes, and an end without words only the last one", async () => {
  const port = await streaming(["é\n"], "");
  const text = await received(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(text).toContain("Transfer-Encoding: chunked");
  expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe("3\r\né\n\r\n0\r\n\r\n");
});

test("a client of HTTP/1.0, which knows no chunks, gets the bytes alone", async () => {
  const port = await streaming(["data: 1\n\n"], "data: [DONE]\n\n");
  const text = await received(port, "GET / HTTP/1.0\r\nHost: a\r\n\r\n");
  expect(text).not.toContain("Transfer-Encoding");
  expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe("data: 1\n\ndata: [DONE]\n\n");
});
