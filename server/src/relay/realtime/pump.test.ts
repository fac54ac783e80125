/** Tests of a realtime session's sockets: valid close codes, and detection of a silent side. */
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Heartbeat, Outlet, closeSocket, sendableCode } from "./pump.ts";
import { until } from "../../../../tests/support/relay/harness.ts";

test.each([
  [1000, 1000],
  [1004, 1000],
  [1005, 1000],
  [1006, 1011],
  [1011, 1011],
  [1015, 1011],
  [1016, 1000],
  [2999, 1000],
  [3000, 3000],
  [4999, 4999],
  [5000, 1000],
])("code %i is passed on as %i", (seen, sent) => {
  expect(sendableCode(seen)).toBe(sent);
});

describe("between two sockets", () => {
  let server: WebSocketServer;
  let near: WebSocket;
  let far: WebSocket;

  async function pair(autoPong: boolean): Promise<void> {
    server = new WebSocketServer({ port: 0 });
    const accepted = new Promise<WebSocket>((resolve) => server.once("connection", resolve));
    far = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong });
    near = await accepted;
    await until(() => far.readyState === WebSocket.OPEN);
  }
  beforeEach(() => pair(false));
  afterEach(() => {
    for (const socket of [near, far]) socket.terminate();
    server.close();
  });

  let heartbeat: Heartbeat;
  const watching = (outlet: Pick<Outlet, "takeMoved"> = new Outlet(near, () => undefined)): void => {
    heartbeat = new Heartbeat([{ socket: near, outlet: outlet as Outlet }]);
    heartbeat.stop();
  };
  const isCut = (): boolean => near.readyState !== WebSocket.OPEN;

  test("one that answers no ping is cut at the next look", () => {
    watching();
    heartbeat.beat();
    expect(isCut()).toBe(false);
    heartbeat.beat();
    expect(isCut()).toBe(true);
  });

  test.each([
    ["answers pings", () => far.pong()],
    ["speaks", () => far.send("here")],
  ])("one that %s is not", async (_name, answer) => {
    watching();
    for (let look = 0; look < 5; look += 1) {
      const heard = new Promise((resolve) => near.once("pong", resolve).once("message", resolve));
      heartbeat.beat();
      answer();
      await heard;
    }
    expect(isCut()).toBe(false);
  });

  test("one that is paused is not, for it cannot be heard", () => {
    watching();
    near.pause();
    for (let look = 0; look < 5; look += 1) heartbeat.beat();
    expect(isCut()).toBe(false);
  });

  test("one that is behind and moves is not, and is cut once it moves no more", () => {
    let moves = 5;
    watching({ takeMoved: () => (moves -= 1) >= 0 });
    for (let look = 0; look < 5; look += 1) heartbeat.beat();
    expect(isCut()).toBe(false);
    for (let look = 0; look < 2; look += 1) heartbeat.beat();
    expect(isCut()).toBe(true);
  });

  test("an outlet pauses its source while the target takes nothing, and resumes it afterwards", async () => {
    const pauses: boolean[] = [];
    const outlet = new Outlet(near, (shouldPause) => pauses.push(shouldPause));
    far.pause();
    // More than the kernel takes of a reader that reads nothing.
    for (let index = 0; index < 30; index += 1) outlet.send(Buffer.alloc(1_000_000), true);
    expect(pauses).toEqual([true]);
    far.resume();
    await until(() => pauses.length === 2);
    expect(pauses).toEqual([true, false]);
    expect(outlet.takeMoved()).toBe(true);
    expect(outlet.takeMoved()).toBe(false);
  });

  test("closing hands over what is still on its way, even to a side that rested", async () => {
    let [received, code] = [0, 0];
    far.on("message", (data) => (received += (data as Buffer).length));
    far.on("close", (seen) => (code = seen));
    near.send(Buffer.alloc(8_000_000));
    near.pause();
    closeSocket(near, 4002, "x".repeat(200));
    await until(() => code !== 0 && isCut());
    expect([received, code]).toEqual([8_000_000, 4002]);
  });
});
