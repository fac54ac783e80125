/** Requests as editors build them, through upstreams of OpenAI's and Anthropic's formats: nothing of them is refused or lost, and they read the answer. */
import { afterEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { EDITOR_REQUESTS, type EditorRequest, RESULT, SYSTEM, TASK } from "../support/relay/editor-requests.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const UPSTREAMS = [
  { title: "an OpenAI-compatible upstream", type: 43, model: "deepseek-chat" },
  { title: "OpenAI", type: 1, model: "gpt-4o" },
  { title: "Anthropic", type: 14, model: "claude-sonnet-4-5" },
] as const;

async function open(type: number, model: string): Promise<void> {
  upstream = await startFakeUpstream({ key: "upstream-secret" });
  const channel = newChannel({ type, key: "upstream-secret", baseUrl: upstream.url, models: new Set([model]) });
  const world = newWorld({ channels: [channel] });
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(model, price);
  relay = await startTestRelay({ world });
}

const send = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer sk-${TEST_KEY}`, ...headers },
    body: JSON.stringify(body),
  });

interface Chunk {
  object: string;
  choices: {
    delta: { content?: string; tool_calls?: { function: { name?: string; arguments?: string } }[] };
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number } | null;
}

/** The chunks of a stream of chat completions; throws where it does not end as one. */
function chunksOf(text: string): Chunk[] {
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, line = ""]) => line);
  if (data.pop() !== "[DONE]") throw new Error(text);
  return data.map((line) => JSON.parse(line) as Chunk);
}

async function check({ body, headers, offersTools }: EditorRequest, model: string): Promise<void> {
  const call = { name: "read_file", arguments: '{"path":"b.ts"}' };
  upstream.plan({ text: "It is done.", ...(offersTools ? { toolCalls: [call] } : {}) });
  const answer = await send(body(model), headers);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const chunks = chunksOf(text);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(chunks.every(({ object }) => object === "chat.completion.chunk")).toBe(true);
  expect(deltas.map(({ content }) => content ?? "").join("")).toBe("It is done.");
  const calls = deltas.flatMap((delta) => (delta.tool_calls ?? []).map((each) => each.function));
  expect([calls.map(({ name }) => name ?? "").join(""), calls.map((each) => each.arguments ?? "").join("")]).toEqual(
    offersTools ? [call.name, call.arguments] : ["", ""],
  );
  const reasons = chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? []));
  expect(reasons).toEqual([offersTools ? "tool_calls" : "stop"]);
  const asksUsage = "stream_options" in body(model);
  expect(chunks.some(({ usage }) => (usage?.prompt_tokens ?? 0) > 0)).toBe(asksUsage);
}

describe.each(EDITOR_REQUESTS)("$name", (editor) => {
  test.each(UPSTREAMS)("is served whole by $title", async ({ type, model }) => {
    await open(type, model);
    await check(editor, model);
    const [seen] = upstream.requests;
    const sent = seen?.body.toString("utf8") ?? "";
    for (const part of [SYSTEM, TASK, JSON.stringify(RESULT).slice(1, -1)]) expect(sent).toContain(part);
    if (editor.offersTools) expect(sent).toMatch(/call_1/);
    expect([upstream.requests.length, relay.billing.settlements.length]).toEqual([1, 1]);
  });
});

describe("a body of Responses at the address of chat completions", () => {
  const [, cursor] = EDITOR_REQUESTS;

  test("reaches OpenAI as a chat request: tools, effort and format in its words, and says what was left out", async () => {
    await open(1, "gpt-5.4");
    const answer = await send(cursor?.body("gpt-5.4") ?? {});
    await answer.text();
    const [seen] = upstream.requests;
    expect([answer.status, seen?.path]).toEqual([200, "/v1/chat/completions"]);
    expect(seen?.json).toMatchObject({ reasoning_effort: "medium", verbosity: "low", prompt_cache_key: "1" });
    expect(seen?.json).not.toHaveProperty("input");
    const tools = (seen?.json?.["tools"] ?? []) as { type: string; function: { name: string } }[];
    expect(tools.map(({ type, function: { name } }) => [type, name])).toEqual([
      ["function", "read_file"],
      ["function", "ApplyPatch"],
    ]);
    expect(answer.headers.get("turnpike-warnings")).toContain("metadata");
  });

  test("is answered in one piece as chat completions are", async () => {
    await open(14, "claude-sonnet-4-5");
    upstream.plan({ text: "Hello." });
    const answer = await send({ model: "claude-sonnet-4-5", input: "Hello?", max_output_tokens: 64 });
    expect(await answer.json()).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    });
    expect(upstream.requests[0]?.json).toMatchObject({ max_tokens: 64 });
  });

  test.each([
    [{ input: 7 }, "input"],
    [{ input: "Go on.", previous_response_id: "resp_1" }, "previous_response_id"],
    [{ input: "Go on.", tools: [{ type: "file_search", vector_store_ids: ["a"] }] }, "tools"],
  ])("is refused by the name of its field before anything is sent: %j", async (fields, param) => {
    await open(1, "gpt-4o");
    const answer = await send({ model: "gpt-4o", ...fields });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { param: expect.stringContaining(param) } },
    ]);
    expect([upstream.count, relay.billing.holds.size]).toEqual([0, 0]);
  });

  test("stands back where messages came with it", async () => {
    await open(1, "gpt-4o");
    const answer = await send({ model: "gpt-4o", messages: [{ role: "user", content: "Hi" }], input: "x" });
    expect(answer.status).toBe(200);
    expect(upstream.requests[0]?.json).toMatchObject({ messages: [{ role: "user", content: "Hi" }] });
  });
});
