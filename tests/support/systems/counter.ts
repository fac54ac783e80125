/** A proxy before an endpoint that forwards HTTP and WebSocket unchanged, and records the calls of a coding agent, so that its retries are counted. */
import { createServer, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { WebSocket, WebSocketServer } from "ws";

export interface Counter {
  url: string;
  /** When each call came whose body was to be counted, in milliseconds of performance.now(). */
  readonly callsMs: readonly number[];
  close(): Promise<void>;
}

/** Headers of one connection, which the next one has of its own (RFC 9110, 7.6.1). */
const withoutHop = ({ headers }: IncomingMessage): Record<string, string> => {
  const kept = Object.entries(headers).filter(([name]) => !/^(?:host|connection|upgrade|sec-websocket-.*)$/.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
};

/** Sends a call on and its answer back; either side that breaks off breaks the other off. */
function passOn(target: string, incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
  const { method = "GET", url = "/" } = incoming;
  const asked = request(target + url, { method, headers: withoutHop(incoming) }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  asked.on("error", () => outgoing.destroy());
  outgoing.on("close", () => asked.destroy());
  asked.end(body);
}

/** Joins two sockets; each ends with the other. */
function join(client: WebSocket, endpoint: WebSocket, onFrame: (text: string) => void): void {
  client.on("message", (data: Buffer) => {
    onFrame(data.toString());
    endpoint.send(data.toString());
  });
  endpoint.on("message", (data: Buffer) => client.send(data.toString()));
  client.on("close", () => endpoint.terminate());
  endpoint.on("close", () => client.terminate());
  for (const each of [client, endpoint]) each.on("error", () => each.terminate());
}

/** Starts one before `target`, an address without a slash at its end; calls and frames count whose text `counts`. */
export async function startCounter(target: string, counts: (text: string) => boolean): Promise<Counter> {
  const callsMs: number[] = [];
  const note = (text: string): void => void (counts(text) && callsMs.push(performance.now()));
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const server = createServer((incoming, outgoing) => {
    buffer(incoming).then(
      (body) => {
        note(body.toString());
        passOn(target, incoming, outgoing, body);
      },
      () => outgoing.destroy(),
    );
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const endpoint = new WebSocket(`${target.replace("http", "ws")}${incoming.url ?? "/"}`, {
      headers: withoutHop(incoming),
      perMessageDeflate: false,
    });
    endpoint.once("open", () =>
      sockets.handleUpgrade(incoming, socket, head, (client) => join(client, endpoint, note)),
    );
    endpoint.once("unexpected-response", (_request, { statusCode = 502 }) =>
      socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ""}\r\nContent-Length: 0\r\n\r\n`),
    );
    endpoint.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callsMs,
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
