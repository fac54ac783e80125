/** OpenAI's own library beside chat: embeddings, pictures and moderations, against an upstream that checks every field, with what each costs. */
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PIXEL } from "./matrix.ts";
import { type OperationScene, openOperations } from "./operation-scene.ts";

let scene: OperationScene;

beforeEach(async () => {
  scene = await openOperations(1);
});
afterEach(() => scene.close());

const png = Buffer.from(PIXEL, "base64");

describe("embeddings", () => {
  const model = "text-embedding-3-small";

  test("of one text: the library asks for base64 by default and decodes it", async () => {
    scene.upstream.plan({ usage: { prompt_tokens: 1000, total_tokens: 1000 } });
    const { data, usage } = await scene.openai.embeddings.create({ model, input: "hello" });
    expect(scene.seen().json).toEqual({ model, input: "hello", encoding_format: "base64" });
    expect(data).toHaveLength(1);
    expect(data[0]?.embedding[0]).toBeCloseTo(0.0023064255);
    expect(usage).toEqual({ prompt_tokens: 1000, total_tokens: 1000 });
    // 1000 x 0.01
    expect(scene.charges).toEqual([10]);
  });

  test("of a batch, as floats and in a chosen size", async () => {
    const input = ["one", "two", "three"];
    const { data } = await scene.openai.embeddings.create({ model, input, dimensions: 256, encoding_format: "float" });
    expect(data.map(({ index, embedding }) => [index, embedding.length, embedding[2]])).toEqual([
      [0, 256, 0],
      [1, 256, 1],
      [2, 256, 2],
    ]);
    expect(scene.seen().json).toEqual({ model, input, dimensions: 256, encoding_format: "float" });
  });

  test("of texts that are tokens already", async () => {
    const { data } = await scene.openai.embeddings.create({ model, input: [[1, 2], [3]] });
    expect(data).toHaveLength(2);
    expect((await scene.openai.embeddings.create({ model, input: [1, 2, 3] })).data).toHaveLength(1);
  });

  test("a refusal of the vendor is the library's error, and costs nothing", async () => {
    const wrong = scene.openai.embeddings.create({ model, input: ["a", ""] });
    await expect(wrong).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect(scene.charges).toEqual([]);
    expect(scene.relay.billing.holds.size).toBe(0);
  });
});

describe("pictures", () => {
  const model = "gpt-image-1";

  test("are made with every setting", async () => {
    const settings = {
      background: "transparent",
      moderation: "low",
      output_compression: 80,
      output_format: "webp",
      quality: "high",
      size: "1536x1024",
      user: "someone",
    } as const;
    const { data, usage } = await scene.openai.images.generate({ model, prompt: "a lighthouse", n: 2, ...settings });
    expect(scene.seen().json).toEqual({ model, prompt: "a lighthouse", n: 2, ...settings });
    expect(data?.map(({ b64_json: text }) => text?.slice(0, 5))).toEqual(["iVBOR", "iVBOR"]);
    expect(usage?.output_tokens).toBe(2112);
    // (10 words + 40 of pictures x 2 + 2112 x 8) x 2.5
    expect(scene.charges).toEqual([42_465]);
  });

  test("come in parts as they are made", async () => {
    const stream = await scene.openai.images.generate({ model, prompt: "x", stream: true, partial_images: 2 });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type }) => type)).toEqual([
      "image_generation.partial_image",
      "image_generation.partial_image",
      "image_generation.completed",
    ]);
    const last = events.at(-1);
    expect(last?.type === "image_generation.completed" && last.usage.output_tokens).toBe(1056);
    // (10 + 40 x 2 + 1056 x 8) x 2.5
    expect(scene.charges).toEqual([21_345]);
    expect(scene.relay.billing.settlements[0]?.log?.isStream).toBe(true);
  });

  test("are edited: several of them and a mask in one form", async () => {
    const { data } = await scene.openai.images.edit({
      model,
      prompt: 'a "boat" – für dich',
      image: [
        await toFile(png, "one.png", { type: "image/png" }),
        await toFile(png, "zwei ü.png", { type: "image/png" }),
      ],
      mask: await toFile(png, "mask.png", { type: "image/png" }),
      input_fidelity: "high",
      n: 1,
      size: "1024x1024",
    });
    expect(data).toHaveLength(1);
    const form = scene.form();
    expect(form.map(({ name }) => name).toSorted()).toEqual(
      ["image[]", "image[]", "input_fidelity", "mask", "model", "n", "prompt", "size"].toSorted(),
    );
    expect(form.filter(({ name }) => name === "image[]").every(({ bytes }) => bytes.equals(png))).toBe(true);
    expect(form.find(({ name }) => name === "prompt")?.text).toBe('a "boat" – für dich');
    expect(scene.charges).toEqual([21_345]);
  });

  test("are edited as a stream, from a file that is read while it is sent", async () => {
    const folder = await mkdtemp(join(tmpdir(), "turnpike-sdk-"));
    try {
      const path = join(folder, "picture.png");
      await writeFile(path, png);
      const image = await toFile(createReadStream(path), "picture.png", { type: "image/png" });
      const stream = await scene.openai.images.edit({ model, prompt: "x", image, stream: true, partial_images: 1 });
      const events = await Array.fromAsync(stream);
      expect(events.map(({ type }) => type)).toEqual(["image_edit.partial_image", "image_edit.completed"]);
      expect(scene.form().find(({ name }) => name === "image")?.bytes).toEqual(png);
      expect(scene.charges).toEqual([21_345]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("vary, at servers that still do so", async () => {
    const image = await toFile(png, "one.png", { type: "image/png" });
    const { data } = await scene.openai.images.createVariation({
      image,
      model: "dall-e-2",
      n: 2,
      response_format: "url",
      size: "1024x1024",
    });
    expect(data?.map(({ url }) => url)).toEqual(["https://images.example/1.png", "https://images.example/1.png"]);
    // 0.02 USD x 2 x 500,000
    expect(scene.charges).toEqual([20_000]);
  });

  test("what the vendor refuses is the library's error with the field's name", async () => {
    const wrong = scene.openai.images.generate({ model, prompt: "x", response_format: "url" });
    await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining("response_format") });
    const plain = scene.openai.images.edit({
      model,
      prompt: "x",
      image: await toFile(png, "x.txt", { type: "text/plain" }),
    });
    await expect(plain).rejects.toMatchObject({ status: 400, message: expect.stringContaining("mimetype") });
    expect(scene.charges).toEqual([]);
  });
});

describe("moderations", () => {
  const model = "omni-moderation-latest";

  test("of texts, each with its own result", async () => {
    const { results } = await scene.openai.moderations.create({ model, input: ["a kiss", "an attack"] });
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
    expect(results[1]?.category_applied_input_types.violence).toEqual(["text"]);
    expect(scene.charges).toEqual([1]);
  });

  test("of text together with a picture", async () => {
    const input = [
      { type: "text" as const, text: "what is this" },
      { type: "image_url" as const, image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ];
    const { results } = await scene.openai.moderations.create({ model, input });
    expect(results).toHaveLength(1);
    expect(scene.seen().json).toEqual({ model, input });
  });
});
