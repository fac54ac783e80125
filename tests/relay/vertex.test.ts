/** Vertex AI through the relay: tokens for service accounts, vectors, pictures, usage, and refused keys. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { accessTokens } from "../../server/src/stores/access-tokens.ts";
import { type TestDatabase, openTestDatabase } from "../support/databases/databases.ts";
import { accountKey, currentToken, exchanges } from "../support/providers/google-account.ts";
import { type RunningVendor, startHttpVendor } from "../support/providers/own-vendor.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const MODELS = ["gemini-2.5-flash", "text-embedding-005", "imagen-4.0-generate-001", "claude-opus-4-6"];
const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" };
const GEMINI = {
  candidates: [{ content: { role: "model", parts: [{ text: "hello" }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
};
const CLAUDE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-6",
  content: [{ type: "text", text: "hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 7, output_tokens: 2 },
};
const ANSWERS: readonly (readonly [end: RegExp, answer: object])[] = [
  [/count-tokens:rawPredict$/, { input_tokens: 12 }],
  [/:countTokens$/, { totalTokens: 13 }],
  [
    /text-embedding-005:predict$/,
    { predictions: [{ embeddings: { values: [1, 2], statistics: { token_count: 5, truncated: false } } }] },
  ],
  [/imagen.*:predict$/, { predictions: [{ bytesBase64Encoded: "aGk=", mimeType: "image/png" }] }],
  [/:generateContent$/, GEMINI],
  [/claude-opus-4-6:rawPredict$/, CLAUDE],
];

let relay: TestRelay;
let vendor: RunningVendor;
let database: TestDatabase;
/** Tokens of this one are refused: it has ended at Google. */
let ended = "";

beforeAll(async () => {
  vendor = await startHttpVendor(({ path, headers }, response) => {
    const isRefused = headers.authorization === `Bearer ${ended}`;
    const error = { code: 401, message: "Request had invalid authentication credentials.", status: "UNAUTHENTICATED" };
    const answer = isRefused ? { error } : ANSWERS.find(([end]) => end.test(path))?.[1];
    response.writeHead(isRefused ? 401 : answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: { code: 404, message: "not found", status: "NOT_FOUND" } }));
  });
  database = await openTestDatabase("sqlite");
  const tokens = accessTokens({
    ...database,
    clock: () => Date.now(),
    holder: "one",
    logger: { warn: () => undefined },
  });
  const world = newWorld({ prices: new Map() });
  relay = await startTestRelay({ world, providers: providerRegistry(), accessTokens: tokens });
  for (const model of MODELS) relay.world.prices.set(model, PRICE);
});
afterAll(async () => {
  await relay.close();
  await Promise.all([vendor.close(), database.close()]);
});
let runs = 0;
beforeEach(() => {
  vendor.seen.length = 0;
  Object.assign(exchanges, { isRefused: false, delayMs: 0 });
  ended = "";
  relay.billing.settlements = [];
  relay.billing.rows = [];
  relay.health.succeeded(1, performance.now());
  // Another text of the same key, whose token is not cached yet.
  serve(accountKey().replace("{", `{${" ".repeat((runs += 1))}`));
});

function serve(key: string): void {
  relay.world.channels = [
    newChannel({ type: 41, key, other: "us-central1", baseUrl: vendor.url, models: new Set(MODELS) }),
  ];
}

const chat = () =>
  relay.post("/v1/chat/completions", { model: "gemini-2.5-flash", messages: [{ role: "user", content: "hi" }] });

