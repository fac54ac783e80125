/** The channel settings force_format and thinking_to_content, buffered and streamed: answers change, charges do not. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { CLIENT_FORMATS, type ClientFormat, fieldsOf, listOf } from "../support/clients/client-formats.ts";
import { endOf, grammarFaults } from "../support/clients/stream-grammar.ts";
import { callStream, type StreamOutcome } from "../support/clients/streaming-client.ts";
import { UPSTREAM_FORMATS, type UpstreamFormat } from "../support/clients/upstream-formats.ts";
import { estimateText } from "../../server/src/dialects/neutral/token-estimate.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import { TEST_KEY, type TestRelay, until, withOptions } from "../support/relay/harness.ts";
import { type AnswerScene, MODEL, openAnswerScene } from "../support/relay/answers.ts";
import { startRelayOfAllFormats } from "../support/relay/formats.ts";

type Setting = SnapshotChannel["setting"];

const THOUGHTS = "First six, then seven: forty-two.";
const TEXT = "It is forty-two, “42”.";
const WORDS = `<think>\n${THOUGHTS}\n</think>\n${TEXT}`;
const [chat] = CLIENT_FORMATS as [ClientFormat];

describe("with an upstream of each format", () => {
  let upstream: FakeUpstream;
  let relay: TestRelay;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    relay = await startRelayOfAllFormats(upstream.url);
  });
  afterAll(async () => {
    await relay.close();
    await upstream.close();
  });

  const set = (setting: Setting): void => {
    for (const [index, channel] of relay.world.channels.entries())
      relay.world.channels[index] = { ...channel, setting };
  };
  const ask = (format: ClientFormat, model: string, isStream: boolean): Promise<StreamOutcome> =>
    callStream({ url: relay.url, key: TEST_KEY, format, model, isStream, text: "Six times seven?" });
  const charged = ({ requestId }: StreamOutcome): unknown => {
    const found = relay.billing.settlements.filter((each) => each.requestId === requestId);
    return found.map(({ charge, promptTokens, completionTokens }) => ({ charge, promptTokens, completionTokens }));
  };
  const wordsOf = ({ body, words }: StreamOutcome, isStream: boolean): string =>
    isStream ? words : chat.wholeWords(fieldsOf(JSON.parse(body)));

  const targets = UPSTREAM_FORMATS.map((target) => [target.name, target] as const);

  describe.each(targets)("chat completions from %s", (_name, { model }: UpstreamFormat) => {
    test.each([false, true])("have their thinking in the text, at the same price; stream: %s", async (isStream) => {
      upstream.plan({ text: TEXT, reasoning: THOUGHTS, chunks: 4 });
      set({});
      const plain = await ask(chat, model, isStream);
      set({ movesThinking: true });
      const moved = await ask(chat, model, isStream);
      expect([moved.status, wordsOf(plain, isStream), wordsOf(moved, isStream)]).toEqual([200, TEXT, WORDS]);
      expect(plain.body).toMatch(/"reasoning_content":/);
      expect(moved.body).not.toMatch(/"reasoning(_content|_details)?":/);
      expect(charged(moved)).toEqual(charged(plain));
      expect(charged(moved)).toHaveLength(1);
      if (isStream) expect([grammarFaults(chat, moved.events), endOf(chat, moved.events)]).toEqual([[], "whole"]);
    });

    test("close their thoughts before a call, and the next turn with them in the text is accepted", async () => {
      const toolCalls = [{ name: "multiply", arguments: '{"a":6,"b":7}' }];
      upstream.plan({ text: "", reasoning: THOUGHTS, toolCalls });
      set({ movesThinking: true });
      const tool = { type: "function", function: { name: "multiply", parameters: { type: "object", properties: {} } } };
      const question = { role: "user", content: "6*7?" };
      const thinks = model === "gpt-4o" ? {} : { reasoning_effort: "medium", max_tokens: 9000 };
      const body = { model, messages: [question], tools: [tool], ...thinks };
      const answer = (await (await relay.post("/v1/chat/completions", body)).json()) as object;
      const [choice] = listOf(fieldsOf(answer)["choices"]).map(fieldsOf);
      const message = fieldsOf(choice?.["message"]);
      expect(message["content"]).toBe(`<think>\n${THOUGHTS}\n</think>\n`);
      expect(message["tool_calls"]).toMatchObject([{ function: { name: "multiply" } }]);
      const [call] = listOf(message["tool_calls"]).map(fieldsOf);
      const result = { role: "tool", tool_call_id: call?.["id"], content: "42" };
      const next = await relay.post("/v1/chat/completions", { ...body, messages: [question, message, result] });
      expect([next.status, (await next.json()) as unknown]).toMatchObject([200, { object: "chat.completion" }]);
      const streamed = await (await relay.post("/v1/chat/completions", { ...body, stream: true })).text();
      expect(streamed.indexOf("\\n</think>\\n")).toBeGreaterThan(0);
      expect(streamed.indexOf("\\n</think>\\n")).toBeLessThan(streamed.indexOf('"tool_calls"'));
    });

    test("that break off inside of thoughts close them, and pay for what was delivered", async () => {
      const plan: Plan = { text: TEXT, reasoning: THOUGHTS.repeat(20), chunks: 20, chunkDelayMs: 2 };
      upstream.plan({ ...plan, cutAtByte: 2_600 });
      set({ movesThinking: true });
      const outcome = await ask(chat, model, true);
      expect(outcome.words).toMatch(/^<think>\nFirst six[^<]*\n<\/think>\n$/);
      expect([grammarFaults(chat, outcome.events), endOf(chat, outcome.events)]).toEqual([[], "error"]);
      const delivered = outcome.words.slice(WORDS.indexOf("F"), 0 - "\n</think>\n".length);
      const [{ completionTokens } = { completionTokens: 0 }] = charged(outcome) as { completionTokens: number }[];
      expect(Math.abs(completionTokens - estimateText(delivered).tokens)).toBeLessThanOrEqual(2);
    });

    test("that are left inside of thoughts are charged for those", async () => {
      upstream.plan({ text: TEXT, reasoning: THOUGHTS.repeat(20), chunks: 40, chunkDelayMs: 10 });
      set({ movesThinking: true });
      const leaves = (words: string): boolean => words.length > 200;
      const call = { url: relay.url, key: TEST_KEY, format: chat, model, isStream: true, text: "6*7?" };
      const outcome = await callStream({ ...call, leaving: { leaves } });
      await until(() => relay.metrics.openCalls === 0);
      const [{ completionTokens } = { completionTokens: 0 }] = charged(outcome) as { completionTokens: number }[];
      expect(completionTokens).toBeGreaterThanOrEqual(45);
      expect(completionTokens).toBeLessThan(120);
      expect(relay.billing.held).toBe(0);
    });
  });

  test.each(CLIENT_FORMATS.slice(1).map((format) => [format.name, format] as const))(
    "clients of %s keep the thinking where their format has it",
    async (name, format) => {
      const { model } = UPSTREAM_FORMATS.find((target) => target.name === name) as UpstreamFormat;
      for (const target of [model, "gpt-4o"]) {
        upstream.plan({ text: TEXT, reasoning: THOUGHTS, chunks: 3 });
        for (const isStream of [false, true]) {
          set({});
          const plain = await ask(format, target, isStream);
          set({ movesThinking: true });
          const outcome = await ask(format, target, isStream);
          expect(outcome.status).toBe(200);
          expect(outcome.body).toContain("First");
          const withoutIds = (body: string): string =>
            body.replace(/req-test-\d+/g, "req").replace(/"(?:created|completed)_at":\d+/g, "");
          expect(withoutIds(outcome.body)).toBe(withoutIds(plain.body));
        }
      }
    },
  );

  test.each(CLIENT_FORMATS.map((format) => [format.name, format] as const))(
    "clients of %s get known fields alone from an upstream of their own format, at the same price",
    async (name, format) => {
      const { model } = UPSTREAM_FORMATS.find((target) => target.name === name) as UpstreamFormat;
      for (const isStream of [false, true]) {
        upstream.plan({ text: TEXT, reasoning: THOUGHTS, chunks: 4 });
        set({});
        const plain = await ask(format, model, isStream);
        set({ forcesFormat: true });
        const forced = await ask(format, model, isStream);
        expect(forced.status).toBe(200);
        const events = ({ events: seen, body }: StreamOutcome): unknown => (isStream ? seen : JSON.parse(body));
        expect(events(forced)).toEqual(events(plain));
        expect(charged(forced)).toEqual(charged(plain));
        if (isStream)
          expect([grammarFaults(format, forced.events), endOf(format, forced.events)]).toEqual([[], "whole"]);
      }
    },
  );
});

describe("with an upstream of the OpenAI format that says more than it should", () => {
  let scene: AnswerScene;
  beforeEach(async () => {
    scene = await openAnswerScene();
    scene.addChannel(8);
  });
  afterEach(() => scene.close());

  const set = (setting: Setting): void => {
    const [channel] = scene.relay.world.channels;
    if (channel !== undefined) scene.relay.world.channels[0] = { ...channel, setting };
  };
  const messages = [{ role: "user", content: "hi" }];
  const answer = (message: object, more = ""): string =>
    `{"id":"chatcmpl-90071992547409931","object":"chat.completion","created":1760000000,"model":"m","choices":[{"index":0,` +
    `"message":${JSON.stringify(message)},"finish_reason":"stop","stop_reason":null}],` +
    `"usage":{"prompt_tokens":1,"completion_tokens":2,"x_ticket":90071992547409931}${more}}`;

  test("a whole answer loses what the format does not have, and each number keeps its digits", async () => {
    set({ forcesFormat: true });
    const call = { id: "t", type: "function", function: { name: "f", arguments: '{"id":90071992547409931}' } };
    scene.upstream.plan({
      rawBody: answer({ role: "assistant", content: null, tool_calls: [call], vendor: 1 }, ',"kv":{}'),
    });
    const reply = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages });
    const text = await reply.text();
    expect(text).toBe(
      answer({ role: "assistant", content: null, tool_calls: [call] }).replace(',"stop_reason":null', ""),
    );
    expect(Number(reply.headers.get("content-length"))).toBe(text.length);
    expect(scene.relay.billing.settlements).toHaveLength(1);
  });

  test("both settings work together, and a stream answered in one piece has its thinking in the text too", async () => {
    set({ forcesFormat: true, movesThinking: true });
    const rawBody = answer({ role: "assistant", content: TEXT, reasoning_content: THOUGHTS }, ',"kv":{}');
    scene.upstream.plan({ rawBody });
    const whole = await (await scene.relay.post("/v1/chat/completions", { model: MODEL, messages })).text();
    expect(whole).toBe(answer({ role: "assistant", content: WORDS }).replace(',"stop_reason":null', ""));
    const streamed = await callStream({
      url: scene.relay.url,
      key: TEST_KEY,
      format: chat,
      model: MODEL,
      isStream: true,
      text: "hi",
    });
    expect([streamed.words, endOf(chat, streamed.events)]).toEqual([WORDS, "whole"]);
  });

  test("a stream for a client that asked for none has its thinking in the text", async () => {
    set({ movesThinking: true });
    const piece = (delta: object, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const rawBody = `${piece({ reasoning: THOUGHTS })}${piece({ content: TEXT })}${piece({}, "stop")}data: [DONE]\n\n`;
    scene.upstream.plan({ rawBody, contentType: "text/event-stream" });
    const reply = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages });
    expect(chat.wholeWords(fieldsOf(await reply.json()))).toBe(WORDS);
  });

  test("a completion loses what the format does not have, also as the one event of its stream", async () => {
    set({ forcesFormat: true, movesThinking: true });
    const body = { id: "c", object: "text_completion", choices: [{ index: 0, text: "four", finish_reason: "stop" }] };
    scene.upstream.plan({ rawBody: JSON.stringify({ ...body, vendor: [1] }, undefined, 2) });
    const whole = await scene.relay.post("/v1/completions", { model: MODEL, prompt: "2+2" });
    expect(await whole.json()).toEqual(body);
    const streamed = await scene.relay.post("/v1/completions", { model: MODEL, prompt: "2+2", stream: true });
    expect(await streamed.text()).toBe(`data: ${JSON.stringify(body)}\n\ndata: [DONE]\n\n`);
  });

  test("other calls keep their bytes", async () => {
    set({ forcesFormat: true, movesThinking: true });
    const rawBody = '{"object":"list","vendor":1,"data":[{"embedding":[0.1],"index":0}],"usage":{"prompt_tokens":1}}';
    scene.upstream.plan({ rawBody });
    const reply = await scene.relay.post("/v1/embeddings", { model: MODEL, input: "hi" });
    expect(await reply.text()).toBe(rawBody);
  });

  test("an answer that is none is refused before anything is charged", async () => {
    set({ forcesFormat: true });
    scene.upstream.plan({ rawBody: '{"usage":{"prompt_tokens":1,"completion_tokens":2}}' });
    const reply = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages });
    expect(reply.status).toBe(502);
    expect(scene.relay.billing.settlements).toEqual([]);
  });

  const withPings = (): void =>
    withOptions(scene.relay.world, {
      "general_setting.ping_interval_enabled": true,
      "general_setting.ping_interval_seconds": 0.01,
    });

  test("thoughts that never went out are not closed either", async () => {
    set({ movesThinking: true });
    withPings();
    const thought = 'data: {"id":"c","choices":[{"index":0,"delta":{"reasoning":"hm"}}]}\n\n';
    scene.upstream.plan({ rawBody: [`${thought}data: {"error":{"message":"too busy"}}\n\n`], headerDelayMs: 60 });
    const reply = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages, stream: true });
    const text = (await reply.text()).replaceAll(": PING\n\n", "");
    expect(text).toBe('data: {"error":{"message":"too busy"}}\n\n');
    expect(scene.relay.billing.settlements).toEqual([]);
  });

  test("comments that keep the connection open come before a stream and its thinking", async () => {
    set({ movesThinking: true, forcesFormat: true });
    withPings();
    const frame = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ id: "c", kv: 1, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const rawBody = [frame({ reasoning: "hm" }, null), frame({ content: "so" }, "stop"), "data: [DONE]\n\n"];
    scene.upstream.plan({ rawBody, headerDelayMs: 60, chunkDelayMs: 5 });
    const reply = await scene.relay.post("/v1/chat/completions", { model: MODEL, messages, stream: true });
    const text = await reply.text();
    expect(text.startsWith(": PING")).toBe(true);
    expect(text.replaceAll(": PING\n\n", "")).not.toContain('"kv"');
    expect(
      text
        .replaceAll(": PING\n\n", "")
        .split("\n\n")
        .map((each) => /"content":("[^"]*")/.exec(each)?.[1]),
    ).toEqual(['"<think>\\nhm"', '"\\n</think>\\n"', '"so"', undefined, undefined]);
  });
});
