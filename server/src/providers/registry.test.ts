/** The list of providers, and a vendor in one short file: relay, channel form and /api/models need no other change. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ROLE } from "../../../contract/src/roles.ts";
import { startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { acme } from "../../../tests/support/more-providers/acme.ts";
import { newChannel, startTestRelay } from "../../../tests/support/relay/harness.ts";
import { openTestConsole } from "../../../tests/support/systems/console.ts";
import { openaiStyleBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";
import { BUILT_IN_PROVIDERS, providerRegistry } from "./registry.ts";

const ACME = acme.manifest.id;

test("the built-in providers are all there, by type", () => {
  const registry = providerRegistry();
  expect(registry.all.map(({ manifest }) => [manifest.id, manifest.slug])).toEqual([
    [1, "openai"],
    [2, "midjourney"],
    [3, "azure"],
    [4, "ollama"],
    [5, "midjourney-plus"],
    [8, "custom"],
    [11, "palm"],
    [14, "anthropic"],
    [15, "wenxin"],
    [16, "zhipu-v3"],
    [17, "alibaba"],
    [18, "spark"],
    [19, "qihoo-360"],
    [20, "openrouter"],
    [21, "aiproxy-library"],
    [22, "fastgpt"],
    [23, "tencent"],
    [24, "gemini"],
    [25, "moonshot"],
    [26, "zhipu-v4"],
    [27, "perplexity"],
    [31, "lingyiwanwu"],
    [33, "aws"],
    [34, "cohere"],
    [35, "minimax"],
    [36, "suno"],
    [37, "dify"],
    [38, "jina"],
    [39, "cloudflare"],
    [40, "siliconflow"],
    [41, "vertex"],
    [42, "mistral"],
    [43, "deepseek"],
    [44, "moka"],
    [45, "volcengine"],
    [46, "qianfan"],
    [47, "xinference"],
    [48, "xai"],
    [49, "coze"],
    [50, "kling"],
    [51, "jimeng"],
    [52, "vidu"],
    [54, "doubao-video"],
    [55, "sora"],
    [59, "sub2api"],
    [60, "new-api"],
  ]);
  expect(registry.byType(1)?.manifest.name).toBe("OpenAI");
  expect(registry.byType(4711)).toBeUndefined();
});

describe("a vendor that is one file of fewer than 40 lines", () => {
  test("is one", async () => {
    const text = await readFile(new URL("../../../tests/support/more-providers/acme.ts", import.meta.url), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThan(40);
  });

  test("has a call relayed to its address, with its key and without the field it refuses", async () => {
    const providers = providerRegistry([...BUILT_IN_PROVIDERS, acme]);
    const upstream = await startFakeUpstream();
    const relay = await startTestRelay({ providers });
    relay.world.channels = [newChannel({ type: ACME, baseUrl: upstream.url, key: "acme-key" })];
    const call = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], logit_bias: { 7: 1 }, top_k: 5 };
    const answer = await relay.post("/v1/chat/completions", call);
    expect([answer.status, upstream.requests[0]?.path]).toEqual([200, "/api/v3/chat/completions"]);
    expect(upstream.requests[0]?.headers["authorization"]).toBe("Bearer acme-key");
    expect(upstream.requests[0]?.json).toMatchObject({ model: "gpt-4o", top_k: 5 });
    expect(upstream.requests[0]?.json).not.toHaveProperty("logit_bias");
    expect(answer.headers.get("turnpike-warnings")).toContain("logit_bias");
    await relay.close();
    await upstream.close();
  });

  test("does not get the organization of another vendor that its channel had before", () => {
    const channel = { baseUrl: "https://api.acme.example/api/v3", key: "k", other: "", openaiOrganization: "org-1" };
    const call = { operation: "chat", dialect: "openai-chat", path: "/v1/chat/completions", model: "m" } as const;
    expect(acme.endpoint(channel, { ...call, isStream: false, headers: {} })).toEqual({
      url: "https://api.acme.example/api/v3/chat/completions",
      headers: ["authorization", "Bearer k"],
    });
  });

  test("has its failures read as those of any vendor of its format", () => {
    const failure = acme.failure(429, '{"error":{"message":"slow down","type":"rate_limit","code":"rate"}}', {});
    expect(failure).toMatchObject({ kind: "rate", isRetryable: true, message: "slow down" });
  });

  test("is in the channel form and in /api/models", async () => {
    const providers = [...BUILT_IN_PROVIDERS, acme];
    const site = await openTestConsole("sqlite", { providers });
    const admin = await site.person(ROLE.admin);
    const rows = await admin.data<{ id: number }[]>("GET", "/api/channel/providers");
    expect(rows.find(({ id }) => id === ACME)).toMatchObject({
      name: "Acme",
      default_base_url: "https://api.acme.example",
      fields: [{ name: "base_url", is_required: false }],
    });
    const models = await admin.data<Record<string, string[]>>("GET", "/api/models");
    expect(models[ACME]).toEqual(["acme-large", "acme-small"]);
    await site.close();
  });
});

test("the list is in the order of channel types, and names each provider once", () => {
  const types = BUILT_IN_PROVIDERS.map(({ manifest }) => manifest.id);
  expect(types).toEqual([...new Set(types)].toSorted((a, b) => a - b));
  const slugs = BUILT_IN_PROVIDERS.map(({ manifest }) => manifest.slug);
  expect(new Set(slugs).size).toBe(slugs.length);
});

test("two providers of one channel type stop the start", () => {
  expect(() => providerRegistry([...BUILT_IN_PROVIDERS, { ...acme, manifest: { ...acme.manifest, id: 1 } }])).toThrow(
    "two providers have the channel type 1: acme and openai",
  );
});

test("a part that no provider has is an error of types", () => {
  const { id, slug, name, defaultBaseUrl } = acme.manifest;
  // @ts-expect-error: the part is called `balance`
  const misspelt = defineProvider({ id, slug, name, defaultBaseUrl, balence: openaiStyleBalance });
  expect(misspelt.balance).toBeUndefined();
});
