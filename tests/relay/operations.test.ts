/** Embeddings, moderations, rerank and images through the relay: the upstream's request, the client's answer, the charge. */
import { describe, expect, test } from "vitest";
import { until } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";
import { operationScene } from "../support/relay/operations.ts";

const scene = operationScene();

describe("embeddings", () => {
  test("a batch passes through with every field, and is charged by prompt tokens", async () => {
    const request = { model: "text-embedding-3-small", input: ["a", "b"], dimensions: 256, encoding_format: "base64" };
    scene.upstream.plan({ usage: { prompt_tokens: 800, total_tokens: 800 } });
    const answer = await scene.relay.post("/v1/embeddings", request);
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(2);
    expect(scene.upstream.requests[0]?.json).toEqual(request);
    expect(scene.charge()).toBe(8);
  });

  test("the old path of engines goes to the usual one, with the model in the body", async () => {
    const answer = await scene.relay.post("/v1/engines/text-embedding-3-small/embeddings", { input: "hello" });
    expect(answer.status).toBe(200);
    expect(scene.upstream.requests[0]?.path).toBe("/v1/embeddings");
    expect(scene.upstream.requests[0]?.json).toEqual({ input: "hello", model: "text-embedding-3-small" });
  });

  test("a vendor that spells only the total is charged by it, one that counts nothing by an estimate", async () => {
    scene.upstream.next({ usage: { total_tokens: 500 } }, { usage: null });
    for (let call = 0; call < 2; call += 1)
      await (
        await scene.relay.post("/v1/embeddings", { model: "text-embedding-3-small", input: "hello world" })
      ).text();
    expect(scene.relay.billing.settlements.map((each) => each.promptTokens)).toEqual([500, 11]);
    expect(scene.relay.billing.settlements[1]?.log?.other).toContain('"estimated":true');
  });
});

test("moderations have a default model, sent along", async () => {
  const answer = await scene.relay.post("/v1/moderations", { input: "is this bad" });
  expect(answer.status).toBe(200);
  expect(scene.upstream.requests[0]?.json).toEqual({ input: "is this bad", model: "text-moderation-stable" });
  expect(scene.charge()).toBe(1);
});

describe("rerank", () => {
  const request = { model: "rerank-1", query: "what", documents: ["one", "two", "three"], top_n: 2 };

  test.each(["/v1/rerank", "/rerank"])("%s goes to /v1/rerank; Jina's usage is charged", async (path) => {
    scene.upstream.plan({ usage: { usage: { total_tokens: 321 } } });
    const answer = await scene.relay.post(path, request);
    expect(((await answer.json()) as { results: unknown[] }).results).toHaveLength(3);
    expect(scene.upstream.requests[0]?.path).toBe("/v1/rerank");
    expect(scene.charge()).toBe(321);
  });

  test("Cohere's billed units count at a fixed price, its tokens at a price by tokens", async () => {
    const meta = { api_version: { version: "2" }, billed_units: { search_units: 3 }, tokens: { input_tokens: 77 } };
    scene.upstream.plan({ usage: { meta } });
    await (await scene.relay.post("/v1/rerank", { ...request, model: "rerank-fixed" })).text();
    await (await scene.relay.post("/v1/rerank", request)).text();
    expect(scene.charges()).toEqual([3000, 77]);
  });

  test("without any usage the request is estimated", async () => {
    scene.upstream.plan({ usage: {} });
    await (await scene.relay.post("/v1/rerank", request)).text();
    expect(scene.receipt()["estimated"]).toBe(true);
  });
});

describe("pictures", () => {
  const request = { model: "dall-e-3", prompt: "a lighthouse" };

  test.each([
    [{}, 20_000],
    [{ quality: "hd" }, 40_000],
    [{ size: "1792x1024", quality: "hd", n: 2 }, 120_000],
    [{ size: "256x256", n: 10 }, 80_000],
  ])("%j costs its factors of the fixed price", async (fields, quota) => {
    const answer = await scene.relay.post("/v1/images/generations", { ...request, ...fields });
    expect(answer.status).toBe(200);
    expect(scene.charge()).toBe(quota);
    expect(scene.openHolds()).toBe(0);
  });

  test("the model may be left out", async () => {
    expect((await scene.relay.post("/v1/images/generations", { prompt: "x" })).status).toBe(200);
    expect(scene.upstream.requests[0]?.json?.["model"]).toBe("dall-e-3");
  });

  test.each([0, 11, -1, 1.5, 2 ** 40, "3", [], Number.MAX_SAFE_INTEGER])("n of %j is refused by name", async (n) => {
    const answer = await scene.relay.post("/v1/images/generations", { ...request, n });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: unknown }).error).toMatchObject({
      param: "n",
      code: "image_count_invalid",
    });
    expect(scene.upstream.count).toBe(0);
  });

  test("what came is charged, never more than was asked for", async () => {
    scene.upstream.next({ pictures: 1 }, { pictures: 50 }, { pictures: 0 });
    for (let call = 0; call < 3; call += 1)
      await (await scene.relay.post("/v1/images/generations", { ...request, n: 3 })).text();
    expect(scene.charges()).toEqual([20_000, 60_000, 0]);
  });

  test("models by tokens are charged by the upstream's, images apart from text", async () => {
    await (await scene.relay.post("/v1/images/generations", { ...request, model: "gpt-image-1", n: 2 })).text();
    // (10 + 40 x 2 + 2112 x 8) x 2.5
    expect(scene.charge()).toBe(42_465);
  });

  test("the balance has to reach for what was asked", async () => {
    await scene.restart(new MemoryBilling(59_999));
    expect((await scene.relay.post("/v1/images/generations", { ...request, n: 3 })).status).toBe(403);
    expect((await scene.relay.post("/v1/images/generations", { ...request, n: 2 })).status).toBe(200);
    expect((await scene.relay.post("/v1/images/generations", { ...request, model: "gpt-image-1", n: 1 })).status).toBe(
      403,
    );
  });

  test("partial pictures stream at once, the completed one waits for the charge", async () => {
    const commit = Promise.withResolvers<void>();
    scene.relay.billing.beforeCommit = commit.promise;
    const answer = await scene.relay.post("/v1/images/generations", {
      ...request,
      model: "gpt-image-1",
      stream: true,
      partial_images: 2,
    });
    let text = "";
    const read = async (): Promise<void> => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
    };
    const whole = read();
    await until(() => text.match(/partial_image_index/g)?.length === 2);
    // Long enough for a picture that would not wait.
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect([text.includes("image_generation.completed"), scene.relay.billing.settlements.length]).toEqual([false, 0]);
    commit.resolve();
    await whole;
    expect(text).toContain("image_generation.completed");
    expect(text.match(/event: /g)).toHaveLength(3);
    expect(scene.upstream.requests[0]?.json).not.toHaveProperty("stream_options");
    // (10 + 40 x 2 + 1056 x 8) x 2.5
    expect(scene.charge()).toBe(21_345);
  });

  test("a stream that breaks off behind a partial picture ends with an error and is charged for one", async () => {
    scene.upstream.plan({ cutAtByte: 700 });
    const answer = await scene.relay.post("/v1/images/generations", { ...request, stream: true, partial_images: 3 });
    const text = await answer.text();
    expect(text).toContain("event: error\n");
    expect(scene.charge()).toBe(20_000);
  });
});
