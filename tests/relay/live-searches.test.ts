/** Streams of calls whose searches the gateway makes: words and searches come while later rounds are still to come, as one answer, in the four formats and through the official libraries. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseOptions } from "../../contract/src/options/options.ts";
import { chargeScene } from "../support/relay/charges.ts";
import { TEST_KEY, newChannel, until } from "../support/relay/harness.ts";
import { type SearchServer, startSearchServer } from "../support/relay/search-server.ts";

const scene = chargeScene();
const MODEL = "gpt-4o";
/** Moonshot: chat completions, and no search in them. */
const MOONSHOT = 25;
const [FIRST, SECOND] = ["Let me look. ", "It rained [1] and shone [2]."];

let server: SearchServer;

beforeEach(async () => {
  server = await startSearchServer();
  server.pages = [
    { url: "https://news.example/a", title: "First", text: "It rained." },
    { url: "https://other.example/b", title: "Second", text: "It shone." },
  ];
  const { world } = scene.relay;
  const channel = { id: 9, type: MOONSHOT, baseUrl: scene.upstream.url, models: new Set([MODEL]) };
  world.channels = [newChannel({ ...channel, groupNames: ["far"] })];
  const texts = {
    WebSearchProvider: "brave",
    WebSearchAddress: server.url,
    WebSearchKey: "secret-key-of-the-search",
    WebSearchPrice: "7",
  };
  world.options = parseOptions(new Map(Object.entries(texts)));
});
afterEach(() => server.close());

const usage = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});
const LOOKS = {
  text: FIRST,
  toolCalls: [{ name: "web_search", arguments: '{"query":"rain"}' }],
  usage: usage(100, 10),
};
const ANSWER = { text: SECOND, usage: usage(300, 20) };
/** 0.333 of (400 + 30 x 4) x 1.25, and of 7 USD for 1,000 searches at 500,000 units. */
const WHOLE_CHARGE = Math.round(0.333 * (520 * 1.25 + 3500));
/** The same of the first round and its search. */
const FIRST_CHARGE = Math.round(0.333 * (140 * 1.25 + 3500));

/** What a client has read: the words, names of what came, and what its library made of it in the end. */
interface Read {
  words: string;
  seen: string[];
  whole: () => Promise<unknown>;
  leave: () => void;
  isOver: Promise<unknown>;
}

/** Reads events as they come, in the background. */
function reading(read: Omit<Read, "isOver">, events: AsyncIterable<unknown>, take: (event: never) => void): Read {
  const isOver = (async () => {
    for await (const event of events) take(event as never);
  })().catch((error: unknown) => error);
  return Object.assign(read, { isOver });
}

const apiKey = `sk-${TEST_KEY}`;
const messages = [{ role: "user" as const, content: "weather?" }];

const CLIENTS = {
  chat() {
    const client = new OpenAI({ baseURL: `${scene.relay.url}/v1`, apiKey, maxRetries: 0 });
    const stream = client.chat.completions.stream({ model: MODEL, messages, web_search_options: {} });
    const whole = async () => (await stream.finalChatCompletion()).choices[0];
    const read = { words: "", seen: [] as string[], whole, leave: () => stream.abort() };
    return reading(read, stream, (chunk: OpenAI.ChatCompletionChunk) => {
      const { content, annotations = [] } = { ...chunk.choices[0]?.delta } as ChatDelta;
      read.words += content ?? "";
      for (const { url_citation: at } of annotations) read.seen.push(`${at.start_index} ${at.url}`);
    });
  },
  responses() {
    const client = new OpenAI({ baseURL: `${scene.relay.url}/v1`, apiKey, maxRetries: 0 });
    const stream = client.responses.stream({ model: MODEL, input: "weather?", tools: [{ type: "web_search" }] });
    const read = { words: "", seen: [] as string[], whole: () => stream.finalResponse(), leave: () => stream.abort() };
    let sequence = 0;
    return reading(read, stream, (event: OpenAI.Responses.ResponseStreamEvent) => {
      expect(event.sequence_number).toBe(sequence++);
      read.seen.push(event.type);
      if (event.type === "response.output_text.delta") read.words += event.delta;
    });
  },
  messages() {
    const client = new Anthropic({ baseURL: scene.relay.url, apiKey, maxRetries: 0 });
    const tools = [{ type: "web_search_20250305" as const, name: "web_search" as const }];
    const stream = client.messages.stream({ model: MODEL, max_tokens: 100, messages, tools });
    const read = { words: "", seen: [] as string[], whole: () => stream.finalMessage(), leave: () => stream.abort() };
    return reading(read, stream, (event: Anthropic.MessageStreamEvent) => {
      if (event.type === "content_block_start") read.seen.push(event.content_block.type);
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") read.words += event.delta.text;
    });
  },
  gemini() {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: scene.relay.url } });
    const leave = new AbortController();
    const config = { tools: [{ googleSearch: {} }], abortSignal: leave.signal };
    let last: unknown;
    const read = { words: "", seen: [] as string[], whole: async () => last, leave: () => leave.abort() };
    const events = (async function* () {
      yield* await client.models.generateContentStream({ model: MODEL, contents: "weather?", config });
    })();
    return reading(read, events, (chunk: { text?: string; candidates?: unknown[] }) => {
      read.words += chunk.text ?? "";
      last = chunk.candidates?.[0];
    });
  },
} satisfies Record<string, () => Read>;
type Format = keyof typeof CLIENTS;
const FORMATS = Object.keys(CLIENTS) as Format[];

