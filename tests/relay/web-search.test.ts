/** Searches that the gateway makes for models whose channel has none, in the four formats of clients, whole and streamed. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseOptions } from "../../contract/src/options/options.ts";
import { type SearchServer, startSearchServer } from "../support/relay/search-server.ts";
import { chargeScene } from "../support/relay/charges.ts";
import { newChannel, until } from "../support/relay/harness.ts";

const scene = chargeScene();
const KEY = "secret-key-of-the-search";
const MODEL = "gpt-4o";
/** Moonshot: chat completions, and no search in them. */
const MOONSHOT = 25;

let server: SearchServer;

/** A plain server of chat completions has the model, and the operator's search provider is there. */
function configure(more: Record<string, string> = {}): void {
  const { world } = scene.relay;
  const texts = { WebSearchProvider: "brave", WebSearchAddress: server.url, WebSearchKey: KEY, WebSearchPrice: "7" };
  world.options = parseOptions(new Map(Object.entries({ ...texts, ...more })));
}

beforeEach(async () => {
  server = await startSearchServer();
  server.pages = [
    { url: "https://news.example/a", title: "First", text: "It rained." },
    { url: "https://other.example/b", title: "Second", text: "It shone." },
  ];
  const { world } = scene.relay;
  const channel = {
    id: 9,
    type: MOONSHOT,
    baseUrl: scene.upstream.url,
    models: new Set([MODEL, "gpt-4o-fixed", "gemini-a"]),
  };
  world.channels = [newChannel({ ...channel, groupNames: ["far"] })];
  configure();
});
afterEach(() => server.close());

const usage = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});
const looks = (query: string, name = "web_search") => ({
  text: "",
  toolCalls: [{ name, arguments: JSON.stringify({ query }) }],
  usage: usage(100, 10),
});
const ANSWER = { text: "It rained [1] and shone [2].", usage: usage(300, 20) };

const messages = [{ role: "user", content: "weather?" }];
const SEARCH = { type: "web_search_20250305", name: "web_search" };
const REQUESTS = {
  chat: ["/v1/chat/completions", { model: MODEL, messages, web_search_options: {} }],
  responses: ["/v1/responses", { model: MODEL, input: "weather?", tools: [{ type: "web_search" }] }],
  messages: ["/v1/messages", { model: MODEL, max_tokens: 100, messages, tools: [SEARCH] }],
  gemini: [
    `/v1beta/models/${MODEL}:generateContent`,
    { contents: [{ role: "user", parts: [{ text: "weather?" }] }], tools: [{ googleSearch: {} }] },
  ],
} as const;
type Format = keyof typeof REQUESTS;
const FORMATS = Object.keys(REQUESTS) as Format[];

function ask(format: Format, more: object = {}): Promise<Response> {
  const [path, body] = REQUESTS[format];
  return scene.relay.post(path, { ...body, ...more });
}

/** The same as a stream. */
function stream(format: Format): Promise<Response> {
  if (format !== "gemini") return ask(format, { stream: true });
  const [path, body] = REQUESTS.gemini;
  return scene.relay.post(path.replace(":generateContent", ":streamGenerateContent?alt=sse"), body);
}

const upstreamBodies = () => scene.upstream.requests.map(({ json }) => json ?? {});
type Json = Record<string, unknown>;

const citation = (url: string, title: string, start: number) =>
  expect.objectContaining({ type: "url_citation", url, title, start_index: start, end_index: start + 3 });

