/** Charges of vendors' own tools beside the tokens: each call at the site's price, buffered and streamed. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { TEST_KEY, type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const USAGE = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
/** 100 + 10 x 4 tokens at ratio 1.25. */
const TOKEN_QUOTA = 175;

/** A response with two calls of the file search, one web search and a page it opened (guides/tools-file-search, tools-web-search). */
const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  output: [
    { type: "file_search_call", id: "fs_1", status: "completed", queries: ["a"], results: null },
    { type: "file_search_call", id: "fs_2", status: "completed", queries: ["b"], results: null },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "c" } },
    {
      type: "web_search_call",
      id: "ws_2",
      status: "completed",
      action: { type: "open_page", url: "https://c.example" },
    },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Found.", annotations: [] }],
    },
  ],
  usage: USAGE,
};
const request = {
  model: "gpt-4o",
  input: "search",
  tools: [
    { type: "file_search", vector_store_ids: ["vs_1"] },
    { type: "web_search", search_context_size: "low" },
  ],
};

/** USD for 1,000 calls: file search 2.5, web search 10; 500,000 quota a USD. */
const TOOL_QUOTA = 2 * 1250 + 5000;

function receiptOf(): unknown {
  return JSON.parse(relay.billing.rows[0]?.other ?? "{}");
}

test("file searches and web searches of a whole answer are charged, each call once", async () => {
  upstream.plan({ rawBody: JSON.stringify(RESPONSE) });
  expect((await relay.post("/v1/responses", request)).status).toBe(200);
  expect(relay.billing.settlements[0]?.charge).toBe(TOKEN_QUOTA + TOOL_QUOTA);
  expect(receiptOf()).toMatchObject({ file_search_call_count: 2, file_search_price: 2.5, web_search_call_count: 1 });
});

test("the same in a stream", async () => {
  const events = [
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [], usage: null } },
    { type: "response.output_text.delta", output_index: 4, content_index: 0, delta: "Found." },
    { type: "response.completed", response: RESPONSE },
  ];
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  upstream.plan({ rawBody: frames, contentType: "text/event-stream" });
  const answer = await relay.post("/v1/responses", { ...request, stream: true });
  expect(await answer.text()).toContain("response.completed");
  expect(relay.billing.settlements[0]?.charge).toBe(TOKEN_QUOTA + TOOL_QUOTA);
  expect(receiptOf()).toMatchObject({ file_search_call_count: 2, web_search_call_count: 1 });
});

/** Two pictures at different qualities and one that failed, code in one container three times, and a shell of the client's own. */
const MADE = [
  { type: "image_generation_call", id: "ig_1", status: "completed", result: "QUJD", size: "1024x1024", quality: "low" },
  {
    type: "image_generation_call",
    id: "ig_2",
    status: "completed",
    result: "QUJD",
    size: "1536x1024",
    quality: "auto",
  },
  { type: "image_generation_call", id: "ig_3", status: "failed", result: null },
  { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: "cntr_1", code: "1", outputs: null },
  { type: "code_interpreter_call", id: "ci_2", status: "completed", container_id: "cntr_1", code: "2", outputs: null },
  {
    type: "shell_call",
    id: "sh_1",
    call_id: "c",
    action: { commands: ["ls"] },
    environment: { type: "container_reference", container_id: "cntr_1" },
  },
  { type: "shell_call", id: "sh_2", call_id: "d", action: { commands: ["ls"] }, environment: { type: "local" } },
];
const making = {
  model: "gpt-4o",
  input: "draw",
  tools: [
    { type: "image_generation", model: "gpt-image-2", quality: "medium" },
    { type: "code_interpreter", container: { type: "auto" } },
  ],
};
/** A square picture at low quality 6, a wide one at the asked medium 41, a container 30 USD for 1,000. */
const MADE_QUOTA = 3000 + 20_500 + 15_000;
const MADE_CALLS = {
  image_generation_call_count: 2,
  code_interpreter_call_count: 1,
  tool_calls: [
    { tool: "image_generation", count: 1, price: 6 },
    { tool: "image_generation", count: 1, price: 41 },
    { tool: "code_interpreter", count: 1, price: 30 },
  ],
};
const made = { ...RESPONSE, output: [...MADE, RESPONSE.output.at(-1)] };
const eventFrame = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const madeFrames = [
  { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [], usage: null } },
  ...MADE.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
  { type: "response.output_text.delta", output_index: 7, content_index: 0, delta: "Done." },
];