describe("an access token", () => {
  test("is exchanged once for 100 calls at once, while it is slow to come", async () => {
    exchanges.delayMs = 200;
    const before = exchanges.count;
    const answers = await Promise.all(Array.from({ length: 100 }, () => chat()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
    expect([exchanges.count - before, vendor.seen.length]).toEqual([1, 100]);
    expect(new Set(vendor.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${currentToken()}`]),
    );
  });

  test("that has ended is renewed once for 100 calls at once, each of which is repeated", async () => {
    await chat();
    const before = exchanges.count;
    ended = currentToken();
    const answers = await Promise.all(Array.from({ length: 100 }, () => chat()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(exchanges.count - before).toBe(1);
  });

  test("that Google refuses is reported as such, without the key", async () => {
    exchanges.isRefused = true;
    const refused = await chat();
    expect([refused.status, vendor.seen]).toEqual([502, []]);
    const noted = JSON.stringify(relay.billing.rows);
    expect(noted).toContain("auth: Account not found.");
    expect(noted + (await refused.text())).not.toMatch(/PRIVATE KEY|gserviceaccount/);
  });

  test("is not asked for with an API key", async () => {
    const before = exchanges.count;
    serve("AQ.test-key");
    expect((await chat()).status).toBe(200);
    expect([exchanges.count - before, vendor.seen[0]?.path, vendor.seen[0]?.headers["x-goog-api-key"]]).toEqual([
      0,
      "/v1/publishers/google/models/gemini-2.5-flash:generateContent",
      "AQ.test-key",
    ]);
  });
});

const AT = "/v1/projects/my-project/locations/us-central1/publishers/google/models/";

describe("calls beside chat", () => {
  test("vectors, for clients of OpenAI and of Gemini", async () => {
    const model = "text-embedding-005";
    const openAi = await relay.post("/v1/embeddings", { model, input: "a" });
    expect(await openAi.json()).toMatchObject({ data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 5 } });
    const gemini = await relay.post(`/v1beta/models/${model}:embedContent`, { content: { parts: [{ text: "a" }] } });
    expect(await gemini.json()).toMatchObject({ embedding: { values: [1, 2] } });
    expect(vendor.seen.map(({ path, body }) => [path, JSON.parse(body.toString())])).toEqual(
      Array.from({ length: 2 }, () => [`${AT}${model}:predict`, { instances: [{ content: "a" }] }]),
    );
    expect(relay.billing.settlements.map(({ promptTokens }) => promptTokens)).toEqual([5, 5]);
    vendor.seen.length = 0;
    const [task_type, title] = ["RETRIEVAL_DOCUMENT", "t"];
    await relay.post("/v1/embeddings", { model, input: "a", task_type, title });
    const content = { parts: [{ text: "a" }] };
    await relay.post(`/v1beta/models/${model}:embedContent`, { content, taskType: task_type, title });
    expect(vendor.seen.map(({ body }) => JSON.parse(body.toString()))).toEqual(
      Array.from({ length: 2 }, () => ({ instances: [{ content: "a", task_type, title }] })),
    );
  });

  test("pictures, for clients of OpenAI and of Gemini", async () => {
    const model = "imagen-4.0-generate-001";
    const openAi = await relay.post("/v1/images/generations", { model, prompt: "a lake", n: 1 });
    expect(await openAi.json()).toMatchObject({ data: [{ b64_json: "aGk=" }] });
    const body = { instances: [{ prompt: "a lake" }], parameters: { sampleCount: 1, negativePrompt: "boats" } };
    const gemini = await relay.post(`/v1beta/models/${model}:predict`, body);
    expect(await gemini.json()).toMatchObject({ predictions: [{ bytesBase64Encoded: "aGk=" }] });
    expect(JSON.parse(vendor.seen[1]?.body.toString() ?? "{}")).toEqual(body);
    expect(relay.billing.settlements).toHaveLength(2);
  });

  test("counts of tokens, of Claude and of Gemini", async () => {
    const messages = [{ role: "user", content: "hi" }];
    const claude = await relay.post("/v1/messages/count_tokens", { model: "claude-opus-4-6", messages });
    expect(await claude.json()).toEqual({ input_tokens: 12 });
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    const gemini = await relay.post("/v1beta/models/gemini-2.5-flash:countTokens", { contents });
    expect(await gemini.json()).toEqual({ totalTokens: 13 });
  });

  test("a count in the format of another family is our own, and nothing is sent", async () => {
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    const claude = await relay.post("/v1beta/models/claude-opus-4-6:countTokens", { contents });
    const messages = [{ role: "user", content: "hi" }];
    const gemini = await relay.post("/v1/messages/count_tokens", { model: "gemini-2.5-flash", messages });
    expect([Object.keys((await claude.json()) as object), vendor.seen]).toEqual([["totalTokens"], []]);
    expect([Object.keys((await gemini.json()) as object), vendor.seen]).toEqual([["input_tokens"], []]);
  });
});

describe("Claude", () => {
  const messages = [{ role: "user", content: "hi" }];
  const ask = (more: object) =>
    relay.post("/v1/messages", { model: "claude-opus-4-6", max_tokens: 10, messages, ...more });
  const file = { type: "document", source: { type: "file", file_id: "file_1" } };
  const result = { type: "tool_result", tool_use_id: "t", content: [file] };
  const f = { name: "f", input_schema: { type: "object" } };
  const search = { type: "web_search_20250305", name: "web_search" };
  const code = { type: "code_execution_20250825", name: "code_execution" };

  test.each([
    ["servers of tools", { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] }, "mcp_servers"],
    ["a container", { container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } }, "container"],
    ["a file", { messages: [{ role: "user", content: [file] }] }, "messages"],
    ["a file in a result", { messages: [{ role: "user", content: [result] }] }, "messages"],
    [
      "a file in a container",
      { messages: [{ role: "user", content: [{ type: "container_upload", file_id: "file_1" }] }] },
      "messages",
    ],
    ["running code", { tools: [code] }, "tools"],
    [
      "running code, before all else",
      { tools: [f, code], tool_choice: { type: "tool", name: "code_execution" } },
      "tools",
    ],
  ])("is not asked for %s of Anthropic's own", async (_what, more, field) => {
    const answer = await ask(more);
    const said = await answer.text();
    expect([answer.status, said.includes(field), said.includes("Vertex AI")]).toEqual([400, true, true]);
    expect(vendor.seen).toEqual([]);
  });

  test("searches the web there, and optional fields are dropped with a warning", async () => {
    const answer = await ask({ tools: [search, f, code] });
    expect([answer.status, answer.headers.get("turnpike-warnings")]).toEqual([
      200,
      expect.stringContaining("code execution"),
    ]);
    expect(vendor.seen[0]?.body.toString()).toContain(JSON.stringify([search, f]));
  });
});
