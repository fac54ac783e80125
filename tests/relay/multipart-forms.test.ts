/** Requests as multipart/form-data through the relay: unchanged bytes, mapped models, refused forms. */
import { describe, expect, test } from "vitest";
import { TEST_KEY, withOptions } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";
import { operationScene } from "../support/relay/operations.ts";

const scene = operationScene();

describe("forms", () => {
  const png = new Blob([new Uint8Array([137, 80, 78, 71, 13, 10, 0, 255, 45, 45])], { type: "image/png" });

  test("an edit passes through byte by byte: pictures, mask and every field", async () => {
    const answer = await scene.postForm("/v1/images/edits", {
      model: "gpt-image-1",
      prompt: "Zwölf Boxkämpfer",
      "image[]": [png, png],
      mask: png,
      size: "1024x1024",
    });
    expect(answer.status).toBe(200);
    const form = await scene.seenForm();
    expect(form.getAll("image[]")).toHaveLength(2);
    expect(form.get("prompt")).toBe("Zwölf Boxkämpfer");
    expect(Buffer.from(await (form.get("mask") as File).arrayBuffer())).toEqual(Buffer.from(await png.arrayBuffer()));
    expect(Number(scene.upstream.requests[0]?.headers["content-length"])).toBe(scene.upstream.requests[0]?.body.length);
  });

  test("a mapped model is exchanged in its part alone", async () => {
    const [channel] = scene.relay.world.channels;
    scene.relay.world.channels[0] = { ...channel, modelMapping: { "gpt-image-1": "eu-image-deployment" } } as never;
    await scene.postForm("/v1/images/edits", { image: png, model: "gpt-image-1", prompt: "x", n: "2" });
    const form = await scene.seenForm();
    expect([...form.keys()]).toEqual(["image", "model", "prompt", "n"]);
    expect(form.get("model")).toBe("eu-image-deployment");
    expect(Buffer.from(await (form.get("image") as File).arrayBuffer())).toEqual(Buffer.from(await png.arrayBuffer()));
    expect(scene.relay.billing.settlements[0]).toMatchObject({ model: "gpt-image-1" });
  });

  test("each call keeps its own boundary", async () => {
    for (let call = 0; call < 3; call += 1)
      expect((await scene.postForm("/v1/images/edits", { image: png, prompt: "x", model: "gpt-image-1" })).status).toBe(
        200,
      );
    expect((await scene.seenForm(2)).get("prompt")).toBe("x");
  });

  test("a model that was left out is put in", async () => {
    expect((await scene.postForm("/v1/images/variations", { image: png, n: "2" })).status).toBe(200);
    expect((await scene.seenForm()).get("model")).toBe("dall-e-2");
    expect(scene.charge()).toBe(20_000);
  });

  test("edits as JSON name their pictures in a list", async () => {
    const images = [{ image_url: "https://example.com/a.png" }];
    const answer = await scene.relay.post("/v1/images/edits", { model: "gpt-image-1", prompt: "x", images });
    expect(answer.status).toBe(200);
    expect(scene.upstream.requests[0]?.json?.["images"]).toEqual(images);
  });

  test.each([
    ["/v1/images/edits", { prompt: "x" }, "image"],
    ["/v1/images/edits", { image: png }, "prompt"],
    ["/v1/images/edits", { image: png, prompt: "x", n: "eleven" }, "n"],
    ["/v1/images/variations", { model: "dall-e-2" }, "image"],
    ["/v1/audio/transcriptions", { model: "whisper-1" }, "file"],
  ])("%s with %j is refused and names %s", async (path, fields, param) => {
    const answer = await scene.postForm(path, fields as Record<string, string>);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: unknown }).error).toMatchObject({ param });
  });

  const raw = (body: string, type = "multipart/form-data; boundary=B"): Promise<Response> =>
    scene.relay.post("/v1/audio/transcriptions", body, { "content-type": type });
  const part = (name: string, value: string): string =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  test.each([
    ["no form at all", "{}", "application/json", "form_expected"],
    ["no boundary", part("file", "x"), "multipart/form-data", "form_expected"],
    ["no end", part("file", "x"), undefined, "form_invalid"],
    ["cut inside", `${part("file", "x")}--B\r\nContent-Dispo`, undefined, "form_invalid"],
    ["a part without a name", `--B\r\nX: y\r\n\r\nz\r\n${part("file", "x")}--B--`, undefined, "form_invalid"],
    [
      "two models",
      `${part("model", "whisper-1")}${part("model", "tts-1")}${part("file", "x")}--B--`,
      undefined,
      "ambiguous_field",
    ],
    ["nothing", "", undefined, "form_invalid"],
  ])("a form with %s is a 400", async (_name, body, type, code) => {
    const answer = await raw(body, type);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: unknown }).error).toMatchObject({ code });
    expect(scene.upstream.count).toBe(0);
  });

  test.each([
    ["n", "/v1/images/variations", ["model", "dall-e-2", "n", "1", "n", "10"]],
    ["n", "/v1/images/variations", ["model", "dall-e-2", "n", "1", "n[]", "10"]],
    ["size", "/v1/images/edits", ["model", "dall-e-2", "prompt", "x", "size", "256x256", "size", "1024x1024"]],
  ])("a form that says '%s' twice is refused, for the upstream might take the other", async (param, path, pairs) => {
    const form = new FormData();
    form.append("image", png);
    for (let at = 0; at < pairs.length; at += 2) form.append(pairs[at] ?? "", pairs[at + 1] ?? "");
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    const answer = await fetch(scene.relay.url + path, { method: "POST", headers, body: form });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: unknown }).error).toMatchObject({ code: "ambiguous_field", param });
    expect([scene.upstream.count, scene.openHolds()]).toEqual([0, 0]);
  });

  test("of two recordings neither is taken: the one that is measured must be the one that is heard", async () => {
    const file = [new Blob([new Uint8Array(10)]), new Blob([new Uint8Array(9000)])];
    const answer = await scene.postForm("/v1/audio/transcriptions", { model: "whisper-1", file });
    expect(((await answer.json()) as { error: unknown }).error).toMatchObject({
      code: "ambiguous_field",
      param: "file",
    });
  });

  test("sensitive words are found in the prompt of a form", async () => {
    withOptions(scene.relay.world, { SensitiveWords: ["forbidden"], CheckSensitiveEnabled: true });
    const answer = await scene.postForm("/v1/images/edits", {
      image: png,
      prompt: "a Forbidden thing",
      model: "gpt-image-1",
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("sensitive_words_detected");
  });

  test("a form over the limit is 413, and a retry sends it whole again", async () => {
    await scene.restart(new MemoryBilling(), { bodyBytes: 5000 });
    const large = new Blob([new Uint8Array(6000)]);
    expect((await scene.postForm("/v1/audio/transcriptions", { file: large, model: "whisper-1" })).status).toBe(413);
    withOptions(scene.relay.world, { RetryTimes: 1 });
    scene.relay.world.channels.push({ ...scene.relay.world.channels[0], id: 2, name: "second" } as never);
    scene.upstream.next({ status: 500 });
    const small = new Blob([new Uint8Array(1000)]);
    expect((await scene.postForm("/v1/audio/transcriptions", { file: small, model: "whisper-1" })).status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toEqual(scene.upstream.requests[1]?.body);
  });
});
