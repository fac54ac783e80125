/** Google's image call, `:predict`, through the relay: to Gemini byte by byte, to OpenAI translated, charged as every image is. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";

const IMAGEN = "imagen-4.0-generate-001";
const PRICES: readonly (readonly [string, ModelPrice])[] = [
  [IMAGEN, { kind: "per_call", price: "0.04" }],
  ["dall-e-3", { kind: "per_call", price: "0.04" }],
  ["gpt-image-1.5", { kind: "per_token", ...DEFAULT_RATIOS, ratio: "2.5", completionRatio: "8", imageRatio: "2" }],
];
const [OPENAI, ANTHROPIC, GEMINI] = [1, 14, 24] as const;
const INSTANCES = [{ prompt: "a lighthouse" }];
/** Of one picture at 0.04 USD. */
const EACH = 20_000;

let upstream: FakeUpstream;
let relay: TestRelay;

async function start(types: readonly number[], billing = new MemoryBilling()): Promise<void> {
  const models = new Set(PRICES.map(([model]) => model));
  const channels = types.map((type, index) =>
    newChannel({ id: index + 1, type, priority: -index, baseUrl: upstream.url, models }),
  );
  relay = await startTestRelay({ world: newWorld({ prices: new Map(PRICES), channels }), billing });
}

beforeEach(async () => {
  upstream = await startFakeUpstream({ key: "sk-upstream-secret-key" });
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const predict = (parameters?: object, model = IMAGEN, instances: unknown = INSTANCES): Promise<Response> =>
  relay.post(`/v1beta/models/${model}:predict`, { instances, ...(parameters === undefined ? {} : { parameters }) });

async function predictions(answer: Response): Promise<Record<string, unknown>[]> {
  return ((await answer.json()) as { predictions: Record<string, unknown>[] }).predictions;
}

async function error(answer: Response): Promise<Record<string, unknown>> {
  return ((await answer.json()) as { error: Record<string, unknown> }).error;
}

const charges = (): number[] => relay.billing.settlements.map(({ charge }) => charge);

describe("to a Gemini channel", () => {
  test("the client's own bytes pass through with any content, and the answer comes back unchanged", async () => {
    await start([GEMINI]);
    const text = `{ "parameters": {"sampleCount":2,  "guidanceScale": 3.0},\n "instances": [{"prompt":"a \\u00e9toile"}] }`;
    const answer = await relay.post(`/v1beta/models/${IMAGEN}:predict?key=x`, text);
    expect(answer.status).toBe(200);
    expect(await predictions(answer)).toHaveLength(2);
    expect(upstream.requests[0]?.body.toString()).toBe(text);
    expect(upstream.requests[0]?.path).toBe(`/v1beta/models/${IMAGEN}:predict`);
    expect(charges()).toEqual([2 * EACH]);
    expect(relay.billing.holds.size).toBe(0);
  });

  test("four pictures are held and charged if no number is given, and never more than came", async () => {
    await start([GEMINI], new MemoryBilling(4 * EACH - 1));
    expect((await predict()).status).toBe(403);
    relay.billing.balance = 1_000_000;
    upstream.next({}, { pictures: 3 }, { pictures: 0 }, { pictures: 50 });
    for (let call = 0; call < 4; call += 1) await (await predict()).text();
    expect(charges()).toEqual([4 * EACH, 3 * EACH, 0, 4 * EACH]);
  });

  test("the paths of the enterprise platform are the same call", async () => {
    await start([GEMINI]);
    const answer = await relay.post(`/v1beta1/publishers/google/models/${IMAGEN}:predict`, { instances: INSTANCES });
    expect(await predictions(answer)).toHaveLength(4);
    expect(upstream.requests[0]?.path).toBe(`/v1beta/models/${IMAGEN}:predict`);
  });

  test("a refusal of the upstream has its own message, and a failing channel is skipped for the next", async () => {
    await start([GEMINI, GEMINI]);
    withOptions(relay.world, { RetryTimes: 1 });
    upstream.next({ status: 503 });
    expect((await predict()).status).toBe(200);
    expect(upstream.count).toBe(2);
    const refused = await predict({ seed: 7 });
    expect(refused.status).toBe(400);
    expect(await error(refused)).toMatchObject({
      code: 400,
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining("seed"),
    });
    expect(charges()).toEqual([4 * EACH]);
  });
});

describe("to an OpenAI channel", () => {
  test("settings are translated to its fields, and tokens are charged as for its own clients", async () => {
    await start([OPENAI]);
    const outputOptions = { mimeType: "image/jpeg", compressionQuality: 80 };
    const answer = await predict({ sampleCount: 2, aspectRatio: "16:9", outputOptions, seed: 7 }, "gpt-image-1.5");
    expect(await predictions(answer)).toEqual(
      [0, 1].map(() => ({ mimeType: "image/png", bytesBase64Encoded: expect.stringMatching(/^iVBOR/) })),
    );
    expect(upstream.requests[0]).toMatchObject({
      path: "/v1/images/generations",
      json: {
        model: "gpt-image-1.5",
        prompt: "a lighthouse",
        n: 2,
        size: "1536x1024",
        output_format: "jpeg",
        output_compression: 80,
      },
    });
    const warned = answer.headers.get("turnpike-warnings") ?? "";
    expect(warned).toContain("parameters.seed");
    expect(warned).toContain("parameters.aspectRatio: the model draws 1536x1024");
    // (10 + 40 x 2 + 2112 x 8) x 2.5
    expect(charges()).toEqual([42_465]);
  });

  test("a fixed price follows the size that is drawn", async () => {
    await start([OPENAI], new MemoryBilling(2 * EACH));
    const answer = await predict({ sampleCount: 1, aspectRatio: "9:16" }, "dall-e-3");
    expect(answer.status).toBe(200);
    expect(upstream.requests[0]?.json).toMatchObject({ n: 1, size: "1024x1792", response_format: "b64_json" });
    expect(charges()).toEqual([2 * EACH]);
  });

  test.each([
    [{ negativePrompt: "ships" }, IMAGEN, "parameters.negativePrompt"],
    [{ sampleCount: 2 }, "dall-e-3", "parameters.sampleCount"],
    [{ aspectRatio: "5:4" }, IMAGEN, "parameters.aspectRatio"],
  ])("%j for %s is refused by its own name, before anything is sent", async (parameters, model, field) => {
    await start([OPENAI]);
    const answer = await predict(parameters, model);
    expect(answer.status).toBe(400);
    expect(await error(answer)).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining(field),
    });
    expect(upstream.count).toBe(0);
    expect(relay.billing.holds.size).toBe(0);
  });
});

