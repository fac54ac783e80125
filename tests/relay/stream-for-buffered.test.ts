/** Unrequested streams: the client gets one buffered answer, charged like every other, and a stream that fails is a failure. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseObject } from "../../server/src/dialects/json/fields.ts";
import { DIALECTS } from "../../server/src/dialects/registry.ts";
import { readEvent } from "../../server/src/dialects/stream/sse-event.ts";
import { SseSplitter } from "../../server/src/upstream/sse.ts";
import { TEST_KEY } from "../support/relay/harness.ts";
import { type AnswerScene, MODEL, fixture, openAnswerScene, pairsOf } from "../support/relay/answers.ts";

const messages = [{ role: "user", content: "hi" }];

const CLIENTS = [
  { name: "openai-chat", path: "/v1/chat/completions", body: { messages } },
  { name: "openai-responses", path: "/v1/responses", body: { input: "hi" } },
  { name: "anthropic-messages", path: "/v1/messages", body: { max_tokens: 100, messages } },
  {
    name: "gemini",
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
] as const;
const UPSTREAMS = [
  { name: "openai-chat", type: 8, stream: "openai-chat/fixtures/stream-default.txt" },
  { name: "openai-chat tools", type: 8, stream: "openai-chat/fixtures/stream-tools.txt" },
  { name: "anthropic-messages", type: 14, stream: "anthropic-messages/fixtures/text-stream.txt" },
  { name: "anthropic-messages tools", type: 14, stream: "anthropic-messages/fixtures/tool-stream.txt" },
  { name: "gemini", type: 24, stream: "gemini/fixtures/text-stream.txt" },
] as const;
const PAIRS = pairsOf(CLIENTS, UPSTREAMS);

let scene: AnswerScene;

beforeEach(async () => {
  scene = await openAnswerScene();
});

afterEach(() => scene.close());

const contentType = "text/event-stream; charset=utf-8";

/** Text and calls of an answer in a client's format. */
function partsOf(name: keyof typeof DIALECTS, text: string): unknown {
  const answer = DIALECTS[name].decodeAnswer(parseObject(text) ?? {});
  return answer?.choices[0]?.parts.flatMap((part): unknown[] => {
    if (part.kind === "text") return part.text === "" ? [] : [part.text];
    return part.kind === "tool_call" ? [[part.name, JSON.parse(part.arguments)]] : [];
  });
}

/** The same of a stream, by the format's own decoder. */
function partsOfStream(dialect: keyof typeof DIALECTS, text: string): unknown {
  const decoder = DIALECTS[dialect].createDecoder();
  const [parts, calls]: [string[], [string, string][]] = [[], []];
  new SseSplitter(1_000_000).push(Buffer.from(text), (bytes, latin) => {
    const { event: name, data } = readEvent(bytes, latin);
    for (const event of decoder.push(name, data)) {
      if (event.kind === "text") parts[0] = (parts[0] ?? "") + event.text;
      if (event.kind === "tool_call") calls[event.index] = [event.name, ""];
      const open = event.kind === "tool_arguments" ? calls[event.index] : undefined;
      if (open !== undefined && event.kind === "tool_arguments") open[1] += event.text;
    }
  });
  return [...parts, ...calls.map(([called, input]) => [called, JSON.parse(input === "" ? "{}" : input)])];
}

test.each(PAIRS)("%s gets one answer from the stream of %s", async (_client, _target, client, target) => {
  scene.addChannel(target.type);
  const stream = fixture(target.stream);
  scene.upstream.plan({ rawBody: stream, contentType });
  const answer = await scene.relay.post(client.path, { model: MODEL, ...client.body });
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  const [dialect] = target.name.split(" ") as [keyof typeof DIALECTS];
  expect(partsOf(client.name, await answer.text())).toEqual(partsOfStream(dialect, stream));
  expect(scene.relay.billing.settlements).toHaveLength(1);
});

test("a Responses stream becomes the response", async () => {
  scene.addChannel(1);
  const stream = fixture("openai-responses/fixtures/stream-text.txt");
  scene.upstream.plan({ rawBody: stream, contentType });
  const answer = await scene.relay.post("/v1/responses", { model: MODEL, input: "hi" });
  expect(partsOf("openai-responses", await answer.text())).toEqual(partsOfStream("openai-responses", stream));
});

test("the official library reads it", async () => {
  scene.addChannel(8);
  scene.upstream.plan({ rawBody: fixture("openai-chat/fixtures/stream-tools.txt"), contentType });
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${scene.relay.url}/v1`, maxRetries: 0 });
  const { choices } = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: "user", content: "hi" }],
  });
  expect(choices[0]?.message.tool_calls?.length).toBeGreaterThan(0);
  expect(choices[0]?.finish_reason).toBe("tool_calls");
});

describe("a stream that is no answer is tried elsewhere, and costs nothing", () => {
  const first = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "half" } }] })}\n\n`;
  test.each([
    ["that breaks off", first, 502],
    ["with an error in it", `${first}data: {"error":{"message":"too busy","type":"server_error"}}\n\n`, undefined],
    ["that is nothing", ": nothing\n\n", 502],
    ["that is no JSON", `${first}data: {"cut\n\n`, undefined],
  ])("%s", async (_name, rawBody, status) => {
    scene.addChannel(8);
    scene.upstream.plan({ rawBody, contentType });
    const answer = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    if (status !== undefined) expect(answer.status).toBe(status);
    expect(parseObject(await answer.text())?.["error"]).toBeDefined();
    expect(scene.relay.billing.settlements).toEqual([]);
    expect(scene.relay.billing.held).toBe(0);
  });

  test("and where the connection stays open behind the end, the answer comes soon", async () => {
    scene.addChannel(8);
    const end = fixture("openai-chat/fixtures/stream-default.txt");
    scene.upstream.plan({ rawBody: [end, ": still there\n\n"], chunkDelayMs: 60_000, contentType });
    const answer = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages });
    expect(answer.status).toBe(200);
    expect(scene.relay.billing.settlements).toHaveLength(1);
  });
});
