/** Streams answered in one piece: the client gets events all the same, also after comments were sent. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DIALECTS } from "../../server/src/dialects/registry.ts";
import { SseSplitter } from "../../server/src/upstream/sse.ts";
import { readEvent } from "../../server/src/dialects/stream/sse-event.ts";
import { withOptions } from "../support/relay/harness.ts";
import { type AnswerScene, MODEL, fixture, openAnswerScene, pairsOf } from "../support/relay/answers.ts";

/** One question in each client's format, and an answer in each upstream's. */
const CLIENTS = [
  {
    name: "openai-chat",
    path: "/v1/chat/completions",
    body: { stream: true, messages: [{ role: "user", content: "hi" }] },
  },
  { name: "openai-responses", path: "/v1/responses", body: { stream: true, input: "hi" } },
  {
    name: "anthropic-messages",
    path: "/v1/messages",
    body: { stream: true, max_tokens: 100, messages: [{ role: "user", content: "hi" }] },
  },
  {
    name: "gemini",
    path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
] as const;
const UPSTREAMS = [
  { name: "openai-chat", type: 8, answer: "openai-chat/fixtures/answer-default.json" },
  { name: "anthropic-messages", type: 14, answer: "anthropic-messages/fixtures/text-answer.json" },
  { name: "gemini", type: 24, answer: "gemini/fixtures/text-answer.json" },
] as const;
const PAIRS = pairsOf(CLIENTS, UPSTREAMS);

let scene: AnswerScene;

beforeEach(async () => {
  scene = await openAnswerScene();
});

afterEach(() => scene.close());

/** Text of a stream in a format, and whether it has its end event. */
function readStream(name: keyof typeof DIALECTS, text: string): { words: string; isWhole: boolean } {
  const decoder = DIALECTS[name].createDecoder();
  let [words, isWhole] = ["", false];
  new SseSplitter(1_000_000).push(Buffer.from(text), (bytes, latin) => {
    const { event, data } = readEvent(bytes, latin);
    for (const each of decoder.push(event, data)) {
      if (each.kind === "text") words += each.text;
      if (each.kind === "error") throw new Error(each.text);
      isWhole ||= each.kind === "finish";
    }
  });
  return { words, isWhole };
}

const wordsOf = (name: keyof typeof DIALECTS, path: string): string => {
  const answer = DIALECTS[name].decodeAnswer(JSON.parse(fixture(path)) as Record<string, unknown>);
  return (answer?.choices[0]?.parts ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("");
};

describe.each(PAIRS)("%s from %s", (_client, _target, client, target) => {
  test.each([false, true])("in one piece, comments before it: %s", async (pings) => {
    scene.addChannel(target.type);
    if (pings)
      withOptions(scene.relay.world, {
        "general_setting.ping_interval_enabled": true,
        "general_setting.ping_interval_seconds": 0.01,
      });
    scene.upstream.plan({ rawBody: fixture(target.answer), headerDelayMs: pings ? 60 : 0 });
    const answer = await scene.relay.post(client.path, { model: MODEL, ...client.body });
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(text.startsWith(": PING")).toBe(pings);
    const expected = wordsOf(target.name, target.answer);
    expect(expected).not.toBe("");
    expect(readStream(client.name, text)).toEqual({ words: expected, isWhole: true });
    expect(scene.relay.billing.settlements).toHaveLength(1);
  });
});

test("a completion in one piece is the one chunk of its stream", async () => {
  scene.addChannel(1);
  const body = {
    id: "cmpl-1",
    object: "text_completion",
    choices: [{ index: 0, text: "four", finish_reason: "stop" }],
  };
  scene.upstream.plan({ rawBody: JSON.stringify(body, undefined, 2) });
  const answer = await scene.relay.post("/v1/completions", { model: MODEL, prompt: "2+2", stream: true });
  const text = await answer.text();
  expect(text.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
  const [event = ""] = text.split("\n\n");
  expect(JSON.parse(event.replaceAll(/^data: /gm, ""))).toEqual(body);
});