/** What each format says of the search and of the pages that the words cite. */
const SHOWN: Readonly<Record<Format, (answer: Json) => void>> = {
  chat: ({ choices }) =>
    expect((choices as Json[])[0]?.["message"]).toMatchObject({
      content: ANSWER.text,
      annotations: [
        { url_citation: { url: "https://news.example/a", title: "First", start_index: 10, end_index: 13 } },
        { url_citation: { url: "https://other.example/b", title: "Second", start_index: 24, end_index: 27 } },
      ],
    }),
  responses: ({ output }) =>
    expect(output).toMatchObject([
      { type: "web_search_call", status: "completed", action: { type: "search", query: "rain" } },
      {
        type: "message",
        content: [
          {
            text: ANSWER.text,
            annotations: [
              citation("https://news.example/a", "First", 10),
              citation("https://other.example/b", "Second", 24),
            ],
          },
        ],
      },
    ]),
  messages: ({ content, usage: used, stop_reason }) => {
    const [call, result, text] = content as Json[];
    expect(call).toMatchObject({ type: "server_tool_use", name: "web_search", input: { query: "rain" } });
    expect(result).toMatchObject({
      type: "web_search_tool_result",
      tool_use_id: call?.["id"],
      content: [
        { type: "web_search_result", url: "https://news.example/a", title: "First" },
        { type: "web_search_result", url: "https://other.example/b", title: "Second" },
      ],
    });
    expect(text).toMatchObject({
      text: ANSWER.text,
      citations: [
        { type: "web_search_result_location", url: "https://news.example/a", cited_text: "It rained." },
        { url: "https://other.example/b" },
      ],
    });
    expect([stop_reason, (used as Json)["server_tool_use"]]).toMatchObject(["end_turn", { web_search_requests: 1 }]);
  },
  gemini: ({ candidates }) =>
    expect((candidates as Json[])[0]).toMatchObject({
      content: { parts: [{ text: ANSWER.text }] },
      groundingMetadata: {
        webSearchQueries: ["rain"],
        groundingChunks: [{ web: { uri: "https://news.example/a", title: "First" } }, { web: { title: "Second" } }],
      },
    }),
};

describe.each(FORMATS)("a client of %s", (format) => {
  test("gets an answer with what was found, charged for both rounds and the search to the unit", async () => {
    scene.upstream.next(looks("rain"), ANSWER);
    const answer = await ask(format);
    expect(answer.status).toBe(200);
    SHOWN[format]((await answer.json()) as Json);
    const [first, second] = upstreamBodies();
    expect(first?.["tools"]).toMatchObject([{ function: { name: "web_search", parameters: { required: ["query"] } } }]);
    expect(first).not.toHaveProperty("web_search_options");
    expect(JSON.stringify(second?.["messages"])).toContain("[1] First\\nhttps://news.example/a\\nIt rained.");
    expect(server.asked.map(({ query }) => query.get("q"))).toEqual(["rain"]);
    expect(scene.agreed()).toBeGreaterThan(0);
    expect(scene.receipt()["usage"]).toMatchObject({ inputTokens: 400, outputTokens: 30 });
    // 0.333 of (400 + 30 x 4) x 1.25, and of 7 USD for 1,000 searches at 500,000 units.
    expect(scene.agreed()).toBe(Math.round(0.333 * (520 * 1.25 + 3500)));
    expect(scene.relay.billing.settlements).toHaveLength(1);
  });

  test("gets the same as a stream", async () => {
    scene.upstream.next(looks("rain"), ANSWER);
    const answer = await stream(format);
    const text = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("event-stream")]);
    for (const said of ["https://news.example/a", "https://other.example/b"]) expect(text).toContain(said);
    if (format !== "chat") expect(text).toContain("rain");
    expect(scene.agreed()).toBe(Math.round(0.333 * (520 * 1.25 + 3500)));
  });

  test("never reads the key, in an answer or in an error", async () => {
    server.status = 500;
    server.rawBody = `no ${KEY}`;
    scene.upstream.next(looks("rain"), { text: "Sorry.", usage: usage(10, 1) });
    expect(await (await ask(format)).text()).not.toContain(KEY);
    const seen = [
      ...scene.upstream.requests.map(({ body }) => body.toString()),
      JSON.stringify(scene.relay.billing.rows),
    ];
    expect(seen.filter((text) => text.includes(KEY))).toEqual([]);
  });
});

test("a stream of Messages has the search as its two blocks, one of Responses as an item with its events", async () => {
  scene.upstream.next(looks("rain"), ANSWER, looks("rain"), ANSWER);
  const blocks = await (await stream("messages")).text();
  expect(blocks).toMatch(/"type":"server_tool_use".*input_json_delta.*"type":"web_search_tool_result".*text_delta/s);
  const items = await (await stream("responses")).text();
  expect(items).toMatch(
    /output_item\.added.*web_search_call\.in_progress.*web_search_call\.searching.*web_search_call\.completed.*output_text\.delta/s,
  );
});