describe("before a channel is asked", () => {
  test.each([
    [{ parameters: {} }, "instances_missing"],
    [{ instances: INSTANCES, parameters: { sampleCount: 11 } }, "image_count_invalid"],
    [{ instances: INSTANCES, parameters: { sampleCount: 0 } }, "image_count_invalid"],
    [{ instances: INSTANCES, parameters: { sampleCount: "2" } }, "image_count_invalid"],
    [{ instances: [...INSTANCES, ...INSTANCES, ...INSTANCES] }, "image_count_invalid"],
  ])("%j is refused in Gemini's envelope", async (body, code) => {
    await start([GEMINI]);
    const answer = await relay.post(`/v1beta/models/${IMAGEN}:predict`, body);
    expect(answer.status).toBe(400);
    const refused = await error(answer);
    expect(refused).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(refused["message"]).toMatch(code === "instances_missing" ? /'instances'/ : /'parameters.sampleCount'/);
    expect(upstream.count).toBe(0);
  });

  test("a field that stands twice is refused: what is charged has to be what is drawn", async () => {
    await start([GEMINI]);
    const text = '{"instances":[{"prompt":"x"}],"parameters":{"sampleCount":1},"parameters":{"sampleCount":4}}';
    expect((await relay.post(`/v1beta/models/${IMAGEN}:predict`, text)).status).toBe(400);
    expect(upstream.count).toBe(0);
  });

  test.each([{ instances: [{ prompt: "my FORBIDDEN word" }] }, { parameters: { negativePrompt: "forbidden" } }])(
    "%j is held against the list of words",
    async (fields) => {
      await start([GEMINI]);
      withOptions(relay.world, {
        CheckSensitiveEnabled: true,
        CheckSensitiveOnPromptEnabled: true,
        SensitiveWords: ["forbidden"],
      });
      const answer = await relay.post(`/v1beta/models/${IMAGEN}:predict`, { instances: INSTANCES, ...fields });
      expect(answer.status).toBe(400);
      expect(upstream.count).toBe(0);
    },
  );

  test("a vendor without pictures, and unknown methods, are errors in Gemini's envelope", async () => {
    await start([ANTHROPIC]);
    expect((await predict()).status).toBe(400);
    const unknown = await relay.post("/v1beta/models/veo-3:predictNever", { instances: INSTANCES });
    expect(unknown.status).toBe(501);
    expect(await error(unknown)).toMatchObject({ status: "UNIMPLEMENTED" });
  });
});
