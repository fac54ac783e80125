/** Properties of answers and conversations that must hold between any two formats, buffered and streamed. */
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../contract/src/pricing/usage.ts";
import type { DialectName, JsonObject, NeutralEvent } from "./neutral/neutral.ts";
import { DIALECTS } from "./registry.ts";
import { TranslatePipe } from "./stream/pipe.ts";

const INFO = { model: "m", requestId: "r1", createdAt: 1, asksUsage: true, isArray: false };

/** Frames of an upstream's stream as a client of another format gets them. */
function streamed(from: DialectName, to: DialectName, events: readonly (readonly [event: string, data: JsonObject])[]) {
  const pipe = new TranslatePipe(DIALECTS[from].createDecoder(), DIALECTS[to].createEncoder(INFO), 1);
  const frames = events.map(([event, data]) => {
    const text = `${event === "" ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
    pipe.push(Buffer.from(text), Buffer.from(text).toString("latin1"));
    return Buffer.from(pipe.out, "latin1").toString("utf8");
  });
  return [...frames, ...pipe.closing(NO_USAGE).map(String)].join("");
}

function buffered(from: DialectName, to: DialectName, body: JsonObject): JsonObject {
  const answer = DIALECTS[from].decodeAnswer(body);
  if (answer === undefined) throw new Error("the body is no answer");
  return DIALECTS[to].encodeAnswer(answer, NO_USAGE, INFO);
}

/** The data of each frame that has JSON data. */
const dataOf = (stream: string): JsonObject[] =>
  [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as JsonObject);

const CLAUDE = { id: "msg_1", type: "message", role: "assistant", model: "c", content: [], usage: {} };
const REFUSED = {
  stop_reason: "refusal",
  stop_sequence: null,
  stop_details: { type: "refusal", category: "cyber", explanation: "The request could enable harm." },
};
const REFUSED_STREAM = [
  ["message_start", { type: "message_start", message: CLAUDE }],
  ["message_delta", { type: "message_delta", delta: REFUSED, usage: {} }],
  ["message_stop", { type: "message_stop" }],
] as const;

test("an answer that Anthropic refused is a filtered one in every other format, with the vendor's message", () => {
  const given = (to: DialectName) => buffered("anthropic-messages", to, { ...CLAUDE, ...REFUSED });
  expect(given("openai-chat")).toMatchObject({
    choices: [{ finish_reason: "content_filter", message: { refusal: "The request could enable harm." } }],
  });
  expect(given("openai-responses")).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
  });
  expect(given("gemini")).toMatchObject({ candidates: [{ finishReason: "SAFETY" }] });
});

test("a stream that Anthropic refused is a filtered one to every other format", () => {
  const given = (to: DialectName) => dataOf(streamed("anthropic-messages", to, REFUSED_STREAM));
  const chat = given("openai-chat").flatMap(({ choices }) => choices as { finish_reason: string | null }[]);
  expect(chat.map((choice) => choice.finish_reason).filter((reason) => reason !== null)).toEqual(["content_filter"]);
  expect(given("openai-responses").at(-1)).toMatchObject({
    type: "response.incomplete",
    response: { incomplete_details: { reason: "content_filter" } },
  });
  expect(given("gemini").at(-1)).toMatchObject({ candidates: [{ finishReason: "SAFETY" }] });
});

test("a refusal that a model wrote as text stays an answer, and a refusal to Anthropic's clients", () => {
  const message = { role: "assistant", content: null, refusal: "I cannot." };
  const body = { id: "c1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
  expect(buffered("openai-chat", "openai-responses", body)).toMatchObject({ status: "completed" });
  expect(buffered("openai-chat", "anthropic-messages", body)).toMatchObject({ stop_reason: "refusal" });
});

/** Two calls of one turn, answered in the other order and in two messages. */
const CALLS = ["c1", "c2"].map((id) => ({ id, type: "function", function: { name: `f_${id}`, arguments: "{}" } }));
const ANSWERED: Readonly<Record<string, JsonObject>> = {
  "openai-chat": {
    model: "m",
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: CALLS },
      { role: "tool", tool_call_id: "c2", content: "second" },
      { role: "tool", tool_call_id: "c1", content: "first" },
      { role: "user", content: "and?" },
    ],
  },
  "openai-responses": {
    model: "m",
    input: [
      { type: "message", role: "user", content: "hi" },
      { type: "function_call", call_id: "c1", name: "f_c1", arguments: "{}" },
      { type: "function_call", call_id: "c2", name: "f_c2", arguments: "{}" },
      { type: "function_call_output", call_id: "c2", output: "second" },
      { type: "function_call_output", call_id: "c1", output: "first" },
      { type: "message", role: "user", content: "and?" },
    ],
  },
  "anthropic-messages": {
    model: "m",
    max_tokens: 9,
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: ["c1", "c2"].map((id) => ({ type: "tool_use", id, name: `f_${id}`, input: {} })) },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c2", content: "second" }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "first" },
          { type: "text", text: "and?" },
        ],
      },
    ],
  },
};

test.each(["openai-chat", "openai-responses", "anthropic-messages"] as const)(
  "results of tools reach Gemini in the order of the calls, whatever order a client of %s has them in",
  (from) => {
    const request = DIALECTS[from].decodeRequest(ANSWERED[from] as JsonObject, { model: "", isStream: false });
    const { contents } = DIALECTS.gemini.encodeRequest({ ...request, model: "gemini-2.5-flash" }, () => undefined);
    expect((contents as readonly unknown[]).at(-1)).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "f_c1", response: { output: "first" } } },
        { functionResponse: { id: "c2", name: "f_c2", response: { output: "second" } } },
        { text: "and?" },
      ],
    });
  },
);

const THOUGHT = { text: "hm", thought: true };
const SIGNED_TEXT = [THOUGHT, { text: "Hello" }, { text: "", thoughtSignature: "c2lnVA==" }];
const SIGNED_CALL = [
  THOUGHT,
  { text: "Hello" },
  { functionCall: { name: "f", args: {} }, thoughtSignature: "c2lnQw+/==" },
];
const candidate = (parts: readonly JsonObject[], finishReason?: string): JsonObject => ({
  responseId: "g1",
  candidates: [
    { index: 0, content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) },
  ],
});

/** Blocks of an answer to an Anthropic client, both ways it can come. */
const blocksOf = (parts: readonly JsonObject[]): JsonObject[][] => [
  buffered("gemini", "anthropic-messages", candidate(parts, "STOP"))["content"] as JsonObject[],
  dataOf(
    streamed("gemini", "anthropic-messages", [
      ...parts.map((part) => ["", candidate([part])] as const),
      ["", candidate([], "STOP")],
    ]),
  ).flatMap(({ content_block: block }) => (block === undefined ? [] : [block as JsonObject])),
];

test("an Anthropic client of a Gemini upstream sees one thinking block, in front of the text", () => {
  for (const blocks of blocksOf(SIGNED_TEXT)) expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
  for (const blocks of blocksOf(SIGNED_CALL))
    expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
});

test("the signature of a Gemini call comes back to Gemini through an Anthropic client, on the call", () => {
  for (const blocks of blocksOf(SIGNED_CALL)) {
    const call = blocks.at(-1) as { id: string };
    expect(call.id).toMatch(/^[A-Za-z0-9_-]+$/);
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ ...call, input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "ok" }] },
    ];
    const request = DIALECTS["anthropic-messages"].decodeRequest(
      { model: "m", max_tokens: 9, messages },
      { model: "", isStream: false },
    );
    const { contents } = DIALECTS.gemini.encodeRequest({ ...request, model: "gemini-3-pro" }, () => undefined);
    expect((contents as readonly unknown[]).slice(1)).toEqual([
      {
        role: "model",
        parts: [{ functionCall: { id: "call_g1_0", name: "f", args: {} }, thoughtSignature: "c2lnQw+/==" }],
      },
      { role: "user", parts: [{ functionResponse: { id: "call_g1_0", name: "f", response: { output: "ok" } } }] },
    ]);
    const chat = DIALECTS["openai-chat"].encodeRequest({ ...request, model: "gpt-4o" }, () => undefined);
    expect(JSON.stringify(chat)).toContain('"tool_call_id":"call_g1_0"');
    // Anthropic itself is asked with the plain id.
    const fields = DIALECTS["anthropic-messages"].withoutForeignProofs?.({ messages });
    expect(JSON.stringify(fields)).toContain('"tool_use_id":"call_g1_0"');
    expect(JSON.stringify(fields)).not.toContain(call.id);
  }
});

test("events of a Gemini stream hold a signature only where a thought or a call has one", () => {
  const decoder = DIALECTS.gemini.createDecoder();
  const events: NeutralEvent[] = [];
  for (const part of [...SIGNED_TEXT, { text: "", thought: true, thoughtSignature: "b3du" }])
    events.push(...decoder.push("", JSON.stringify(candidate([part]))));
  expect(events.filter(({ kind }) => kind === "signature")).toEqual([
    { kind: "signature", choice: 0, signature: { dialect: "gemini", value: "b3du" } },
  ]);
});

/** What a Gemini client sets, as its command line does, and more. */
const SAMPLED = {
  temperature: 0,
  topP: 0.9,
  presencePenalty: 0.5,
  frequencyPenalty: 0,
  responseLogprobs: true,
  logprobs: 2,
};

/** A request of a Gemini client for a model of OpenAI's: the sampling parameters it is sent with, and the client's warnings. */
function sampled(to: "openai-chat" | "openai-responses", model: string, generationConfig: JsonObject) {
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const request = DIALECTS.gemini.decodeRequest({ contents, generationConfig }, { model, isStream: false });
  const warned: string[] = [];
  const body = DIALECTS[to].encodeRequest({ ...request, model }, (field) => void warned.push(field));
  const names = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs"];
  return { sent: names.filter((name) => body[name] !== undefined), warned, body };
}

const REASONING = ["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "gpt-5-codex", "codex-mini-latest"];
const REASONING_LATER = ["gpt-5.1-codex", "gpt-5.2-pro", "gpt-5.1-chat-latest", "gpt-5.5", "gpt-6", "openai/o3"];

test.each([...REASONING, ...REASONING_LATER])(
  "%s is asked without the sampling it refuses, and the client is warned of it",
  (model) => {
    const chat = sampled("openai-chat", model, SAMPLED);
    expect(chat.sent).toEqual([]);
    expect(chat.warned).toEqual(["temperature", "top_p", "presence_penalty", "logprobs", "top_logprobs"]);
    const responses = sampled("openai-responses", model, SAMPLED);
    expect(responses.sent).toEqual([]);
    expect(JSON.stringify(responses.body["include"] ?? [])).not.toContain("logprobs");
    expect(responses.warned).toEqual(expect.arrayContaining(["temperature", "top_p", "logprobs"]));
  },
);

test("a default that says nothing is left out without a warning", () => {
  const { sent, warned } = sampled("openai-chat", "o3", { temperature: 1, topP: 1, presencePenalty: 0 });
  expect([sent, warned]).toEqual([[], []]);
});

test.each(["gpt-4o", "gpt-5-chat-latest", "deepseek-chat", "llama-3"])("%s keeps what the client set", (model) => {
  const { sent, warned } = sampled("openai-chat", model, SAMPLED);
  expect(sent).toEqual(["temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs"]);
  expect(warned).toEqual([]);
});

// learn.microsoft.com/azure/foundry/openai/how-to/reasoning: temperature at effort none, the default of gpt-5.1.
test.each(["gpt-5.1", "gpt-5.2-2025-12-11", "gpt-5.4-mini"])("%s keeps it when thinking is switched off", (model) => {
  const silent = { ...SAMPLED, thinkingConfig: { thinkingBudget: 0 } };
  const asIs = sampled("openai-chat", model, silent);
  expect(asIs.sent).toEqual(["temperature", "top_p", "logprobs", "top_logprobs"]);
  expect(asIs.warned).toEqual(["presence_penalty"]);
  expect(sampled("openai-responses", model, silent).sent).toEqual(["temperature", "top_p", "top_logprobs"]);
  // All but the small ones do not think unless they are asked to.
  expect(sampled("openai-chat", model, SAMPLED).sent).toEqual(model.endsWith("-mini") ? [] : asIs.sent);
  const thinking = { ...SAMPLED, thinkingConfig: { thinkingBudget: 9000 } };
  expect(sampled("openai-chat", model, thinking).sent).toEqual([]);
  expect(sampled("openai-responses", model, thinking).sent).toEqual([]);
});

// platform.openai.com/docs/guides/prompt-caching and docs/guides/safety-best-practices
test("a cache key and a safety identifier go between OpenAI's two formats, and elsewhere only the key is named as left out", () => {
  const settings = { prompt_cache_key: "k", prompt_cache_retention: "24h", safety_identifier: "s" };
  const path = { model: "", isStream: false } as never;
  const chat = DIALECTS["openai-chat"].decodeRequest(
    { model: "gpt-5", messages: [{ role: "user", content: "x" }], ...settings },
    path,
  );
  const responses = DIALECTS["openai-responses"].decodeRequest({ model: "gpt-5", input: "x", ...settings }, path);
  expect([chat.unknownFields, responses.unknownFields]).toEqual([[], []]);
  for (const name of ["openai-chat", "openai-responses"] as const)
    for (const request of [chat, responses]) {
      const sent = DIALECTS[name].encodeRequest(request, () => undefined);
      expect(sent).toMatchObject(settings);
      expect(sent).not.toHaveProperty("user");
    }
  // Compatible servers know the older name of the end user, also those of OpenAI's open models.
  for (const model of ["mistral-large", "openai/gpt-oss-120b"]) {
    const other = DIALECTS["openai-chat"].encodeRequest({ ...responses, model }, () => undefined);
    expect(other).toMatchObject({ prompt_cache_key: "k", user: "s" });
    expect(other).not.toHaveProperty("safety_identifier");
  }
});

// `null` recorded from Cohere, as its client keeps it for the next call.
test("arguments of null in a history are none", () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: "null" } };
  const user = { role: "user", content: "x" };
  const result = { role: "tool", tool_call_id: "c", content: "1" };
  const item = { type: "function_call", call_id: "c", name: "f", arguments: "null" };
  const path = { model: "", isStream: false };
  const messages = [user, { role: "assistant", content: null, tool_calls: [call] }, result];
  const input = [user, item, { type: "function_call_output", call_id: "c", output: "1" }];
  for (const request of [
    DIALECTS["openai-chat"].decodeRequest({ model: "m", messages }, path),
    DIALECTS["openai-responses"].decodeRequest({ model: "m", input }, path),
  ]) {
    const claude = DIALECTS["anthropic-messages"].encodeRequest({ ...request, maxTokens: 9 }, () => undefined);
    expect(claude["messages"]).toMatchObject([{}, { content: [{ type: "tool_use", input: {} }] }, {}]);
    const google = DIALECTS.gemini.encodeRequest({ ...request, model: "gemini-2.5-flash" }, () => undefined);
    expect(google["contents"]).toMatchObject([{}, { parts: [{ functionCall: { args: {} } }] }, {}]);
  }
});
