/** A provider is a folder: put one in a directory and it is there, with no other file changed; a manifest is enough. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ROLE } from "../../../contract/src/roles.ts";
import { startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { newChannel, startTestRelay } from "../../../tests/support/relay/harness.ts";
import { openTestConsole } from "../../../tests/support/systems/console.ts";
import { BUILT_IN_PROVIDERS, loadProviders } from "./registry.ts";

/** One vendor, whose folder holds a manifest alone. */
const MORE_PROVIDERS = fileURLToPath(new URL("../../../tests/support/one-manifest-provider/", import.meta.url));
const ACME = 4712;

test("the built-in folders are all there, by type", async () => {
  const registry = await loadProviders();
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
  ]);
  expect(registry.byType(1)?.manifest.name).toBe("OpenAI");
  expect(registry.byType(4711)).toBeUndefined();
});

describe("a vendor that is one manifest of fewer than 40 lines", () => {
  test("is one", async () => {
    const text = await readFile(join(MORE_PROVIDERS, "acme/manifest.ts"), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThan(40);
  });

  test("has a call relayed to its address, with its key and without the field it refuses", async () => {
    const providers = await loadProviders([BUILT_IN_PROVIDERS, MORE_PROVIDERS]);
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

  test("is not told the organization of another vendor that its channel had before", async () => {
    const provider = (await loadProviders([MORE_PROVIDERS])).byType(ACME);
    const channel = { baseUrl: "https://api.acme.example/api/v3", key: "k", other: "", openaiOrganization: "org-1" };
    const call = { operation: "chat", dialect: "openai-chat", path: "/v1/chat/completions", model: "m" } as const;
    expect(provider?.endpoint(channel, { ...call, isStream: false, headers: {} })).toEqual({
      url: "https://api.acme.example/api/v3/chat/completions",
      headers: ["authorization", "Bearer k"],
    });
  });

  test("has its failures read as those of any vendor of its format", async () => {
    const provider = (await loadProviders([MORE_PROVIDERS])).byType(ACME);
    const failure = provider?.failure(429, '{"error":{"message":"slow down","type":"rate_limit","code":"rate"}}', {});
    expect(failure).toMatchObject({ kind: "rate", isRetryable: true, message: "slow down" });
  });

  test("is in the channel form and in /api/models", async () => {
    const providers = (await loadProviders([BUILT_IN_PROVIDERS, MORE_PROVIDERS])).all;
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

describe("a folder that is not as it must be stops the start", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "turnpike-providers-"));
    await cp(join(MORE_PROVIDERS, "acme"), join(directory, "acme"), { recursive: true });
  });
  afterEach(() => rm(directory, { recursive: true }));

  test("with a file that lacks what it is there for", async () => {
    await writeFile(join(directory, "acme", "endpoint.ts"), "export const address = 1;\n");
    await expect(loadProviders([directory])).rejects.toThrow("endpoint.ts does not export endpoint");
  });

  test("without a manifest, or with one that names no channel type", async () => {
    await rm(join(directory, "acme", "manifest.ts"));
    await expect(loadProviders([directory])).rejects.toThrow("manifest.ts");
    await rm(join(directory, "acme"), { recursive: true });
    await mkdir(join(directory, "nameless"));
    await writeFile(join(directory, "nameless", "manifest.ts"), "export const manifest = {};\n");
    await expect(loadProviders([directory])).rejects.toThrow("no manifest with a channel type");
  });

  test("with a channel type that is taken", async () => {
    await expect(loadProviders([BUILT_IN_PROVIDERS, BUILT_IN_PROVIDERS])).rejects.toThrow("channel type 1");
  });
});
