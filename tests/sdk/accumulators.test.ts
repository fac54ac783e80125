/** Streams accumulated by the official libraries equal the buffered answer: text, calls, thinking, refusals, citations, several choices. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NO_USAGE } from "../../contract/src/pricing/usage.ts";
import type { DialectName, NeutralAnswer, NeutralChoice } from "../../server/src/dialects/neutral/neutral.ts";
import { eventsOf } from "../../server/src/dialects/neutral/neutral.ts";
import { DIALECTS } from "../../server/src/dialects/registry.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { speaking } from "./speaking.ts";

const MODEL = "any-model";
const USAGE = { ...NO_USAGE, inputTokens: 30, outputTokens: 20, reasoningTokens: 5, cacheReadTokens: 8 };
const FACTS = { model: MODEL, requestId: "up1", createdAt: 1_760_000_000, asksUsage: true, isArray: false };

const said = (text: string): NeutralChoice => ({ parts: [{ kind: "text", text }], finish: "stop" });

const ANSWERS: Readonly<Record<string, readonly NeutralChoice[]>> = {
  words: [said("Grüße, 世界! \u{1f600}")],
  "words cut short": [{ ...said("It was a dark and"), finish: "length" }],
  "words with sources": [
    {
      parts: [
        {
          kind: "text",
          text: "Riga is in Latvia.",
          citations: [
            { url: "https://a.example/riga", title: "Riga", quote: "" },
            { url: "https://b.example/latvia", title: "Latvia", quote: "" },
          ],
        },
      ],
      finish: "stop",
    },
  ],
  "calls side by side": [
    {
      parts: [
        { kind: "text", text: "Let me look." },
        { kind: "tool_call", id: "call_1", name: "get_weather", arguments: '{"city":"Riga","days":[1,2]}' },
        { kind: "tool_call", id: "call_2", name: "get_time", arguments: "{}" },
      ],
      finish: "tool_calls",
    },
  ],
  "thinking before a call": [
    {
      parts: [
        { kind: "reasoning", text: "Where is that?" },
        { kind: "tool_call", id: "call_1", name: "get_weather", arguments: '{"city":"Riga"}' },
      ],
      finish: "tool_calls",
    },
  ],
  "a refusal": [{ parts: [{ kind: "refusal", text: "I cannot help with that." }], finish: "refusal" }],
};

const UPSTREAMS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;
const TYPES: Readonly<Record<DialectName, number>> = {
  "openai-chat": 1,
  "openai-responses": 1,
  "anthropic-messages": 14,
  gemini: 24,
};

let upstream: FakeUpstream;
let relay: TestRelay;

async function start(dialect: DialectName): Promise<void> {
  const world = newWorld({ prices: new Map([[MODEL, { kind: "per_call", price: "0.001" }]]) });
  world.channels.push(newChannel({ type: TYPES[dialect], baseUrl: upstream.url, models: new Set([MODEL]) }));
  relay = await startTestRelay({ world, providers: await speaking(dialect) });
}

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** The answer as a vendor of this format sends it. */
function plan(dialect: DialectName, choices: readonly NeutralChoice[], isStream: boolean): void {
  const answer: NeutralAnswer = { id: "id1", choices, rawUsage: undefined };
  if (!isStream) {
    const fields = DIALECTS[dialect].encodeAnswer(answer, USAGE, FACTS);
    return upstream.plan({ rawBody: JSON.stringify(fields) });
  }
  const encoder = DIALECTS[dialect].createEncoder(FACTS);
  const frames = [...eventsOf(answer)].map((event) => encoder.push(event));
  upstream.plan({
    rawBody: [...frames, encoder.close(USAGE)].filter((frame) => frame !== ""),
    contentType: "text/event-stream",
  });
}

/** Ids of our own that are made anew for each call. */
const NEW_IDS = /\b(?:chatcmpl|resp|msg|rs|fc|ig|ctc)_?-?req-test-\d+(?:_\d+)?|req-test-\d+/g;
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, each: unknown) => (/^created|completed_at/.test(name) ? 0 : each)).replace(
      NEW_IDS,
      "id",
    ),
  );

