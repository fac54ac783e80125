/** The console's channel test and model list go through provider and client, and cost nothing. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { loadProviders } from "../providers/registry.ts";
import { type UpstreamClient, createUpstreamClient } from "../upstream/client.ts";
import { type ChannelTester, createChannelTester } from "./tester.ts";
import { type World, memorySnapshot, newChannel, newWorld } from "./testing.ts";

let upstream: FakeUpstream;
let client: UpstreamClient;
let world: World;
let tester: ChannelTester;
let allowsPrivate = true;

beforeEach(async () => {
  allowsPrivate = true;
  upstream = await startFakeUpstream({ key: "sk-right", models: ["b", "a", "models/c"] });
  client = createUpstreamClient({ allowsPrivate: () => allowsPrivate, connectTimeoutMs: 1000 });
  world = newWorld({ channels: [newChannel({ baseUrl: upstream.url, key: "sk-right" })] });
  tester = createChannelTester({ snapshot: memorySnapshot(world), providers: await loadProviders(), upstream: client });
});

afterEach(async () => {
  await client.close();
  await upstream.close();
});

test("a channel is tested with the wanted model, its own, or its first", async () => {
  expect(await tester.testChannel(1)).toMatchObject({ ok: true, message: "" });
  world.channels = [
    newChannel({ baseUrl: upstream.url, key: "sk-right", testModel: "o1", modelMapping: { o1: "o3-mini" } }),
  ];
  expect(await tester.testChannel(1)).toMatchObject({ ok: true });
  expect(await tester.testChannel(1, "text-embedding-3-small")).toMatchObject({ ok: true });
  expect(
    upstream.requests.map(({ json }) => [json?.["model"], json?.["max_tokens"], json?.["max_completion_tokens"]]),
  ).toEqual([
    ["gpt-4o", 10, undefined],
    ["o3-mini", undefined, 10],
    ["text-embedding-3-small", undefined, undefined],
  ]);
});

test("what went wrong is said, without the key", async () => {
  world.channels = [newChannel({ baseUrl: upstream.url, key: "sk-wrong" })];
  expect(await tester.testChannel(1)).toMatchObject({ ok: false, message: "Incorrect API key provided." });
  expect(await tester.testChannel(2)).toMatchObject({ ok: false, message: "The channel does not exist." });
  world.channels = [newChannel({ baseUrl: upstream.url, key: "sk-right" })];
  upstream.next({ rawBody: "{}" });
  expect((await tester.testChannel(1)).ok).toBe(false);
  allowsPrivate = false;
  await client.close();
  client = createUpstreamClient({ allowsPrivate: () => false, connectTimeoutMs: 1000 });
  tester = createChannelTester({ snapshot: memorySnapshot(world), providers: await loadProviders(), upstream: client });
  expect((await tester.testChannel(1)).message).toContain("AllowPrivateUpstreamsEnabled");
});

test("models are fetched before the channel is saved", async () => {
  const unsaved = { type: 1, baseUrl: upstream.url, key: "sk-right", other: "", openaiOrganization: "", proxy: "" };
  expect(await tester.fetchUpstreamModels(unsaved)).toEqual(["a", "b", "c"]);
  await expect(tester.fetchUpstreamModels({ ...unsaved, key: "x" })).rejects.toThrow("Incorrect API key");
  await expect(tester.fetchUpstreamModels({ ...unsaved, type: 999 })).rejects.toThrow("not known");
});
