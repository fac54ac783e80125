/** Tests of the doctor against a real relay: no finding where all is well, and each planted fault is named, for every family of programs. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Family } from "../../contract/src/connect/program.ts";
import type { Patient } from "../../contract/src/doctor/calls.ts";
import { examine, type Transport } from "../../contract/src/doctor/examine.ts";
import { httpTransport } from "../../contract/src/doctor/http-transport.ts";
import { baseOf, type Step } from "../../contract/src/doctor/steps.ts";
import { openSocket } from "../../tools/doctor/socket.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../fake-upstream/plan.ts";
import { canStart, freePort } from "../support/databases/own-engines.ts";
import { newChannel, newToken, startTestRelay, TEST_KEY, type TestRelay } from "../support/relay/harness.ts";
import { type ProxyFault, startFaultyProxy } from "../support/systems/faulty-proxy.ts";
import { startNginx } from "../support/systems/reverse-proxies.ts";

const MODEL = "gpt-4o";
const FAMILIES: readonly Family[] = ["messages", "responses", "gemini", "chat"];

let upstream: FakeUpstream;
let relay: TestRelay;

const transport: Transport = {
  ...httpTransport((url, init) => fetch(url, init), { nowMs: Date.now, tickMs: () => performance.now() }),
  openSocket,
};

/** A stream that takes long enough to be judged. */
const STREAM_MS = 900;
let isSlow = false;
/** Words of that stream: a few, or as many as fill the buffers of a proxy several times. */
let words = 12;
const MANY_WORDS = 120;

/** An answer in pieces, and the call of the tool where one is offered. */
const plan = (seen: SeenRequest): Plan => {
  const body = seen.body.toString();
  if (body.includes("weather_of")) return { toolCalls: [{ name: "weather_of", arguments: '{"city":"Lisbon"}' }] };
  const chunkDelayMs = isSlow && body.includes("Count from") ? STREAM_MS / words : 0;
  return { text: "seventeen, ".repeat(words), chunks: words, chunkDelayMs };
};

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay();
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.plan(plan);
  isSlow = false;
  words = 12;
  const { world } = relay;
  world.tokens.set(TEST_KEY, newToken());
  world.channels = [newChannel({ baseUrl: upstream.url })];
});

/** What each step was found to be. */
async function findings(family: Family, change: Partial<Patient> = {}): Promise<Partial<Record<Step, string>>> {
  const patient = { family, base: baseOf(family, relay.url), key: `sk-${TEST_KEY}`, model: MODEL, ...change };
  const results = await examine(patient, transport);
  return Object.fromEntries(results.map(({ observation, finding }) => [observation.step, finding.id]));
}

/** The same through a proxy with this fault. */
async function through(fault: ProxyFault, family: Family): Promise<Partial<Record<Step, string>>> {
  const proxy = await startFaultyProxy(relay.url, fault);
  try {
    return await findings(family, { base: baseOf(family, proxy.url) });
  } finally {
    await proxy.close();
  }
}

/** The same through an nginx with these lines for its location; it speaks HTTP/1.0 to the relay, its default, where they do not say otherwise. */
async function throughNginx(lines: string, family: Family): Promise<Partial<Record<Step, string>>> {
  const port = await freePort();
  const location = `proxy_pass ${relay.url}; ${lines}`;
  const server = `server { listen 127.0.0.1:${port}; client_max_body_size 64m; location / { ${location} } }`;
  const proxy = await startNginx(server, port);
  try {
    return await findings(family, { base: baseOf(family, `http://127.0.0.1:${port}`) });
  } finally {
    await proxy.stop();
  }
}

const FINE = { models: "fine", size: "fine", plain: "fine", stream: "fine", tool: "fine" } as const;
const ALL_FINE: Readonly<Record<Family, object>> = {
  messages: { head: "fine", ...FINE },
  responses: { ...FINE, socket: "fine" },
  gemini: FINE,
  chat: FINE,
};

