/** Bounds of sockets of /v1/responses: an hour, behind the answer under way; and so many of one user, beyond which a client is sent to HTTP. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { newChannel, newWorld, startTestRelay, TEST_KEY, type TestRelay, until } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay | undefined;
beforeEach(async () => void (upstream = await startFakeUpstream({ validates: false })));
afterEach(async () => {
  await relay?.close();
  await upstream.close();
});

interface Client {
  socket: WebSocket;
  heard: { type: string; error?: { code: string } }[];
  /** Status of a refused handshake. */
  refused: number;
  closed: number;
}

async function start(socketBounds: { lifetimeMs: number; ofUser: number }): Promise<() => Client> {
  const started = await startTestRelay({
    world: newWorld({ channels: [newChannel({ baseUrl: upstream.url })] }),
    socketBounds,
  });
  relay = started;
  return () => {
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    const socket = new WebSocket(`${started.url.replace("http", "ws")}/v1/responses`, { headers });
    const client: Client = { socket, heard: [], refused: 0, closed: 0 };
    socket.on("message", (data: Buffer) => client.heard.push(JSON.parse(data.toString()) as Client["heard"][number]));
    socket.on("unexpected-response", (_request, { statusCode = 0 }) => (client.refused = statusCode));
    socket.on("close", (code) => (client.closed = code));
    socket.on("error", () => undefined);
    return client;
  };
}
const isOpen = ({ socket }: Client): boolean => socket.readyState === WebSocket.OPEN;

test("a socket that has been open for its time ends behind its answer, and refuses further frames by the name that OpenAI gives it", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.plan({ beforeHead: gate.promise });
  const connect = await start({ lifetimeMs: 1_500, ofUser: 9 });
  const [busy, idle] = [connect(), connect()];
  await until(() => isOpen(busy) && isOpen(idle));
  const ask = () =>
    busy.socket.send(JSON.stringify({ type: "response.create", model: "gpt-4o", store: false, input: "hi" }));
  ask();
  await until(() => idle.closed !== 0);
  // Between answers OpenAI's library throws what it reads, so that an idle socket has no event.
  expect([idle.closed, idle.heard, busy.closed]).toEqual([1000, [], 0]);
  ask();
  await until(() => busy.heard.length > 0);
  expect(busy.heard.map(({ error }) => error?.code)).toEqual(["websocket_connection_limit_reached"]);
  gate.resolve();
  await until(() => busy.closed !== 0);
  expect([busy.heard.at(-1)?.type, busy.closed, upstream.requests.length]).toEqual(["response.completed", 1000, 1]);
});

test("one more than a user may have open is answered 426, and has room once another one is closed", async () => {
  const connect = await start({ lifetimeMs: 60_000, ofUser: 2 });
  const open = [connect(), connect()];
  await until(() => open.every(isOpen));
  const third = connect();
  await until(() => third.refused !== 0);
  expect(third.refused).toBe(426);
  open[0]?.socket.close();
  await until(() => open[0]?.closed !== 0);
  await expect
    .poll(async () => {
      const again = connect();
      await until(() => isOpen(again) || again.refused !== 0);
      return isOpen(again);
    })
    .toBe(true);
});
