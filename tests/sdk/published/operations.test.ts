/** The gateway's own answers in OpenAI's forms beside plain conversations are of the published types: lists, media, searches, Responses in every state, errors. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parseOptions } from "../../../contract/src/options/options.ts";
import { silence } from "../../../server/src/relay/probe-questions.ts";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { VIDEO_KEY, startFakeVideos } from "../../fake-upstream/tasks/video-api.ts";
import { fieldsOf } from "../../support/clients/client-formats.ts";
import { UPSTREAM_FORMATS } from "../../support/clients/upstream-formats.ts";
import { OPERATION_CASES } from "../../support/providers/operation-cases.ts";
import { startRelayOfAllFormats } from "../../support/relay/formats.ts";
import { TEST_KEY, type TestRelay, newChannel, until } from "../../support/relay/harness.ts";
import { type SearchServer, startSearchServer } from "../../support/relay/search-server.ts";
import { startTaskSite } from "../../support/tasks/task-site.ts";
import { CHAT, RESPONSES, hold, holdAnswer } from "./answers.ts";
import { type PublishedName, publishedFaults } from "./schemas.ts";

const AUTH = { authorization: `Bearer sk-${TEST_KEY}` };
const ENDS = [false, true] as const;
let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  // Made once, which takes some seconds.
  publishedFaults("model", {});
}, 240_000);
afterAll(() => upstream.close());
beforeEach(async () => {
  upstream.reset();
  relay = await startRelayOfAllFormats(upstream.url, { isQuiet: true });
  return () => relay.close();
});

const get = (path: string, method = "GET"): Promise<Response> => fetch(relay.url + path, { method, headers: AUTH });
/** The type's faults in an answer that has to be one. */
async function faultsOf(name: PublishedName, answer: Response): Promise<[number, string[]]> {
  return [answer.status, publishedFaults(name, await answer.json())];
}
const FINE = [200, []];

/** One channel of this type for the models, at the fake upstream. */
function offer(type: number, ...models: string[]): void {
  const { world } = relay;
  world.channels = [newChannel({ type, baseUrl: upstream.url, models: new Set(models) })];
  for (const model of models) world.prices.set(model, { kind: "per_call", price: "0.01" });
}

test("models, listed and one", async () => {
  expect(await faultsOf("models", await get("/v1/models"))).toEqual(FINE);
  expect(await faultsOf("model", await get("/v1/models/gpt-4o"))).toEqual(FINE);
  expect(await faultsOf("error", await get("/v1/models/none"))).toEqual([404, []]);
});

describe("media", () => {
  test.each([
    ["/v1/embeddings", "embeddings", 1, { model: "text-embedding-3-small", input: ["a", "b"] }],
    ["/v1/embeddings", "embeddings", 24, { model: "gemini-embedding-001", input: ["a", "b"] }],
    ["/v1/images/generations", "images", 1, { model: "gpt-image-1", prompt: "a cat" }],
    ["/v1/images/generations", "images", 24, { model: "imagen-4.0-generate-001", prompt: "a cat", n: 2 }],
  ] as const)("%s, %s, of channel type %i", async (path, name, type, body) => {
    offer(type, body.model);
    expect(await faultsOf(name, await relay.post(path, body))).toEqual(FINE);
  });

  test("pictures as a stream", async () => {
    offer(1, "gpt-image-1");
    const body = { model: "gpt-image-1", prompt: "x", stream: true, partial_images: 1 };
    const answer = await relay.post("/v1/images/generations", body);
    const held = await holdAnswer(answer, { whole: "images", event: "imageEvent" });
    expect([held.faults, held.counts.get("imageEvent")]).toEqual([[], 2]);
  });

  test.each([
    ["transcriptions", "whisper-1", "transcription", {}],
    ["transcriptions", "gpt-4o-transcribe", "transcriptionEvent", { stream: "true" }],
    ["translations", "whisper-1", "translation", {}],
  ] as const)("%s of %s: %s", async (operation, model, name, more) => {
    offer(1, model);
    const body = new FormData();
    for (const [field, value] of Object.entries({ model, ...more })) body.set(field, value);
    body.set("file", new File([new Uint8Array(silence(2))], "recording.wav", { type: "audio/wav" }));
    const answer = await fetch(`${relay.url}/v1/audio/${operation}`, { method: "POST", headers: AUTH, body });
    const held = await holdAnswer(answer, { whole: name, event: name });
    expect([held.status, held.faults, held.counts.has(name)]).toEqual([200, [], true]);
  });

  const TRANSLATED = {
    embeddings: ["/v1/embeddings", "embeddings"],
    images: ["/v1/images/generations", "images"],
  } as const;
  const cases = OPERATION_CASES.filter(
    ({ operation, asks }) => operation in TRANSLATED && asks["encoding_format"] !== "base64",
  );

  /** Answers in OpenAI's form by vendors that leave something out, which go on as they came. */
  const OF_VENDORS: Readonly<Record<string, readonly string[]>> = {
    "Jina makes vectors of pictures and texts": ["usage must have required property 'prompt_tokens'"],
    "Moka makes vectors": ["it must have required property 'model'"],
    "Ark draws a set and is counted by its tokens": [
      "usage must have required property 'input_tokens'",
      "usage must have required property 'input_tokens_details'",
    ],
  };

  test.each(cases)("$name", async ({ name: title, type, other = "", operation, asks, exchanges }) => {
    const model = String(asks["model"]);
    offer(type, model);
    let count = 0;
    const vendor = createServer((request, response) => {
      const exchange = exchanges[count];
      count += 1;
      request.resume().on("end", () => {
        const { bytes = JSON.stringify(exchange?.says ?? {}), mimeType = "application/json" } = fieldsOf(
          exchange?.says,
        );
        response.writeHead(exchange?.status ?? 200, { "content-type": String(mimeType) }).end(bytes);
      });
    });
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", () => resolve()));
    const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    relay.world.channels = relay.world.channels.map((channel) => ({ ...channel, other, baseUrl }));
    const [path, name] = TRANSLATED[operation as keyof typeof TRANSLATED];
    const answered = await faultsOf(name, await relay.post(path, asks));
    vendor.closeAllConnections();
    vendor.close();
    expect(answered).toEqual([200, OF_VENDORS[title] ?? []]);
  });
});

