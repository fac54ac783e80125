/** Gemini's embeddings and images for clients of other formats, and conversations without another vendor's signatures. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusedParam } from "../../../../tests/support/dialects/refused-param.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { geminiEmbeddings } from "./operations/embeddings.ts";
import { geminiImages, geminiImagesReader } from "./operations/images.ts";
import { withoutForeignProofs, writeSignature } from "./signature.ts";
import { type JsonObject } from "../neutral/neutral.ts";
import type { NeutralEmbeddings } from "../neutral/embeddings.ts";

const path = { model: "gemini-embedding-001", isStream: false };
const info = { model: path.model, requestId: "r", createdAt: 7, asksUsage: true, isArray: false };
const plain: NeutralEmbeddings = {
  model: path.model,
  inputs: ["a"],
  isSingle: true,
  encodingFormat: "float",
  unknownFields: [],
};
const decode = (fields: JsonObject): NeutralEmbeddings | undefined =>
  geminiEmbeddings.client?.decodeRequest(fields, path);
const encode = (request: NeutralEmbeddings): JsonObject | undefined =>
  geminiEmbeddings.upstream?.encodeRequest(request, () => undefined);

test("one text and many are read from the vendor's two calls", () => {
  const content = { parts: [{ text: "What is " }, { text: "life?" }] };
  expect(decode({ model: "models/x", content, task_type: "SEMANTIC_SIMILARITY", outputDimensionality: 768 })).toEqual({
    ...plain,
    inputs: ["What is life?"],
    taskType: "SEMANTIC_SIMILARITY",
    dimensions: 768,
  });
  expect(decode({ requests: [{ content }, { content, autoTruncate: true }] })).toEqual({
    ...plain,
    inputs: ["What is life?", "What is life?"],
    isSingle: false,
    unknownFields: ["requests[1].autoTruncate"],
  });
  // As Google's library asks its enterprise platform.
  const embedContentConfig = { outputDimensionality: 3, taskType: "CLUSTERING", documentOcr: true };
  expect(decode({ content, embedContentConfig })).toMatchObject({
    dimensions: 3,
    taskType: "CLUSTERING",
    unknownFields: ["documentOcr"],
  });
  expect(refusedParam(() => decode({}))).toBe("content");
  expect(refusedParam(() => decode({ requests: [] }))).toBe("requests");
  expect(refusedParam(() => decode({ requests: [{ content }, { content: { parts: [{}] } }] }))).toBe(
    "requests[1].content.parts[0].text",
  );
  expect(refusedParam(() => decode({ requests: [{ content }, { content, outputDimensionality: 3 }] }))).toBe(
    "requests[1]",
  );
});

test("embeddings come back as they were asked", () => {
  const request = fc.record(
    {
      inputs: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
      dimensions: fc.integer({ min: 1, max: 3072 }),
      taskType: fc.constantFrom("RETRIEVAL_QUERY", "CLUSTERING"),
      title: fc.string({ minLength: 1 }),
    },
    { requiredKeys: ["inputs"] },
  );
  fc.assert(
    fc.property(request, (given) => {
      const whole: NeutralEmbeddings = { ...plain, isSingle: false, ...given };
      expect(decode(encode(whole) ?? {})).toEqual(whole);
    }),
  );
  expect(refusedParam(() => encode({ ...plain, inputs: ["a", [1, 2]] }))).toBe("input[1]");
});

test("vectors are read from both answers and written in the form of the question", () => {
  const read = (fields: JsonObject) => geminiEmbeddings.upstream?.decodeAnswer(fields);
  expect(read({ embedding: { values: [1, 2] } })?.vectors).toEqual([[1, 2]]);
  const many = { embeddings: [{ values: [1] }, { values: [2] }], usageMetadata: { promptTokenCount: 3 } };
  expect(read(many)).toEqual({ vectors: [[1], [2]], rawUsage: { promptTokenCount: 3 } });
  expect(read({ data: [] })).toBeUndefined();
  const write = (isSingle: boolean) =>
    geminiEmbeddings.client?.encodeAnswer(
      { vectors: [[1], [2]], rawUsage: undefined },
      { ...plain, isSingle },
      { ...NO_USAGE, inputTokens: 4 },
      info,
    );
  const usageMetadata = { promptTokenCount: 4, totalTokenCount: 4 };
  expect(write(true)).toEqual({ embedding: { values: [1] }, usageMetadata });
  expect(write(false)).toEqual({ embeddings: [{ values: [1] }, { values: [2] }], usageMetadata });
});

test("a size becomes the nearest ratio, and more pictures than the vendor makes are a fault", () => {
  const parameters = (width: number, height: number): unknown =>
    geminiImages.upstream?.encodeRequest(
      { model: "m", prompt: "a cat", count: 2, size: { width, height }, wantsUrl: false, unknownFields: [] },
      () => undefined,
    )["parameters"];
  const sizes = [
    [1024, 1024],
    [1792, 1024],
    [1024, 1792],
    [1536, 1024],
    [1024, 1536],
  ] as const;
  expect(sizes.map(([width, height]) => (parameters(width, height) as JsonObject)["aspectRatio"])).toEqual([
    "1:1",
    "16:9",
    "9:16",
    "4:3",
    "3:4",
  ]);
  const five = { model: "m", prompt: "x", count: 5, wantsUrl: false, unknownFields: [] };
  expect(refusedParam(() => geminiImages.upstream?.encodeRequest(five, () => undefined))).toBe("n");
});

test("pictures that a filter took out are none", () => {
  const predictions = [
    { mimeType: "image/png", bytesBase64Encoded: "AAAA", prompt: "a better cat" },
    { raiFilteredReason: "no" },
  ];
  expect(geminiImages.upstream?.decodeAnswer({ predictions })).toEqual({
    pictures: [{ mimeType: "image/png", data: "AAAA", revisedPrompt: "a better cat" }],
    rawUsage: undefined,
  });
  expect(geminiImages.upstream?.decodeAnswer({ data: [] })).toBeUndefined();
});

describe("a client's call for pictures", () => {
  const instances = [{ prompt: "a cat" }];
  const imagen = { model: "imagen-4.0-generate-001", isStream: false };
  const read = (parameters: JsonObject, more: JsonObject = {}) =>
    geminiImages.client?.decodeRequest({ instances, parameters, ...more }, imagen);
  const plainImages = { model: imagen.model, prompt: "a cat", count: 4, wantsUrl: false, unknownFields: [] };

  test("is read with the vendor's own number of pictures, its ratios in pixels and the file's format", () => {
    expect(geminiImages.client?.decodeRequest({ instances }, imagen)).toEqual(plainImages);
    expect(read({ sampleCount: 2, outputOptions: { mimeType: "image/jpeg", compressionQuality: 80 } })).toEqual({
      ...plainImages,
      count: 2,
      format: "jpeg",
      compression: 80,
    });
    const sizes = ["1:1", "3:4", "4:3", "9:16", "16:9"].flatMap((aspectRatio) =>
      ["1K", "2k"].map((sampleImageSize) => read({ aspectRatio, sampleImageSize })?.size),
    );
    expect(sizes.map((size) => `${size?.width}x${size?.height}`).join(" ")).toBe(
      "1024x1024 2048x2048 864x1152 1728x2304 1152x864 2304x1728 864x1536 1440x2560 1536x864 2560x1440",
    );
    expect(read({ imageSize: "2K" })?.size).toEqual({ width: 2048, height: 2048 });
  });

  test("names unsupported settings as the client's format calls them", () => {
    const settings = {
      seed: 7,
      guidanceScale: 3,
      enhancePrompt: false,
      includeRaiReason: true,
      outputOptions: { x: 1 },
    };
    expect(read({ ...settings, personGeneration: "allow_adult" }, { labels: { a: "b" } })?.unknownFields).toEqual([
      "labels",
      "parameters.seed",
      "parameters.guidanceScale",
      "parameters.enhancePrompt",
      "parameters.includeRaiReason",
      "parameters.personGeneration",
      "parameters.outputOptions.x",
    ]);
  });

  test.each([
    [{ instances: [] }, "instances"],
    [{ instances: "a cat" }, "instances"],
    [{ instances: [...instances, ...instances] }, "instances[1]"],
    [{ instances: [{ prompt: "" }] }, "instances[0].prompt"],
    [{ instances: [{ prompt: "x", image: { bytesBase64Encoded: "AAAA" } }] }, "instances[0].image"],
    [{ parameters: [] }, "parameters"],
    [{ parameters: { negativePrompt: "dogs" } }, "parameters.negativePrompt"],
    [{ parameters: { storageUri: "gs://b" } }, "parameters.storageUri"],
    [{ parameters: { mode: "upscale" } }, "parameters.mode"],
    [{ parameters: { personGeneration: "DONT_ALLOW" } }, "parameters.personGeneration"],
    [{ parameters: { sampleCount: 0 } }, "parameters.sampleCount"],
    [{ parameters: { sampleCount: 1.5 } }, "parameters.sampleCount"],
    [{ parameters: { aspectRatio: "5:4" } }, "parameters.aspectRatio"],
    [{ parameters: { sampleImageSize: "4K" } }, "parameters.sampleImageSize"],
    [{ parameters: { outputOptions: { mimeType: "png" } } }, "parameters.outputOptions.mimeType"],
    [{ parameters: { outputOptions: { compressionQuality: "high" } } }, "parameters.outputOptions.compressionQuality"],
  ])("%j is refused by its name", (fields, name) => {
    expect(refusedParam(() => geminiImages.client?.decodeRequest({ instances, ...fields }, imagen))).toBe(name);
  });

  test("is held and priced by its number and the size that the model draws", () => {
    const asked = (fields: JsonObject, model = imagen.model) => geminiImagesReader.read((name) => fields[name], model);
    expect(asked({ instances })).toEqual({ count: 4, size: undefined, quality: undefined });
    expect(asked({ instances: [...instances, ...instances], parameters: { sampleCount: 3 } }).count).toBe(6);
    expect(asked({ instances, parameters: { sampleCount: "3" } }).count).toBeNaN();
    const wide = { instances, parameters: { aspectRatio: "16:9" } };
    expect(["imagen-4.0-generate-001", "dall-e-3", "gpt-image-1.5"].map((model) => asked(wide, model).size)).toEqual([
      "1536x864",
      "1792x1024",
      "1536x1024",
    ]);
    expect(asked({ instances, parameters: { aspectRatio: "odd" } }).size).toBeUndefined();
  });

  test("gets pictures back as the vendor gives them", () => {
    const pictures = [
      { mimeType: "image/png", data: "AAAA" },
      { mimeType: "image/jpeg", data: "BBBB", revisedPrompt: "a better cat" },
    ];
    const answer = geminiImages.client?.encodeAnswer({ pictures, rawUsage: undefined }, plainImages, NO_USAGE, info);
    expect(answer).toEqual({
      predictions: [
        { mimeType: "image/png", bytesBase64Encoded: "AAAA" },
        { mimeType: "image/jpeg", bytesBase64Encoded: "BBBB", prompt: "a better cat" },
      ],
    });
    expect(geminiImagesReader.came(answer ?? {})).toBe(2);
    expect(geminiImagesReader.came({})).toBe(0);
  });
});

test("proofs of another vendor are taken out of a history, and its calls are exempted", () => {
  const foreign = writeSignature({ dialect: "anthropic-messages", value: "sig" });
  const redacted = writeSignature({ dialect: "anthropic-messages", value: "sig" }, true);
  const call = { functionCall: { name: "f", args: {} } };
  const contents = [
    { role: "user", parts: [{ text: "hi" }] },
    { role: "model", parts: [{ text: "", thought: true, thoughtSignature: redacted }] },
    {
      role: "model",
      parts: [
        { text: "hm", thought: true, thoughtSignature: foreign },
        { ...call, thought_signature: foreign },
        { text: "own", thoughtSignature: "b3du" },
      ],
    },
  ];
  expect(withoutForeignProofs({ contents })).toEqual({
    contents: [
      contents[0],
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { ...call, thoughtSignature: "skip_thought_signature_validator" },
          { text: "own", thoughtSignature: "b3du" },
        ],
      },
    ],
  });
  expect(withoutForeignProofs({ contents: "odd" })).toEqual({});
});
