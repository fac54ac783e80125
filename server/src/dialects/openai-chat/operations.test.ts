/** OpenAI's embeddings and image generations in neutral form, for clients whose model another vendor serves. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusedParam } from "../../../../tests/support/dialects/refused-param.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { type JsonObject } from "../neutral/neutral.ts";
import type { NeutralEmbeddings } from "../neutral/embeddings.ts";
import { openAiEmbeddings } from "./operations/embeddings.ts";
import { openAiImages } from "./operations/images.ts";

const path = { model: "", isStream: false };
const info = { model: "m", requestId: "r", createdAt: 7, asksUsage: true, isArray: false };
const decode = (fields: JsonObject): NeutralEmbeddings | undefined =>
  openAiEmbeddings.client?.decodeRequest(fields, path);
const images = (fields: JsonObject) =>
  openAiImages.client?.decodeRequest({ model: "m", prompt: "a cat", ...fields }, path);

test("texts and tokens, one or many", () => {
  const inputs = (input: unknown) => decode({ model: "m", input });
  expect(inputs("a")).toEqual({
    model: "m",
    inputs: ["a"],
    isSingle: true,
    encodingFormat: "float",
    unknownFields: [],
  });
  expect(inputs(["a", "b"])).toMatchObject({ inputs: ["a", "b"], isSingle: false });
  expect(inputs([1, 2])).toMatchObject({ inputs: [[1, 2]], isSingle: true });
  expect(inputs([[1, 2], [3]])).toMatchObject({ inputs: [[1, 2], [3]], isSingle: false });
  expect(decode({ input: "a", dimensions: 8, encoding_format: "base64", user: "me" })).toMatchObject({
    dimensions: 8,
    encodingFormat: "base64",
    unknownFields: ["user"],
  });
  for (const name of ["task_type", "taskType"])
    expect(decode({ input: "a", [name]: "CLUSTERING", title: "t" })).toMatchObject({
      taskType: "CLUSTERING",
      title: "t",
      unknownFields: [],
    });
  expect([undefined, "", [], {}].map((input) => refusedParam(() => inputs(input)))).toEqual([
    "input",
    "input",
    "input",
    "input",
  ]);
  expect(refusedParam(() => inputs(["a", ""]))).toBe("input[1]");
  expect(refusedParam(() => decode({ input: "a", dimensions: "8" }))).toBe("dimensions");
});

test("a request for an OpenAI upstream says what it cannot", () => {
  const warnings: string[] = [];
  const request: NeutralEmbeddings = {
    model: "m",
    inputs: ["a"],
    isSingle: false,
    encodingFormat: "float",
    dimensions: 3,
    taskType: "CLUSTERING",
    title: "t",
    unknownFields: [],
  };
  const fields = openAiEmbeddings.upstream?.encodeRequest(request, (field) => void warnings.push(field));
  expect(fields).toEqual({ model: "m", input: ["a"], encoding_format: "float", dimensions: 3 });
  expect(warnings).toEqual(["taskType", "title"]);
});

test("vectors survive both forms of numbers", () => {
  const vectors = fc.array(
    fc.array(
      fc.float({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
      { maxLength: 5 },
    ),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(vectors, fc.constantFrom("float" as const, "base64" as const), (given, encodingFormat) => {
      const request: NeutralEmbeddings = {
        model: "m",
        inputs: ["a"],
        isSingle: false,
        encodingFormat,
        unknownFields: [],
      };
      const fields = openAiEmbeddings.client?.encodeAnswer(
        { vectors: given, rawUsage: undefined },
        request,
        { ...NO_USAGE, inputTokens: 2 },
        info,
      );
      const read = openAiEmbeddings.upstream?.decodeAnswer(JSON.parse(JSON.stringify(fields)) as JsonObject);
      expect(read).toEqual({ vectors: given, rawUsage: { prompt_tokens: 2, total_tokens: 2 } });
    }),
  );
});

test("pictures are asked for by number and size", () => {
  expect(images({})).toEqual({ model: "m", prompt: "a cat", count: 1, wantsUrl: false, unknownFields: [] });
  expect(images({ n: 2, size: "1792x1024", response_format: "url", quality: "hd" })).toMatchObject({
    count: 2,
    size: { width: 1792, height: 1024 },
    wantsUrl: true,
    unknownFields: ["quality"],
  });
  expect(images({ size: "auto" })).not.toHaveProperty("size");
  const faults = [{ prompt: "" }, { n: 0 }, { size: "big" }, { stream: true }].map((fields) =>
    refusedParam(() => images(fields)),
  );
  expect(faults).toEqual(["prompt", "n", "size", "stream"]);
});

test("pictures are given as bytes, or inside the address that was wanted", () => {
  const answer = { pictures: [{ mimeType: "image/png", data: "AAAA", revisedPrompt: "better" }], rawUsage: undefined };
  const write = (wantsUrl: boolean) =>
    openAiImages.client?.encodeAnswer(
      answer,
      { model: "m", prompt: "p", count: 1, wantsUrl, unknownFields: [] },
      NO_USAGE,
      info,
    );
  expect(write(false)).toEqual({ created: 7, data: [{ b64_json: "AAAA", revised_prompt: "better" }] });
  expect(write(true)).toEqual({ created: 7, data: [{ url: "data:image/png;base64,AAAA", revised_prompt: "better" }] });
});

describe("pictures from an OpenAI upstream", () => {
  const asked = { model: "gpt-image-1.5", prompt: "a cat", count: 2, wantsUrl: false, unknownFields: [] };
  const wide = { width: 1536, height: 864 };

  /** The request's fields beside the prompt, and the fields that were warned of. */
  function encode(changes: object): [JsonObject | undefined, string[]] {
    const warned: string[] = [];
    const request = { ...asked, ...changes };
    const fields = openAiImages.upstream?.encodeRequest(request, (field) => void warned.push(field));
    expect(fields).toMatchObject({ model: request.model, prompt: "a cat", n: request.count });
    const { model: _model, prompt: _prompt, n: _n, ...rest } = fields ?? {};
    return [rest, warned];
  }

  test("models that draw a few sizes are asked for the nearest, others for the very size", () => {
    expect(encode({ size: wide })).toEqual([{ size: "1536x1024" }, ["size"]]);
    expect(encode({ size: { width: 1024, height: 1024 } })).toEqual([{ size: "1024x1024" }, []]);
    expect(encode({ model: "gpt-image-2", size: wide })).toEqual([{ size: "1536x864" }, []]);
    const bytes = { response_format: "b64_json" };
    expect(encode({ model: "dall-e-3", count: 1, size: wide })).toEqual([{ size: "1792x1024", ...bytes }, ["size"]]);
    expect(encode({ model: "dall-e-2", size: wide })).toEqual([{ size: "1024x1024", ...bytes }, ["size"]]);
    expect(encode({ model: "flux-2", size: wide })).toEqual([{ size: "1536x864", ...bytes }, []]);
  });

  test("the file's format and quality are carried where they can be chosen", () => {
    const format = { output_format: "jpeg", output_compression: 80 };
    expect(encode({ format: "jpeg", compression: 80 })).toEqual([format, []]);
    expect(encode({ format: "png", compression: 80 })).toEqual([{ output_format: "png" }, ["output_compression"]]);
    expect(encode({ model: "flux-2", format: "jpeg", compression: 80 })[1]).toEqual([
      "output_format",
      "output_compression",
    ]);
  });

  test("a model that makes one picture is not asked for several", () => {
    expect(refusedParam(() => encode({ model: "dall-e-3" }))).toBe("n");
  });

  test("the answer's pictures are read with what they are, and addresses alone are no answer", () => {
    const read = (data: unknown, more = {}) => openAiImages.upstream?.decodeAnswer({ created: 1, data, ...more });
    const pictures = [
      { b64_json: "iVBORw0KGgoAAA", revised_prompt: "better" },
      { b64_json: "/9j/4AAQ" },
      { b64_json: "UklGRiQA" },
      { url: "data:image/webp;base64,AAAA" },
      { b64_json: "QUJD" },
      { url: "https://images.example/1.png" },
    ];
    expect(read(pictures, { output_format: "gif", usage: { output_tokens: 1 } })).toEqual({
      pictures: [
        { mimeType: "image/png", data: "iVBORw0KGgoAAA", revisedPrompt: "better" },
        { mimeType: "image/jpeg", data: "/9j/4AAQ" },
        { mimeType: "image/webp", data: "UklGRiQA" },
        { mimeType: "image/webp", data: "AAAA" },
        { mimeType: "image/gif", data: "QUJD" },
      ],
      rawUsage: { output_tokens: 1 },
    });
    expect(read([])).toEqual({ pictures: [], rawUsage: undefined });
    expect(read([{ url: "https://images.example/1.png" }])).toBeUndefined();
    expect(read("none")).toBeUndefined();
  });
});