describe("a search that the gateway makes", () => {
  let server: SearchServer;
  beforeEach(async () => {
    server = await startSearchServer();
    server.pages = [{ url: "https://news.example/a", title: "First", text: "It rained." }];
    offer(25, "gpt-4o");
    const options = {
      WebSearchProvider: "brave",
      WebSearchAddress: server.url,
      WebSearchKey: "a-key",
      WebSearchPrice: "7",
    };
    relay.world.options = parseOptions(new Map(Object.entries(options)));
    return () => server.close();
  });

  const asked = { model: "gpt-4o", messages: [{ role: "user", content: "weather?" }], web_search_options: {} };
  test.each([
    [CHAT, asked],
    [RESPONSES, { model: "gpt-4o", input: "weather?", tools: [{ type: "web_search" }] }],
  ] as const)("in form %#", async (form, body) => {
    for (const stream of ENDS) {
      const call = { name: "web_search", arguments: '{"query":"rain"}' };
      upstream.next({ text: "", toolCalls: [call] }, { text: "It rained [1]." });
      const { status, faults } = await holdAnswer(await relay.post(form.path, { ...body, stream }), form);
      expect([status, faults]).toEqual(FINE);
    }
    expect(server.asked).toHaveLength(2);
  });
});

describe.each(UPSTREAM_FORMATS.filter(({ name }) => name !== "openai-responses"))("Responses of $name", ({ model }) => {
  const body = { model, input: "Hello" };

  test("in the background: begun, polled, followed, cancelled and deleted", async () => {
    const begun = await relay.post("/v1/responses", { ...body, background: true });
    expect(publishedFaults("response", await begun.json())).toEqual([]);
    const made = await relay.post("/v1/responses", { ...body, background: true, stream: true });
    const at = `/v1/responses/${/resp_bg_[\w-]+/.exec(await made.text())?.[0]}`;
    const followed = await holdAnswer(await get(`${at}?stream=true`), RESPONSES);
    expect([followed.faults, followed.counts.has("responseEvent")]).toEqual([[], true]);
    expect(await faultsOf("response", await get(at))).toEqual(FINE);
    // What was put in is an upstream's to keep.
    expect(await faultsOf("error", await get(`${at}/input_items`))).toEqual([expect.any(Number), []]);
    upstream.next({ text: "word ".repeat(50), chunks: 50, chunkDelayMs: 20 });
    const streamed = await relay.post("/v1/responses", { ...body, background: true, stream: true });
    const events = holdAnswer(streamed.clone(), RESPONSES);
    const second = /"id":"(resp_bg_[\w-]+)"/.exec(
      new TextDecoder().decode((await streamed.body?.getReader().read())?.value),
    );
    expect(await faultsOf("response", await get(`/v1/responses/${second?.[1]}/cancel`, "POST"))).toEqual(FINE);
    expect((await events).faults).toEqual([]);
    expect(await faultsOf("deletedResponse", await get(at, "DELETE"))).toEqual(FINE);
    expect(await faultsOf("error", await get(at))).toEqual([404, []]);
  });

  test("that fail in the background", async () => {
    upstream.plan({ status: 400, error: { message: "Too long." } });
    const begun = await relay.post("/v1/responses", { ...body, background: true });
    const first = (await begun.json()) as { id: string; status: string };
    expect(publishedFaults("response", first)).toEqual([]);
    let last: { status: string } = first;
    await expect
      .poll(async () => (last = (await (await get(`/v1/responses/${first.id}`)).json()) as typeof last).status)
      .toBe("failed");
    expect(publishedFaults("response", last)).toEqual([]);
    const streamed = await relay.post("/v1/responses", { ...body, background: true, stream: true });
    expect((await holdAnswer(streamed, RESPONSES)).faults).toEqual([]);
  });

  test("in short form, and counted", async () => {
    const compacted = await relay.post("/v1/responses/compact", body);
    // OpenAI's own keep the messages of users as well, whose type has none but those of the model.
    expect(await faultsOf("compactedResponse", compacted)).toEqual([
      200,
      [
        'output[]/content[] value of tag "type" must be in oneOf: "input_text"',
        'output[]/role must be equal to constant: "assistant"',
      ],
    ]);
    expect(await faultsOf("inputTokens", await relay.post("/v1/responses/input_tokens", body))).toEqual(FINE);
  });

  test("on a socket, and what is refused there", async () => {
    const socket = new WebSocket(`${relay.url.replace("http", "ws")}/v1/responses`, { headers: AUTH });
    const events: Record<string, unknown>[] = [];
    socket.on("message", (data) => events.push(JSON.parse((data as Buffer).toString()) as Record<string, unknown>));
    await new Promise((resolve) => socket.once("open", resolve));
    const ended = (count: number) =>
      until(() => events.filter(({ type }) => /completed|^error/.test(String(type))).length >= count);
    socket.send(JSON.stringify({ type: "response.create", ...body, store: false }));
    await until(() => events.some(({ type }) => type === "response.completed"));
    socket.send(JSON.stringify({ type: "response.create", model: "none", input: "Hello" }));
    await until(() => events.some(({ type }) => type === "error"));
    await ended(2);
    socket.terminate();
    expect(hold(events.map((event) => ["socketEvent", event] as const)).faults).toEqual([]);
  });
});