/** The fields read of a chunk's delta; its library has no type for annotations there. */
interface ChatDelta {
  content?: string | null;
  annotations?: { url_citation: { url: string; start_index: number } }[];
}

/** What each shows of a search before the next round; the other formats have nothing for it. */
const SEARCHED: Readonly<Partial<Record<Format, readonly string[]>>> = {
  responses: [
    "response.web_search_call.in_progress",
    "response.web_search_call.searching",
    "response.web_search_call.completed",
  ],
  messages: ["server_tool_use", "web_search_tool_result"],
};
/** Where the answer's second text begins, for formats in which both are one. */
const CITED = { start: FIRST.length + 10, end: FIRST.length + 13 };

const WHOLE: Readonly<Record<Format, (whole: unknown) => void>> = {
  chat: (choice) => expect(choice).toMatchObject({ finish_reason: "stop", message: { content: FIRST + SECOND } }),
  responses: (response) =>
    expect(response).toMatchObject({
      status: "completed",
      output_text: FIRST + SECOND,
      output: [
        { type: "message", content: [{ text: FIRST }] },
        { type: "web_search_call", status: "completed", action: { query: "rain" } },
        {
          type: "message",
          content: [
            {
              text: SECOND,
              annotations: [
                { url: "https://news.example/a", start_index: 10, end_index: 13 },
                { url: "https://other.example/b", start_index: 24, end_index: 27 },
              ],
            },
          ],
        },
      ],
      usage: { input_tokens: 400, output_tokens: 30 },
    }),
  messages: (message) =>
    expect(message).toMatchObject({
      stop_reason: "end_turn",
      content: [
        { type: "text", text: FIRST },
        { type: "server_tool_use", name: "web_search", input: { query: "rain" } },
        { type: "web_search_tool_result", content: [{ url: "https://news.example/a" }, { title: "Second" }] },
        { type: "text", text: SECOND, citations: [{ url: "https://news.example/a" }, { title: "Second" }] },
      ],
    }),
  gemini: (candidate) =>
    expect(candidate).toMatchObject({
      finishReason: "STOP",
      groundingMetadata: {
        webSearchQueries: ["rain"],
        groundingSupports: [
          { segment: { startIndex: CITED.start, endIndex: CITED.end } },
          { segment: { endIndex: FIRST.length + 27 } },
        ],
      },
    }),
};