describe.each(FAMILIES)("the doctor of %s", (family) => {
  it("finds nothing where nothing is wrong, and holds nothing afterwards", async () => {
    isSlow = true;
    expect(await findings(family)).toMatchObject(ALL_FINE[family]);
    expect(relay.billing.holds.size).toBe(0);
  });

  it("finds nothing behind a proxy without a fault, but for the socket that it does not hand on", async () => {
    isSlow = true;
    const { socket, ...found } = await through("none", family);
    const { socket: _, ...fine } = ALL_FINE[family] as Record<string, string>;
    expect(found).toMatchObject(fine);
    expect(socket).toBe(family === "responses" ? "socket_to_http" : undefined);
  });

  it("names a proxy that holds streams back", async () => {
    isSlow = true;
    expect(await through("buffers", family)).toMatchObject({ plain: "fine", stream: "buffered_stream" });
  });

  it.runIf(canStart("nginx")).each([
    ["a short stream", 12],
    ["one that fills its buffers", MANY_WORDS],
  ])("names an nginx that holds %s back, and none that buffers as far as it is asked to", async (_name, count) => {
    [isSlow, words] = [true, count];
    const buffers = "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;";
    expect(await throughNginx(buffers, family)).toMatchObject({ plain: "fine", stream: "buffered_stream" });
    for (const lines of ["", "proxy_buffering off;"])
      expect(await throughNginx(lines, family)).toMatchObject({ plain: "fine", stream: "fine" });
  });

  it("names a proxy that takes small bodies only", async () => {
    expect(await through("small_bodies", family)).toMatchObject({ size: "proxy_body_limit", plain: "fine" });
  });

  it("names a proxy that cuts streams off", async () => {
    expect(await through("cuts_streams", family)).toMatchObject({ stream: "cut_stream" });
  });

  it("names a proxy that drops the key, and goes no further", async () => {
    const found = await through("drops_key", family);
    expect(found["models"]).toBe("key_missing");
    expect(found).not.toHaveProperty("plain");
  });

  it("tells another site's page and a redirect from the gateway", async () => {
    expect((await through("login_page", family))["models"]).toBe("foreign_answer");
    expect((await through("redirects", family))["models"]).toBe("redirected");
  });

  it("names a disabled, an expired and an unknown key", async () => {
    relay.world.tokens.set(TEST_KEY, newToken({ status: 2 }));
    expect((await findings(family))["models"]).toBe("key_disabled");
    relay.world.tokens.set(TEST_KEY, newToken({ expiredTime: 1 }));
    expect((await findings(family))["models"]).toBe("key_expired");
    expect((await findings(family, { key: "sk-unknown" }))["models"]).toBe("key_wrong");
  });

  it("names an address that the token does not allow, and a model that it does not", async () => {
    relay.world.tokens.set(TEST_KEY, newToken({ modelLimits: new Set(["gpt-4o-mini"]) }));
    expect(await findings(family)).toMatchObject({ models: "model_not_listed", plain: "model_not_allowed" });
    relay.world.tokens.set(TEST_KEY, newToken({ isAddressAllowed: () => false }));
    expect(Object.values(await findings(family))).toContain("address_not_allowed");
  });

  it("names a model that no channel serves", async () => {
    relay.world.channels = [newChannel({ baseUrl: upstream.url, status: 2 })];
    expect(Object.values(await findings(family))).toContainEqual(
      expect.stringMatching(/^(?:no_channel|model_unknown)$/),
    );
  });

  it("names a wrong base path: /v1 twice, /v1 missing, or another path", async () => {
    const isVersioned = family === "chat" || family === "responses";
    const base = isVersioned ? relay.url : `${relay.url}/v1`;
    expect((await findings(family, { base }))["models"]).toBe(isVersioned ? "missing_version" : "doubled_version");
    const elsewhere = isVersioned ? `${relay.url}/api/v1` : `${relay.url}/api`;
    expect((await findings(family, { base: elsewhere }))["models"]).toBe("wrong_path");
  });

  it("names an address at which nothing answers", async () => {
    const found = await findings(family, { base: baseOf(family, "http://127.0.0.1:9") });
    expect(found["models"]).toBe("unreachable");
    expect(found).not.toHaveProperty("plain");
  });

  it("names a model without tools", async () => {
    upstream.plan({ text: "It rains." });
    expect((await findings(family))["tool"]).toBe("no_tool_call");
  });

  it("names an upstream that refuses its channel's key", async () => {
    upstream.plan({ status: 401, error: { message: "no", type: "authentication_error" } });
    expect((await findings(family))["plain"]).toBe("upstream_refused");
  });
});
