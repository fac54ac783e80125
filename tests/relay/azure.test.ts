/** Azure OpenAI through the relay: calls beside chat at both surfaces, forms, sessions, its content filter, and models that only Responses serve. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { CLIENT_FORMATS, eventsIn, wordsIn } from "../support/clients/client-formats.ts";
import { endOf } from "../support/clients/stream-grammar.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const AZURE = 3;
const DATED = "2025-04-01-preview";
const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" };
const MODELS = ["gpt-4o", "gpt-realtime", "text-embedding-3-small", "gpt-image-1", "tts-1", "whisper-1", "gpt-5-codex"];

let relay: TestRelay;
let upstream: FakeUpstream;

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers: providerRegistry() });
  for (const model of MODELS) relay.world.prices.set(model, PRICE);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.reset();
  relay.billing.settlements = [];
  serve("v1");
});

function serve(other: string): void {
  relay.world.channels = [
    newChannel({ type: AZURE, key: "azure-key", other, baseUrl: upstream.url, models: new Set(MODELS) }),
  ];
}

const headers = { authorization: `Bearer sk-${TEST_KEY}` };
const paths = (): string[] => upstream.requests.map(({ path }) => path);

describe.each([
  ["v1", (path: string) => `/openai/v1/${path}`],
  [DATED, (path: string, model: string) => `/openai/deployments/${model}/${path}?api-version=${DATED}`],
] as const)("with the version %s", (version, at) => {
  beforeEach(() => serve(version));

  test("vectors and pictures are made", async () => {
    const vectors = await relay.post("/v1/embeddings", { model: "text-embedding-3-small", input: ["a", "b"] });
    const pictures = await relay.post("/v1/images/generations", { model: "gpt-image-1", prompt: "a lake" });
    expect([vectors.status, pictures.status]).toEqual([200, 200]);
    expect(paths()).toEqual([at("embeddings", "text-embedding-3-small"), at("images/generations", "gpt-image-1")]);
    expect(relay.billing.settlements).toHaveLength(2);
  });

  test("forms go as they came, and speech comes as bytes", async () => {
    const spoken = await relay.post("/v1/audio/speech", { model: "tts-1", input: "hello", voice: "alloy" });
    const body = new FormData();
    body.append("model", "whisper-1");
    body.append("file", new Blob([new Uint8Array(silence(1))]), "file.wav");
    const heard = await fetch(`${relay.url}/v1/audio/transcriptions`, { method: "POST", headers, body });
    expect([spoken.status, heard.status]).toEqual([200, 200]);
    expect(paths()).toEqual([at("audio/speech", "tts-1"), at("audio/transcriptions", "whisper-1")]);
    expect(upstream.requests[1]?.headers["content-type"]).toContain("multipart/form-data; boundary=");
  });
});

test("a client of Responses is answered by chat where the version has no Responses", async () => {
  serve("2024-10-21");
  const answer = await relay.post("/v1/responses", { model: "gpt-4o", input: "hi" });
  expect([answer.status, paths()]).toEqual([
    200,
    ["/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"],
  ]);
});

test("a model that chat does not serve is asked in the format of Responses, and from then on at once", async () => {
  const message = "The chatCompletion operation does not work with the specified model, gpt-5-codex.";
  upstream.plan(({ path }) =>
    path.endsWith("/responses") ? {} : { status: 400, error: { code: "OperationNotSupported", message } },
  );
  const ask = () =>
    relay.post("/v1/chat/completions", { model: "gpt-5-codex", messages: [{ role: "user", content: "hi" }] });
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  expect(paths()).toEqual(["/openai/v1/chat/completions", "/openai/v1/responses", "/openai/v1/responses"]);
});

test("what the filter says of the prompt, in a chunk without choices, ends no stream and is counted as nothing", async () => {
  const chunk = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;
  const base = { id: "chat-1", object: "chat.completion.chunk", created: 1_790_000_000, model: "gpt-4o" };
  const filter = { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: "safe" } } };
  upstream.plan({
    rawBody: [
      chunk({ choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [filter] }),
      chunk({ ...base, choices: [{ index: 0, delta: { role: "assistant", content: "hello" }, finish_reason: null }] }),
      chunk({ ...base, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      chunk({ ...base, choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } }),
      "data: [DONE]\n\n",
    ],
  });
  serve("2024-10-21");
  for (const format of CLIENT_FORMATS) {
    const answer = await relay.post(format.path("gpt-4o", true), format.body("gpt-4o", true, "hi"));
    const events = eventsIn(await answer.text());
    expect([format.name, endOf(format, events), wordsIn(format, events)]).toEqual([format.name, "whole", "hello"]);
  }
  expect(relay.billing.settlements.map(({ promptTokens }) => promptTokens)).toEqual([7, 7, 7, 7]);
});

test("a session is opened at the deployment with the key in its header", async () => {
  const socket = new WebSocket(`${relay.url.replace(/^http/, "ws")}/v1/realtime?model=gpt-realtime`, { headers });
  await new Promise((resolve, reject) => socket.once("message", resolve).once("error", reject));
  socket.close();
  const [opened] = upstream.sockets;
  expect(opened?.path).toBe("/openai/v1/realtime?model=gpt-realtime");
  expect(opened?.headers["api-key"]).toBe("azure-key");
});
