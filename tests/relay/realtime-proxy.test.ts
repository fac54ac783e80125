/** Realtime sessions that reach their upstream by way of another server: a proxy, whose refusal is the channel's failure, or another gateway. */
import { afterEach, describe, expect, test } from "vitest";
import { type ProxyManners, type TestProxy, startHttpProxy, startSocksProxy } from "../support/systems/proxies.ts";
import { AUTH, MODEL, RealtimeScene, SPOKEN_CHARGE, UPSTREAM_KEY } from "../support/relay/realtime.ts";
import { withOptions } from "../support/relay/harness.ts";

const scene = new RealtimeScene();
const proxies: TestProxy[] = [];
afterEach(() => {
  for (const proxy of proxies.splice(0)) proxy.close();
});

/** Gives the channel a proxy with these manners, whose login is known to it. */
async function behind(
  start: (manners?: ProxyManners) => Promise<TestProxy>,
  scheme: string,
  manners: ProxyManners = {},
): Promise<TestProxy> {
  const proxy = await start({ login: "me:proxy-secret", ...manners });
  proxies.push(proxy);
  const [channel] = scene.relay.world.channels;
  const url = `${scheme}://me:proxy-secret@127.0.0.1:${proxy.port}`;
  scene.relay.world.channels[0] = { ...channel, setting: { proxy: url } } as never;
  return proxy;
}

const KINDS = [
  ["http", startHttpProxy, 502],
  ["socks5", startSocksProxy, 1],
] as const;

describe.each(KINDS)("with a proxy of %s", (scheme, start, refusal) => {
  test("a session runs through it and is charged", async () => {
    const proxy = await behind(start, scheme);
    const client = await scene.opened();
    await client.answer();
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${scene.upstream.port}`]);
    expect(scene.upstream.sockets).toHaveLength(1);
    expect(scene.charges).toEqual([SPOKEN_CHARGE]);
  });

  test.each([
    ["wants another login", { login: "me:other" }, /refused/],
    ["refuses", { refuses: refusal }, /refused/],
    ["hangs", { fault: "hangs" }, /took too long/],
    ["resets", { fault: "resets" }, /connect/],
    ["ends", { fault: "ends" }, /closed the connection/],
  ] as const)(
    "that %s the call goes to the next channel, and its credentials are not shown",
    async (_name, manners, reason) => {
      await scene.restart({ timeouts: { connectMs: 1_000 } });
      withOptions(scene.relay.world, { RetryTimes: 1 });
      const direct = scene.relay.world.channels[0];
      await behind(start, scheme, manners);
      scene.relay.world.channels.push({ ...direct, id: 2, priority: -1 } as never);
      const client = await scene.opened();
      await client.answer();
      const [row] = scene.rows;
      expect(row).toMatchObject({ channelId: 2, receipt: { admin_info: { use_channel: [1, 2] } } });
      const told = JSON.stringify(scene.relay.billing.rows);
      expect(told).toMatch(reason);
      expect(told).not.toContain("proxy-secret");
    },
  );

  test("that refuses, and no other channel, is reported as an unreachable channel", async () => {
    await behind(start, scheme, { refuses: refusal });
    const { status, body } = await scene.refused();
    expect(status).toBe(502);
    expect(body).not.toContain("proxy-secret");
    expect(scene.upstream.sockets).toHaveLength(0);
    expect(scene.relay.billing.holds.size).toBe(0);
  });
});

test("a private address is not reached through a proxy while those are not allowed", async () => {
  await scene.restart({ allowsPrivate: false });
  const proxy = await behind(startHttpProxy, "http");
  expect((await scene.refused()).status).toBe(502);
  expect(proxy.asked).toEqual([]);
});

test("a session passes through another gateway of the API family, with its key as a bearer token", async () => {
  const baseUrl = `${scene.upstream.url}/v1`;
  scene.relay.world.channels[0] = { ...scene.relay.world.channels[0], type: 60, baseUrl } as never;
  const client = await scene.opened([], AUTH);
  await client.answer();
  expect(scene.seen.path).toBe(`/v1/realtime?model=${MODEL}`);
  expect(scene.seen.headers["authorization"]).toBe(`Bearer ${UPSTREAM_KEY}`);
  expect(scene.charges).toEqual([SPOKEN_CHARGE]);
});