describe("pictures and containers of the Responses API", () => {
  test("are charged in a whole answer", async () => {
    upstream.plan({ rawBody: JSON.stringify(made) });
    await relay.post("/v1/responses", making);
    expect(relay.billing.settlements[0]?.charge).toBe(TOKEN_QUOTA + MADE_QUOTA);
    expect(receiptOf()).toMatchObject(MADE_CALLS);
  });

  test("are charged in a stream", async () => {
    const frames = [...madeFrames, { type: "response.completed", response: made }].map(eventFrame);
    upstream.plan({ rawBody: frames, contentType: "text/event-stream" });
    await (await relay.post("/v1/responses", { ...making, stream: true })).text();
    expect(relay.billing.settlements[0]?.charge).toBe(TOKEN_QUOTA + MADE_QUOTA);
  });

  test("are charged of a client that disconnects before the end", async () => {
    upstream.plan(withoutEnd(madeFrames.map(eventFrame)));
    await leaveAfter("/v1/responses", { ...making, stream: true }, "Done.");
    expect(receiptOf()).toMatchObject({ rule: "client_left", ...MADE_CALLS });
  });

  test("have the price of the picture's own model and size", async () => {
    const picture = { "*": "1", "gpt-image-2 *": "2", "gpt-image-2 1024x1024": "4" };
    const { ToolPrices } = relay.world.options;
    withOptions(relay.world, { ToolPrices: { ...ToolPrices, image_generation: picture } });
    upstream.plan({ rawBody: JSON.stringify(made) });
    await relay.post("/v1/responses", making);
    expect(relay.billing.settlements[0]?.charge).toBe(TOKEN_QUOTA + 2000 + 1000 + 15_000);
  });
});

describe("a prompt that Google Maps answers", () => {
  const places = { groundingChunks: [{ maps: { uri: "https://maps.example", title: "A" } }, { maps: { title: "B" } }] };
  const answer = {
    candidates: [
      {
        content: { role: "model", parts: [{ text: "There." }] },
        finishReason: "STOP",
        groundingMetadata: places,
      },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
  };
  const asked = { contents: [{ role: "user", parts: [{ text: "where?" }] }], tools: [{ googleMaps: {} }] };
  const chat = { model: "gpt-4o", messages: [{ role: "user", content: "where?" }] };

  test.each([
    ["/v1beta/models/gpt-4o:generateContent", asked],
    ["/v1beta/models/gpt-4o:streamGenerateContent?alt=sse", asked],
    ["/v1/chat/completions", chat],
    ["/v1/chat/completions", { ...chat, stream: true }],
  ] as const)("%s: is charged once", async (path, body) => {
    relay.world.channels[0] = newChannel({ type: 24, baseUrl: upstream.url });
    const isStream = path.includes("stream") || "stream" in body;
    upstream.plan(
      isStream
        ? { rawBody: [`data: ${JSON.stringify(answer)}\n\n`], contentType: "text/event-stream" }
        : { rawBody: JSON.stringify(answer) },
    );
    expect((await (await relay.post(path, body)).text()).includes("There.")).toBe(true);
    expect(relay.billing.settlements[0]?.charge).toBe(TOKEN_QUOTA + 7000);
    expect(receiptOf()).toMatchObject({ google_maps_call_count: 1, google_maps_price: 14 });
  });
});

/** A stream that stays open behind these frames, so that it ends when its client disconnects and not before. */
const withoutEnd = (frames: readonly string[]): Plan => ({
  rawBody: [...frames, ": the end\n\n"],
  beforeFrame: (frame) => (frame.startsWith(": the end") ? new Promise(() => undefined) : Promise.resolve()),
  contentType: "text/event-stream",
});

/** Reads a stream until it has seen a text, then hangs up. */
async function leaveAfter(path: string, body: object, seen: string): Promise<void> {
  const left = new AbortController();
  const answer = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: left.signal,
  });
  let text = "";
  for await (const part of answer.body ?? []) if ((text += Buffer.from(part).toString()).includes(seen)) break;
  left.abort();
  await until(() => relay.billing.settlements.length > 0);
}

describe("a client that disconnects before the end pays for the searches that were made", () => {
  const responses = [
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [], usage: null } },
    ...RESPONSE.output
      .slice(0, 4)
      .map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.output_item.added", output_index: 4, item: { type: "message", id: "m", content: [] } },
    { type: "response.output_text.delta", output_index: 4, content_index: 0, delta: "Found." },
  ].map(eventFrame);
  const claude = [
    {
      type: "message_start",
      message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 100, output_tokens: 1 } },
    },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    },
    { type: "content_block_stop", index: 0 },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "web_search_tool_result", tool_use_id: "s", content: [] },
    },
    { type: "content_block_stop", index: 1 },
    {
      type: "content_block_start",
      index: 2,
      content_block: {
        type: "web_search_tool_result",
        tool_use_id: "s",
        content: { type: "web_search_tool_result_error" },
      },
    },
    { type: "content_block_start", index: 3, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 3, delta: { type: "text_delta", text: "Found." } },
  ].map(eventFrame);
  const streamed = { model: "gpt-4o", max_tokens: 50, stream: true, messages: [{ role: "user", content: "search" }] };

  test.each([
    [
      "/v1/responses",
      { ...request, stream: true },
      1,
      responses,
      { file_search_call_count: 2, web_search_call_count: 1 },
    ],
    ["/v1/messages", streamed, 14, claude, { web_search_call_count: 1 }],
    ["/v1/chat/completions", streamed, 14, claude, { web_search_call_count: 1 }],
  ] as const)("%s", async (path, body, type, frames, calls) => {
    relay.world.channels[0] = newChannel({ type, baseUrl: upstream.url });
    upstream.plan(withoutEnd(frames));
    await leaveAfter(path, body, "Found.");
    expect(receiptOf()).toMatchObject({ rule: "client_left", ...calls });
  });
});
