/** The console's own requests to cloud platforms, made as calls are: channel tests and model lists, with their signatures and tokens. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChannelTools } from "../../server/src/composition/channel-tools.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { accountKey, currentToken } from "../support/providers/google-account.ts";
import { type RunningVendor, ownVendors, startHttpVendor } from "../support/providers/own-vendor.ts";
import { signedBy } from "../support/providers/sigv4.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";
import { memoryTokens } from "../support/relay/memory-stores.ts";

const [AZURE, AWS, VERTEX] = [3, 33, 41] as const;

let relay: TestRelay;
let tools: ReturnType<typeof createChannelTools>;

beforeAll(async () => {
  const providers = providerRegistry();
  relay = await startTestRelay({ providers });
  const { upstream, probe } = relay;
  const accessTokens = memoryTokens();
  tools = createChannelTools({ providers, upstream, probe, accessTokens, allowsPrivate: () => true });
});
afterAll(() => relay.close());

const vendors = (await ownVendors()).filter(({ type }) => [AZURE, AWS, VERTEX].some((each) => each === type));

test.each(vendors.map((vendor) => [vendor.name, vendor] as const))("a channel of %s is tested", async (_, vendor) => {
  const { type, key, other = "", model } = vendor;
  const running = await vendor.start();
  const channel = newChannel({ type, key, other, baseUrl: running.url, models: new Set([model]) });
  const result = await tools.testChannel(channel, "", undefined);
  expect([result.message, result.isSuccess, running.complaints]).toEqual(["", true, []]);
  running.failing = 0;
  expect(await tools.testChannel(channel, "", undefined)).toMatchObject({
    isSuccess: false,
    failure: { kind: "auth" },
  });
  await running.close();
});

/** The names in the list of a vendor that answers it. */
async function listed(type: number, key: string, other: string, vendor: RunningVendor): Promise<readonly string[]> {
  const names = await tools.fetchUpstreamModels({ type, baseUrl: vendor.url, key, other, openaiOrganization: "" });
  await vendor.close();
  return names;
}

test("Azure's list is that of the resource, with the channel's version", async () => {
  const vendor = await startHttpVendor(({ path, headers }, response) => {
    const isRight = path === "/openai/models?api-version=2024-10-21" && headers["api-key"] === "k";
    response.writeHead(isRight ? 200 : 404).end(JSON.stringify({ data: [{ id: "gpt-4o" }] }));
  });
  expect(await listed(AZURE, "k", "2024-10-21", vendor)).toEqual(["gpt-4o"]);
});

test("Bedrock's list is signed with its query", async () => {
  const vendor = await startHttpVendor(({ path, headers, body }, response) => {
    const [host = "", date = ""] = [headers.host, String(headers["x-amz-date"])];
    const parts = { method: "GET", path: "/foundation-models", query: "byOutputModality=TEXT", host, date, body };
    const expected = signedBy("AKIDEXAMPLE", "secret", "eu-west-1", "bedrock", parts);
    const isRight = path === "/foundation-models?byOutputModality=TEXT" && headers.authorization === expected;
    const modelId = "anthropic.claude-opus-4-6-v1";
    response.writeHead(isRight ? 200 : 403).end(JSON.stringify({ modelSummaries: [{ modelId }] }));
  });
  expect(await listed(AWS, "AKIDEXAMPLE|secret|eu-west-1", "", vendor)).toEqual(["claude-opus-4-6"]);
});

test("Vertex's list is asked for with a token and its project", async () => {
  const vendor = await startHttpVendor(({ path, headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${currentToken()}`;
    const isRight = path.startsWith("/v1beta1/publishers/google/models") && isKnown;
    const isOurs = headers["x-goog-user-project"] === "my-project";
    const publisherModels = [{ name: "publishers/google/models/gemini-2.5-pro" }];
    response.writeHead(isRight && isOurs ? 200 : 403).end(JSON.stringify({ publisherModels }));
  });
  expect(await listed(VERTEX, accountKey(), "global", vendor)).toEqual(["gemini-2.5-pro"]);
});