test("an answer without a search is one round, and costs none", async () => {
  scene.upstream.next(ANSWER);
  expect((await ask("chat")).status).toBe(200);
  expect([server.asked.length, scene.upstream.count, scene.agreed()]).toEqual([0, 1, Math.round(0.333 * 380 * 1.25)]);
});

test("a model at a fixed price costs it for each round", async () => {
  scene.upstream.next(looks("rain"), ANSWER);
  await ask("chat", { model: "gpt-4o-fixed" });
  expect(scene.agreed()).toBe(Math.round(0.333 * (2 * 0.0123 * 500_000 + 3500)));
});

test("a search that fails is an error for the model, and costs nothing", async () => {
  server.status = 503;
  scene.upstream.next(looks("rain"), { text: "Sorry.", usage: usage(300, 20) });
  const answer = (await (await ask("messages")).json()) as { content: Json[] };
  expect(answer.content[1]).toMatchObject({
    content: { type: "web_search_tool_result_error", error_code: "unavailable" },
  });
  expect(JSON.stringify(upstreamBodies()[1])).toContain("The search failed: unavailable.");
  expect(scene.agreed()).toBe(Math.round(0.333 * 520 * 1.25));
});

test.each([
  ["by the request", { tools: [{ ...SEARCH, max_uses: 2 }] }, {}, 2],
  ["by the option", { tools: [{ ...SEARCH, max_uses: 19 }] }, { WebSearchesPerCall: "3" }, 3],
])("searches of one call are bounded %s", async (_who, more, options, most) => {
  configure(options);
  scene.upstream.plan(looks("again"));
  const answer = await ask("messages", more);
  expect([answer.status, server.asked.length, scene.upstream.count]).toEqual([200, most, most + 1]);
  expect(upstreamBodies().map(({ tool_choice }) => tool_choice ?? "auto")).toEqual([
    ...Array<string>(most).fill("auto"),
    "none",
  ]);
  expect(await answer.json()).toMatchObject({ stop_reason: "end_turn" });
});

test("several searches of one round are made one after the other, within the bound", async () => {
  const both = {
    ...looks("one"),
    toolCalls: [...looks("one").toolCalls, ...looks("two").toolCalls, ...looks("three").toolCalls],
  };
  scene.upstream.next(both, ANSWER);
  await ask("messages", { tools: [{ ...SEARCH, max_uses: 2 }] });
  expect(server.asked.map(({ query }) => query.get("q"))).toEqual(["one", "two"]);
  expect(JSON.stringify(upstreamBodies()[1])).toContain("max_uses_exceeded");
  expect(scene.agreed()).toBe(Math.round(0.333 * (520 * 1.25 + 7000)));
});

test("a call of the client's own function ends the rounds, and a function of that name keeps it", async () => {
  const own = { name: "web_search", input_schema: { type: "object" } };
  const mixed = {
    ...looks("rain", "web_search_2"),
    toolCalls: [...looks("rain", "web_search_2").toolCalls, { name: "web_search", arguments: "{}" }],
  };
  scene.upstream.next(mixed);
  const answer = (await (await ask("messages", { tools: [{ ...SEARCH, name: "web_search" }, own] })).json()) as {
    content: Json[];
  };
  expect(answer).toMatchObject({ stop_reason: "tool_use", content: [{ type: "tool_use", name: "web_search" }] });
  expect(server.asked).toEqual([]);
});

test("beside functions of the client's a search is not left out any more, and the client reads who makes it", async () => {
  scene.upstream.next(looks("rain"), ANSWER);
  const own = { name: "f", input_schema: { type: "object" } };
  const answer = await ask("messages", { tools: [SEARCH, own] });
  expect(upstreamBodies()[0]?.["tools"]).toMatchObject([
    { function: { name: "web_search" } },
    { function: { name: "f" } },
  ]);
  expect([server.asked.length, answer.headers.get("turnpike-warnings")]).toEqual([
    1,
    expect.stringContaining("this gateway searches the web"),
  ]);
});