describe.each(FORMATS)("a stream of %s", (format) => {
  test("brings each round's words and searches before the next round, as one answer that is charged once", async () => {
    const [searched, answered, ending] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    server.before = () => searched?.promise ?? Promise.resolve();
    const beforeFrame = (frame: string) =>
      frame.includes('finish_reason":"stop') ? (ending?.promise ?? Promise.resolve()) : Promise.resolve();
    scene.upstream.next(LOOKS, { ...ANSWER, beforeHead: answered?.promise ?? Promise.resolve(), beforeFrame });
    const read = CLIENTS[format]();
    await until(() => read.words === FIRST);
    // The search is under way.
    const [begun = [], done = []] = [SEARCHED[format]?.slice(0, -1), SEARCHED[format]?.slice(-1)];
    await until(() => begun.every((name) => read.seen.includes(name)));
    expect(done.some((name) => read.seen.includes(name))).toBe(false);
    searched?.resolve();
    // The next round is under way.
    await until(() => scene.upstream.count === 2 && done.every((name) => read.seen.includes(name)));
    expect(read.words).toBe(FIRST);
    answered?.resolve();
    await until(() => read.words === FIRST + SECOND);
    expect(scene.relay.billing.settlements).toEqual([]);
    ending?.resolve();
    await read.isOver;
    WHOLE[format](await read.whole());
    // In one text the places of the second round's words count from the first one's.
    const cited = [`${CITED.start} https://news.example/a`, `${FIRST.length + 24} https://other.example/b`];
    if (format === "chat") expect(read.seen).toEqual(cited);
    expect(scene.agreed()).toBe(WHOLE_CHARGE);
    expect(scene.relay.billing.settlements).toHaveLength(1);
  });

  test("is left in its second round, which ends that and charges what came", async () => {
    const ending = Promise.withResolvers<void>();
    const beforeFrame = (frame: string) =>
      frame.includes('finish_reason":"stop') ? ending.promise : Promise.resolve();
    scene.upstream.next(LOOKS, { ...ANSWER, beforeFrame });
    const read = CLIENTS[format]();
    await until(() => read.words === FIRST + SECOND);
    read.leave();
    await until(() => scene.relay.billing.settlements.length === 1);
    await until(() => scene.upstream.requests[1]?.wasAborted === true);
    expect(scene.agreed()).toBeGreaterThan(FIRST_CHARGE);
    // Its input is what was found, and what was asked: more than the first round's.
    const { inputTokens } = scene.receipt()["usage"] as { inputTokens: number };
    expect(inputTokens).toBeGreaterThan(120);
    ending.resolve();
    await read.isOver;
  });

  test("is left before the second round's first word, and costs the first round and the search", async () => {
    scene.upstream.next(LOOKS, { neverAnswers: true });
    const read = CLIENTS[format]();
    await until(() => scene.upstream.count === 2 && read.words === FIRST);
    read.leave();
    await until(() => scene.relay.billing.settlements.length === 1);
    expect(scene.agreed()).toBe(FIRST_CHARGE);
    await until(() => scene.upstream.requests[1]?.wasAborted === true);
    await read.isOver;
  });

  test("says in its last event why a later round failed, and what came is charged", async () => {
    scene.upstream.next(LOOKS, { status: 500, error: { message: "broken" } });
    const read = CLIENTS[format]();
    const error = await read.isOver;
    const failure = error instanceof Error ? error.message : JSON.stringify(await read.whole().catch(String));
    expect(failure).toMatch(/broken|failed/);
    expect(read.words).toBe(FIRST);
    expect(scene.agreed()).toBe(FIRST_CHARGE);
  });

  test("has an upstream that answers in one piece as well", async () => {
    const whole = (choice: object, used: object) => ({
      rawBody: JSON.stringify({ id: "c1", object: "chat.completion", model: MODEL, choices: [choice], usage: used }),
      contentType: "application/json",
    });
    const call = { id: "call_1", type: "function", function: { name: "web_search", arguments: '{"query":"rain"}' } };
    const first = { role: "assistant", content: FIRST, tool_calls: [call] };
    const second = { role: "assistant", content: SECOND };
    scene.upstream.next(
      whole({ index: 0, finish_reason: "tool_calls", message: first }, usage(100, 10)),
      whole({ index: 0, finish_reason: "stop", message: second }, usage(300, 20)),
    );
    const read = CLIENTS[format]();
    await read.isOver;
    expect(read.words).toBe(FIRST + SECOND);
    WHOLE[format](await read.whole());
    expect(scene.agreed()).toBe(WHOLE_CHARGE);
  });
});

test("thinking comes as it is, without the proof of a reasoning that a search follows", async () => {
  scene.upstream.next({ ...LOOKS, text: "", reasoning: "Where?" }, { ...ANSWER, reasoning: "So." });
  const read = CLIENTS.messages();
  await read.isOver;
  const { content } = (await read.whole()) as Anthropic.Message;
  expect(content.map(({ type }) => type)).toEqual([
    "thinking",
    "server_tool_use",
    "web_search_tool_result",
    "thinking",
    "text",
  ]);
});

test("thinking that a channel moves into the words is opened and closed as in one answer", async () => {
  const [channel] = scene.relay.world.channels;
  if (channel !== undefined) channel.setting = { movesThinking: true };
  scene.upstream.next({ ...LOOKS, text: "", reasoning: "Where?" }, { ...ANSWER, reasoning: "So." });
  const read = CLIENTS.chat();
  await read.isOver;
  expect(read.words).toBe(`<think>\nWhere?So.\n</think>\n${SECOND}`);
  const at = read.words.indexOf("[1]");
  expect(read.seen[0]).toBe(`${at} https://news.example/a`);
});
