/** Embeddings, token counts and pictures between Google's and OpenAI's formats, with the libraries of both. */
import { GoogleGenAI, ImagePromptLanguage, PersonGeneration, SafetyFilterLevel } from "@google/genai";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { newChannel, newWorld, startTestRelay, TEST_KEY, type TestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";

interface Scene {
  upstream: FakeUpstream;
  relay: TestRelay;
  google: GoogleGenAI;
  /** The library has its call for pictures for Google's enterprise platform alone. */
  enterprise: GoogleGenAI;
  openai: OpenAI;
}

let open: Scene | undefined;

async function openScene(type: number, model: string): Promise<Scene> {
  const upstream = await startFakeUpstream({ key: "upstream-secret" });
  const world = newWorld({
    channels: [newChannel({ type, key: "upstream-secret", baseUrl: upstream.url, models: new Set([model]) })],
  });
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(model, price);
  const relay = await startTestRelay({ world, providers: providerRegistry() });
  const google = new GoogleGenAI({ apiKey: `sk-${TEST_KEY}`, httpOptions: { baseUrl: relay.url } });
  const enterprise = new GoogleGenAI({
    vertexai: true,
    apiKey: `sk-${TEST_KEY}`,
    httpOptions: { baseUrl: relay.url },
  });
  const openai = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  open = { upstream, relay, google, enterprise, openai };
  return open;
}

afterEach(async () => {
  await open?.relay.close();
  await open?.upstream.close();
});

test("OpenAI's library embeds with a model of Google's, also in base64", async () => {
  const { openai, upstream } = await openScene(24, "gemini-embedding-001");
  // The library asks for base64 by default and decodes it.
  const { data, usage, model } = await openai.embeddings.create({
    model: "gemini-embedding-001",
    input: ["a", "b"],
    dimensions: 3,
  });
  expect(data.map(({ embedding, index }) => [embedding.length, index])).toEqual([
    [3, 0],
    [3, 1],
  ]);
  expect(data[1]?.embedding[2]).toBe(1);
  expect(usage.prompt_tokens).toBeGreaterThan(0);
  expect(model).toBe("gemini-embedding-001");
  expect(upstream.requests[0]?.path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
  const tokens = openai.embeddings.create({ model: "gemini-embedding-001", input: [1, 2] });
  await expect(tokens).rejects.toMatchObject({ status: 400, param: "input[0]" });
});

test("Google's library embeds with a model of OpenAI's", async () => {
  const { google, upstream } = await openScene(1, "text-embedding-3-small");
  const { embeddings } = await google.models.embedContent({
    model: "text-embedding-3-small",
    contents: ["a", "b"],
    config: { outputDimensionality: 3 },
  });
  expect(embeddings?.map(({ values }) => values?.[2])).toEqual([0, 1]);
  expect(upstream.requests[0]?.json).toEqual({
    model: "text-embedding-3-small",
    input: ["a", "b"],
    encoding_format: "float",
    dimensions: 3,
  });
});

test("OpenAI's library asks Imagen for pictures", async () => {
  const { openai, upstream } = await openScene(24, "imagen-4.0-generate-001");
  const { data } = await openai.images.generate({
    model: "imagen-4.0-generate-001",
    prompt: "a cat",
    n: 2,
    size: "1792x1024",
    response_format: "b64_json",
  });
  expect(data).toHaveLength(2);
  expect(data?.[0]?.b64_json).toMatch(/^iVBOR/);
  expect(upstream.requests[0]?.path).toBe("/v1beta/models/imagen-4.0-generate-001:predict");
  expect(upstream.requests[0]?.json).toEqual({
    instances: [{ prompt: "a cat" }],
    parameters: { sampleCount: 2, aspectRatio: "16:9" },
  });
});

describe("pictures for Google's library", () => {
  const model = "imagen-4.0-generate-001";
  const prompt = "a cat";

  /** Every setting of the library that Google's own interface for developers takes as well. */
  const config = {
    numberOfImages: 2,
    aspectRatio: "16:9",
    guidanceScale: 3,
    safetyFilterLevel: SafetyFilterLevel.BLOCK_LOW_AND_ABOVE,
    personGeneration: PersonGeneration.ALLOW_ADULT,
    includeSafetyAttributes: true,
    includeRaiReason: true,
    language: ImagePromptLanguage.en,
    outputMimeType: "image/jpeg",
    outputCompressionQuality: 80,
    imageSize: "2K",
  };

  test("Imagen is called in the library's own format", async () => {
    const { enterprise, upstream, relay } = await openScene(24, model);
    const { generatedImages } = await enterprise.models.generateImages({ model, prompt, config });
    expect(generatedImages?.map(({ image }) => [image?.mimeType, image?.imageBytes?.slice(0, 5)])).toEqual([
      ["image/png", "iVBOR"],
      ["image/png", "iVBOR"],
    ]);
    expect(upstream.requests[0]?.path).toBe(`/v1beta/models/${model}:predict`);
    expect(upstream.requests[0]?.json).toMatchObject({ instances: [{ prompt }], parameters: { sampleCount: 2 } });
    expect(relay.billing.settlements).toHaveLength(1);
  });

  test("a model of OpenAI's is asked for what it can, and the rest is named in the header", async () => {
    const { enterprise, upstream } = await openScene(1, "gpt-image-2");
    const { generatedImages, sdkHttpResponse } = await enterprise.models.generateImages({
      model: "gpt-image-2",
      prompt,
      config: { ...config, seed: 7, enhancePrompt: false, addWatermark: false, labels: { team: "a" } },
    });
    expect(generatedImages?.map(({ image }) => image?.imageBytes?.slice(0, 5))).toEqual(["iVBOR", "iVBOR"]);
    expect(upstream.requests[0]?.json).toEqual({
      model: "gpt-image-2",
      prompt,
      n: 2,
      size: "2560x1440",
      output_format: "jpeg",
      output_compression: 80,
    });
    const warned = sdkHttpResponse?.headers?.["turnpike-warnings"] ?? "";
    const unsaid = "guidanceScale safetySetting personGeneration includeSafetyAttributes includeRaiReason language";
    for (const name of [...unsaid.split(" "), "seed", "enhancePrompt", "addWatermark"])
      expect(warned).toContain(`parameters.${name}: `);
    expect(warned).toContain("labels: ");
  });

  test.each([
    [{ negativePrompt: "dogs" }, "parameters.negativePrompt"],
    [{ outputGcsUri: "gs://bucket" }, "parameters.storageUri"],
    [{ personGeneration: PersonGeneration.DONT_ALLOW }, "parameters.personGeneration"],
    [{ numberOfImages: 11 }, "parameters.sampleCount"],
  ])("what would make another picture of it is refused by its name: %j", async (settings, name) => {
    const { enterprise, upstream } = await openScene(1, "gpt-image-2");
    const asked = enterprise.models.generateImages({ model: "gpt-image-2", prompt, config: settings });
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining(name) });
    expect(upstream.count).toBe(0);
  });

  test("the library's conversations at the same platform are answered, whole and streamed", async () => {
    const { enterprise, upstream } = await openScene(24, "gemini-2.5-flash");
    upstream.plan({ text: "Hello there" });
    const asked = { model: "gemini-2.5-flash", contents: "hi" };
    expect((await enterprise.models.generateContent(asked)).text).toBe("Hello there");
    let text = "";
    for await (const piece of await enterprise.models.generateContentStream(asked)) text += piece.text ?? "";
    expect(text).toBe("Hello there");
  });
});

test("tokens of a conversation with a model of another vendor are counted here", async () => {
  const { google, upstream } = await openScene(1, "gpt-4o");
  const { totalTokens } = await google.models.countTokens({ model: "gpt-4o", contents: "hello there, how are you?" });
  expect(totalTokens).toBeGreaterThan(0);
  expect(upstream.requests).toHaveLength(0);
});