test("domains are kept to, and one that cannot be is refused by name", async () => {
  scene.upstream.next(looks("rain"), ANSWER);
  const filtered = (allowed_domains: string[]) => ask("messages", { tools: [{ ...SEARCH, allowed_domains }] });
  const { content } = (await (await filtered(["other.example"])).json()) as { content: Json[] };
  expect(content[1]?.["content"]).toMatchObject([{ url: "https://other.example/b" }]);
  expect(server.asked[0]?.query.get("q")).toBe("rain site:other.example");
  const refused = await filtered(["*.example"]);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("*.example")]);
});

test("the place of the user is for provider and model", async () => {
  scene.upstream.next(looks("rain"), ANSWER);
  const user_location = { type: "approximate", city: "Bern", country: "CH" };
  await ask("messages", { tools: [{ ...SEARCH, user_location }] });
  expect(server.asked[0]?.query.get("country")).toBe("CH");
  expect(JSON.stringify(upstreamBodies()[0]?.["tools"])).toContain("Bern, CH");
});

test("without a provider the search is refused by name as before", async () => {
  configure({ WebSearchProvider: "none" });
  const answer = await ask("chat");
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("web_search_options")]);
});

test("what is held covers each round and its searches before they are made", async () => {
  const held: number[] = [];
  server.before = () => Promise.resolve(void held.push(scene.relay.billing.held));
  scene.upstream.next(looks("rain"), looks("more"), ANSWER);
  const before = scene.relay.billing.balance;
  await ask("chat");
  const charge = scene.agreed();
  expect(held).toHaveLength(2);
  expect(held[1]).toBeGreaterThan(held[0] ?? 0);
  expect(held[1]).toBeGreaterThanOrEqual(charge);
  expect(scene.relay.billing.balance).toBe(before - charge);
});

test("where the balance does not reach for another round, what was used is charged and the client reads why", async () => {
  const { billing } = scene.relay;
  scene.upstream.next(looks("rain"), ANSWER);
  server.before = () => {
    billing.balance = billing.held;
    return Promise.resolve();
  };
  const answer = await ask("messages");
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("balance")]);
  expect(scene.agreed()).toBe(Math.round(0.333 * (140 * 1.25 + 3500)));
});

test("an upstream that fails in the second round is the client's error, and what was used is charged", async () => {
  scene.upstream.next(looks("rain"), { status: 500, error: { message: "broken" } });
  const answer = await ask("chat");
  expect([answer.status, scene.relay.billing.settlements.length]).toEqual([500, 1]);
  expect(scene.agreed()).toBe(Math.round(0.333 * (140 * 1.25 + 3500)));
});

/** Asks, and leaves once `seen` has been reached. */
async function askAndLeave(format: Format, seen: Promise<void>): Promise<void> {
  const [path, body] = REQUESTS[format];
  const leave = new AbortController();
  const headers = { "content-type": "application/json", authorization: `Bearer sk-${"a".repeat(48)}` };
  const asked = fetch(scene.relay.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: leave.signal,
  });
  await seen;
  leave.abort();
  await expect(asked).rejects.toThrow("abort");
}

test("a client that leaves in the second round ends it, and what was used is charged", async () => {
  scene.upstream.next(looks("rain"), { neverAnswers: true });
  await askAndLeave(
    "messages",
    until(() => scene.upstream.count === 2).then(() => undefined),
  );
  await until(() => scene.relay.billing.settlements.length === 1);
  expect(scene.agreed()).toBe(Math.round(0.333 * (140 * 1.25 + 3500)));
  await until(() => scene.upstream.requests[1]?.wasAborted === true);
});

test("a client that leaves during a search ends that, and pays for the round alone", async () => {
  server.before = () => new Promise(() => undefined);
  scene.upstream.next(looks("rain"));
  await askAndLeave(
    "messages",
    until(() => server.asked.length === 1).then(() => undefined),
  );
  await until(() => scene.relay.billing.settlements.length === 1);
  expect([scene.agreed(), scene.upstream.count]).toEqual([Math.round(0.333 * 140 * 1.25), 1]);
});

test("the next turn of a client that sends the search's blocks back is answered", async () => {
  scene.upstream.next(looks("rain"), ANSWER, { text: "Yes." });
  const { content } = (await (await ask("messages")).json()) as { content: Json[] };
  const more = { messages: [...messages, { role: "assistant", content }, { role: "user", content: "sure?" }] };
  expect((await ask("messages", more)).status).toBe(200);
});