test.each([
  ["POST", "/v1/chat/completions", "no JSON"],
  ["POST", "/v1/chat/completions", "{}"],
  ["POST", "/v1/chat/completions", '{"model":"none","messages":[]}'],
  ["POST", "/v1/chat/completions", '{"model":"gpt-4o","messages":[{"role":"user","content":5}],"n":1000}'],
  ["POST", "/v1/responses", '{"model":"none","input":"Hello"}'],
  ["POST", "/v1/responses", '{"model":"claude-sonnet-4-5","input":"Hello","previous_response_id":"resp_1"}'],
  ["POST", "/v1/embeddings", '{"model":"claude-sonnet-4-5","input":"a"}'],
  ["POST", "/v1/batches", "{}"],
  ["POST", "/v1/assistants", "{}"],
  ["GET", "/v1/chat/completions", undefined],
  ["GET", "/v1/responses/resp_none", undefined],
  ["POST", "/v1/responses/resp_none/cancel", undefined],
  ["DELETE", "/v1/responses/resp_none", undefined],
] as const)(
  "%s %s with %s is refused in the published envelope, with a key and without",
  async (method, path, body) => {
    for (const authorization of [AUTH.authorization, "Bearer sk-wrong"]) {
      const headers = { authorization, "content-type": "application/json" };
      const answer = await fetch(relay.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
      expect([answer.ok, publishedFaults("error", await answer.json())]).toEqual([false, []]);
    }
  },
);

test("videos: made, read, listed, failed and deleted", async () => {
  const videos = await startFakeVideos();
  const at = { url: videos.url, key: VIDEO_KEY };
  const site = await startTaskSite([
    { ...at, type: 1, models: ["sora-2"] },
    { ...at, type: 24, models: ["veo-3.0-generate-001"] },
  ]);
  try {
    const ada = await site.person({ quota: 100_000_000, tokenQuota: 50_000_000 });
    // A picture's size in Veo's own words, which are none of Sora's four.
    const isVeos = (fault: string) => /^(?:data\[\]\/)?size must be equal to one of/.test(fault);
    const faults = async (name: PublishedName, answer: Response, knows = (_fault: string) => false) => [
      answer.status,
      publishedFaults(name, await answer.json()).filter((fault) => !knows(fault)),
    ];
    for (const model of ["sora-2", "veo-3.0-generate-001"]) {
      const made = await site.post("/v1/videos", ada, { model, prompt: "a cat", seconds: "8" });
      const { id } = (await made.clone().json()) as { id: string };
      const knows = model === "sora-2" ? undefined : isVeos;
      expect(await faults("video", made, knows)).toEqual(FINE);
      expect(await faults("video", await site.get(`/v1/videos/${encodeURIComponent(id)}`, ada), knows)).toEqual(FINE);
    }
    expect(await faults("videos", await site.get("/v1/videos", ada), isVeos)).toEqual(FINE);
    expect(await faults("error", await site.get("/v1/videos/none", ada))).toEqual([404, []]);
    const made = (await (await site.post("/v1/videos", ada, { model: "sora-2", prompt: "x" })).json()) as {
      id: string;
    };
    videos.finish(made.id, { status: "failed", error: { code: "moderation_blocked", message: "No." } });
    await site.poll();
    expect(await faults("video", await site.get(`/v1/videos/${made.id}`, ada))).toEqual(FINE);
    const headers = ada.headers;
    const deleted = await fetch(`${site.app.url}/v1/videos/${made.id}`, { method: "DELETE", headers });
    expect(await faults("deletedVideo", deleted)).toEqual(FINE);
  } finally {
    await site.close();
    await videos.close();
  }
});
