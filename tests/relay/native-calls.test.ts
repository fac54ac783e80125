/** Calls beside chat in vendors' own formats through the relay: vectors by signature, by token and by key, and a stream that fails midway. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { CLIENT_FORMATS, eventsIn, fieldsOf } from "../support/clients/client-formats.ts";
import { endOf } from "../support/clients/stream-grammar.ts";
import { type RunningVendor, startHttpVendor } from "../support/providers/own-vendor.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { providerFixture } from "../support/providers/fixtures.ts";

const [TENCENT, WENXIN] = [23, 15];
const MODELS = ["hunyuan-embedding", "bge-large-zh", "hunyuan-lite", "hunyuan-image-lite", "hunyuan-image"];

let relay: TestRelay;
let vendor: RunningVendor;
let answer: (path: string, response: ServerResponse) => void;

beforeAll(async () => {
  vendor = await startHttpVendor(({ path }, response) => answer(path, response));
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers: providerRegistry() });
  for (const model of MODELS)
    relay.world.prices.set(model, { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" });
});
afterAll(async () => {
  await relay.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.seen.length = 0;
  relay.billing.settlements = [];
  relay.health.succeeded(1, performance.now());
});

const send = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

function serve(type: number, key: string): void {
  relay.world.channels = [newChannel({ type, baseUrl: vendor.url, key, models: new Set(MODELS) })];
}

const embed = async (model: string): Promise<unknown> =>
  (await relay.post("/v1/embeddings", { model, input: ["a", "b"] })).json();
const ANSWER = {
  data: [
    { index: 0, embedding: [0.5] },
    { index: 1, embedding: [1] },
  ],
  usage: { prompt_tokens: 6 },
};

test("Hunyuan's vectors are requested by signature, in the vendor's format", async () => {
  serve(TENCENT, "1250000000|AKIDofthetest|secret-of-the-test");
  const Data = [[0.5], [1]].map((Embedding) => ({ Embedding, Index: 0, Object: "embedding" }));
  answer = (_path, response) =>
    send(response, { Response: { Data, Usage: { PromptTokens: 6, TotalTokens: 6 }, RequestId: "r" } });
  expect(await embed("hunyuan-embedding")).toMatchObject(ANSWER);
  const [seen] = vendor.seen;
  expect([seen?.path, seen?.headers["x-tc-action"], seen?.body.toString()]).toEqual([
    "/",
    "GetEmbedding",
    '{"InputList":["a","b"]}',
  ]);
  expect(seen?.headers["authorization"]).toMatch(/^TC3-HMAC-SHA256 Credential=AKIDofthetest\//);
  expect(relay.billing.settlements[0]?.promptTokens).toBe(6);
});

test("Hunyuan draws by signature, at an address or in bytes, and fails with its own message", async () => {
  serve(TENCENT, "1250000000|AKIDofthetest|secret-of-the-test");
  const asked = { model: "hunyuan-image-lite", prompt: "雨", size: "1000x1000", style: "201", quality: "hd" };
  const draw = (more: object) => relay.post("/v1/images/generations", { ...asked, ...more });
  const url = "https://a.example/rain.png";
  answer = (_path, response) => send(response, { Response: { ResultImage: url, Seed: 1, RequestId: "r" } });
  const drawn = await draw({});
  expect([await drawn.json(), drawn.headers.get("turnpike-warnings")]).toMatchObject([
    { data: [{ url }] },
    expect.stringMatching(/quality.*size/),
  ]);
  const [seen] = vendor.seen;
  const { "x-tc-action": action, "x-tc-region": region, authorization } = seen?.headers ?? {};
  expect([action, region, String(authorization).split(" ")[0]]).toEqual([
    "TextToImageLite",
    "ap-guangzhou",
    "TC3-HMAC-SHA256",
  ]);
  expect(JSON.parse(seen?.body.toString() ?? "")).toEqual({
    Prompt: "雨",
    Style: "201",
    Resolution: "1024:1024",
    RspImgType: "url",
  });
  answer = (_path, response) => send(response, { Response: { ResultImage: "/9j/AA==", RequestId: "r" } });
  expect(await (await draw({ response_format: "b64_json" })).json()).toMatchObject({
    data: [{ b64_json: "/9j/AA==" }],
  });
  const Error = { Code: "OperationDenied.TextIllegalDetected", Message: "not this" };
  answer = (_path, response) => send(response, { Response: { Error, RequestId: "r" } });
  expect([(await draw({})).status, relay.billing.settlements.length]).toEqual([400, 2]);
});

test("a task of Hunyuan's is asked for with signatures of its own", async () => {
  serve(TENCENT, "1250000000|AKIDofthetest|secret-of-the-test");
  const urls = ["https://a.example/1.png", "https://a.example/2.png"];
  const states: object[] = [{ JobStatusCode: "2" }, { JobStatusCode: "5", JobErrorCode: "", ResultImage: urls }];
  answer = (_path, response) => {
    const action = vendor.seen.at(-1)?.headers["x-tc-action"];
    const state = action === "SubmitHunyuanImageJob" ? { JobId: "1-2-3" } : states.shift();
    send(response, { Response: { ...state, RequestId: "r" } });
  };
  const draw = () =>
    relay.post("/v1/images/generations", { model: "hunyuan-image", prompt: "雨", n: 2, style: "riman" });
  expect(await (await draw()).json()).toMatchObject({ data: urls.map((url) => ({ url })) });
  const asked = vendor.seen.map(({ headers, body }) => [headers["x-tc-action"], JSON.parse(body.toString())]);
  const question = ["QueryHunyuanImageJob", { JobId: "1-2-3" }];
  expect(asked).toEqual([["SubmitHunyuanImageJob", { Prompt: "雨", Style: "riman", Num: 2 }], question, question]);
  expect(new Set(vendor.seen.map(({ headers }) => headers["x-tc-region"]))).toEqual(new Set(["ap-guangzhou"]));
  const signatures = vendor.seen.map(({ headers }) => /Signature=(\w+)$/.exec(headers["authorization"] ?? "")?.[1]);
  expect([signatures.includes(undefined), signatures[0] === signatures[1]]).toEqual([false, false]);
  expect(relay.billing.settlements.length).toBe(1);
});

test("with an API key of the same vendor they are asked for as OpenAI has it", async () => {
  serve(TENCENT, "sk-of-the-test");
  answer = (_path, response) => send(response, { object: "list", model: "hunyuan-embedding", ...ANSWER });
  expect(await embed("hunyuan-embedding")).toMatchObject(ANSWER);
  const [seen] = vendor.seen;
  expect([seen?.path, seen?.headers["authorization"]]).toEqual(["/v1/embeddings", "Bearer sk-of-the-test"]);
});

test("Wenxin's vectors are asked for with a token, at the model's own path", async () => {
  serve(WENXIN, "ak-of-vectors|sk-of-vectors");
  const data = [1, 0].map((index) => ({ object: "embedding", index, embedding: [index === 0 ? 0.5 : 1] }));
  answer = (path, response) =>
    send(
      response,
      path.startsWith("/oauth/")
        ? { access_token: "24.t", expires_in: 2_592_000 }
        : { data, usage: { prompt_tokens: 6 } },
    );
  expect(await embed("bge-large-zh")).toMatchObject(ANSWER);
  expect(vendor.seen.at(-1)?.path).toBe(
    "/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/bge_large_zh?access_token=24.t",
  );
  expect(relay.billing.settlements[0]?.promptTokens).toBe(6);
});

test("a failure inside a stream of Hunyuan that has begun is an error to every client", async () => {
  serve(TENCENT, "1250000000|AKIDofthetest|secret-of-the-test");
  const failed = JSON.stringify(fieldsOf(JSON.parse(providerFixture("tencent", "200-stream.json"))));
  const begun = { Id: "c-1", Choices: [{ Index: 0, Delta: { Role: "assistant", Content: "hel" }, FinishReason: "" }] };
  answer = (_path, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(begun)}\n\n`);
    // Later than the first tokens, which the client has by then.
    setTimeout(() => response.end(`data: ${failed}\n\n`), 30);
  };
  for (const format of CLIENT_FORMATS) {
    const said = await relay.post(format.path("hunyuan-lite", true), format.body("hunyuan-lite", true, "hi"));
    expect([format.name, endOf(format, eventsIn(await said.text()))]).toEqual([format.name, "error"]);
  }
});