const tools = [{ type: "function" as const, function: { name: "get_weather", parameters: { type: "object" } } }];
const messages = [{ role: "user" as const, content: "hi" }];
const openai = (): OpenAI => new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });

interface ChatAnswer {
  choices: readonly { message: object; finish_reason?: string | null }[];
}

/** What of an answer an application reads, with nothing that the library adds. */
function chatParts(answer: ChatAnswer | undefined): unknown {
  const plain = JSON.parse(JSON.stringify(answer ?? {})) as {
    choices?: { message: Record<string, unknown>; finish_reason: string }[];
    usage?: unknown;
  };
  const { message = {}, finish_reason: finish } = plain.choices?.[0] ?? {};
  const { content = null, refusal = null, tool_calls: given = [] } = message;
  const calls = (given as { id: string; function: { name: string; arguments: string } }[]).map((call) => [
    call.id,
    call.function.name,
    call.function.arguments,
  ]);
  return withoutIds({ content, refusal, calls, finish, usage: plain.usage });
}

const names = Object.keys(ANSWERS);
const answerOf = (name: string): readonly NeutralChoice[] => ANSWERS[name] ?? [];

describe.each(UPSTREAMS)("from %s", (dialect) => {
  beforeEach(() => start(dialect));

  test.each(names)("chat completions: %s", async (name) => {
    plan(dialect, answerOf(name), false);
    const whole = await openai().chat.completions.create({ model: MODEL, messages, tools });
    plan(dialect, answerOf(name), true);
    const options = { include_usage: true };
    const stream = openai().chat.completions.stream({ model: MODEL, messages, tools, stream_options: options });
    const built = await stream.finalChatCompletion().catch(() => stream.currentChatCompletionSnapshot);
    expect(chatParts(built)).toEqual(chatParts(whole));
  });

  test.each(names)("responses: %s", async (name) => {
    const request = {
      model: MODEL,
      input: "hi",
      tools: [{ type: "function" as const, name: "get_weather", parameters: {}, strict: false }],
    };
    plan(dialect, answerOf(name), false);
    const whole = await openai().responses.create(request);
    plan(dialect, answerOf(name), true);
    const built = await openai().responses.stream(request).finalResponse();
    const plain = (response: {
      output: unknown;
      status?: unknown;
      usage?: unknown;
      incomplete_details?: unknown;
    }): unknown =>
      withoutIds({
        output: response.output,
        status: response.status,
        usage: response.usage,
        incomplete: response.incomplete_details,
      });
    const parsed = JSON.parse(
      JSON.stringify(built, (key, each: unknown) => (/^(?:parsed|parsed_arguments)$/.test(key) ? undefined : each)),
    ) as typeof built;
    expect(plain(parsed)).toEqual(plain(whole));
    expect(built.output_text).toBe(whole.output_text);
  });

  test.each(names)("messages: %s", async (name) => {
    const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
    const request = { model: MODEL, max_tokens: 100, messages };
    plan(dialect, answerOf(name), false);
    const whole = await client.messages.create(request);
    plan(dialect, answerOf(name), true);
    const built = await client.messages.stream(request).finalMessage();
    const plain = ({ content, stop_reason: reason, stop_sequence: sequence, usage }: Anthropic.Message): unknown =>
      withoutIds({ content, reason, sequence, usage });
    expect(plain(built)).toEqual(plain(whole));
  });
});

test.each(["openai-chat", "gemini"] as const)(
  "several answers from %s keep their places, each with its own end",
  async (dialect) => {
    await start(dialect);
    const choices = [said("first"), { ...said("second"), finish: "length" as const }, said("third")];
    plan(dialect, choices, true);
    const stream = openai().chat.completions.stream({ model: MODEL, messages, n: 3 });
    let snapshot: unknown;
    stream.on("chunk", (_chunk, whole) => void (snapshot = whole));
    await stream.done().catch(() => undefined);
    expect(snapshot).toMatchObject({
      choices: [
        { index: 0, message: { content: "first" }, finish_reason: "stop" },
        { index: 1, message: { content: "second" }, finish_reason: "length" },
        { index: 2, message: { content: "third" }, finish_reason: "stop" },
      ],
    });
  },
);
