/** Bedrock through the relay: token counts, exceptions inside streams, clock skew, and betas with warnings. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { fieldsOf } from "../support/clients/client-formats.ts";
import { frame, throttledFrame } from "../support/providers/bedrock.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const MODEL = "claude-sonnet-4-5";
/** Is conversed with in Bedrock's own format. */
const NOVA = "amazon.nova-pro-v1:0";
const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" };
const BODY = { model: MODEL, max_tokens: 50, messages: [{ role: "user", content: "hi" }] };
const AWS_STREAM = "application/vnd.amazon.eventstream";

let relay: TestRelay;
let server: ReturnType<typeof createServer>;
let seen: { path: string; body: string }[] = [];
let answer: (response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      seen.push({ path: request.url ?? "", body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  relay = await startTestRelay({
    world: newWorld({ prices: new Map([MODEL, NOVA].map((model) => [model, PRICE] as const)) }),
    providers: providerRegistry(),
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = "AKIDEXAMPLE|c2VjcmV0LW9mLWJlZHJvY2s|us-east-1";
  relay.world.channels = [newChannel({ type: 33, baseUrl, key, models: new Set([MODEL, NOVA]) })];
});
afterAll(async () => {
  await relay.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
  relay.billing.settlements = [];
  relay.billing.rows = [];
  relay.disabled.length = 0;
  relay.health.succeeded(1, performance.now());
});

const json =
  (status: number, value: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

test("tokens are counted by the model itself, for the client's own request", async () => {
  answer = json(200, { inputTokens: 12 });
  const counted = await relay.post("/v1/messages/count_tokens", { model: MODEL, messages: BODY.messages });
  expect([counted.status, await counted.json()]).toEqual([200, { input_tokens: 12 }]);
  expect(seen[0]?.path).toBe("/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens");
  expect(relay.billing.settlements).toEqual([]);
});

test("tokens of a model that Bedrock counts none of are estimated, and nothing is sent", async () => {
  const counted = await relay.post("/v1/messages/count_tokens", { model: NOVA, messages: BODY.messages });
  expect([Object.keys((await counted.json()) as object), seen]).toEqual([["input_tokens"], []]);
});

test.each([
  ["/v1/messages", BODY],
  ["/v1/chat/completions", { model: MODEL, messages: BODY.messages }],
  ["/v1/chat/completions", { model: NOVA, messages: BODY.messages }],
  ["/v1/responses", { model: NOVA, input: "hi" }],
])("an exception in place of a stream's first token is a failure with its own status (%s)", async (path, body) => {
  answer = (response) => void response.writeHead(200, { "content-type": AWS_STREAM }).end(throttledFrame());
  const refused = await relay.post(path, { ...body, stream: true });
  expect([refused.status, relay.billing.settlements]).toEqual([429, []]);
});

test("an exception inside Converse's answer ends it as an error, and what came before it is charged", async () => {
  const piece = frame(
    { ":event-type": "contentBlockDelta", ":message-type": "event" },
    { contentBlockIndex: 0, delta: { text: "hello there" }, p: "ab" },
  );
  answer = (response) => {
    response.writeHead(200, { "content-type": AWS_STREAM });
    response.write(piece);
    // Later than the first tokens, which the client has by then.
    setTimeout(() => response.end(throttledFrame()), 30);
  };
  const cut = await relay.post("/v1/chat/completions", { model: NOVA, stream: true, messages: BODY.messages });
  const text = await cut.text();
  expect([text.includes("hello there"), text.includes("Too many requests"), text.includes("[DONE]")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(seen[0]?.path).toBe("/model/us.amazon.nova-pro-v1%3A0/converse-stream");
  expect(relay.billing.settlements).toHaveLength(1);
});

test("an account's profile that is no Claude goes through Converse, and from then on directly", async () => {
  const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3";
  const [channel] = relay.world.channels;
  if (channel === undefined) throw new Error("there is no channel");
  relay.world.channels = [{ ...channel, modelMapping: { [NOVA]: arn } }];
  const said = { output: { message: { content: [{ text: "hello" }] } }, usage: { inputTokens: 1, outputTokens: 1 } };
  const message = "Malformed input request: #: extraneous key [anthropic_version] is not permitted, please reformat.";
  answer = (response) =>
    seen.at(-1)?.path.endsWith("/converse") === true
      ? json(200, said)(response)
      : json(400, { message }, { "x-amzn-errortype": "ValidationException" })(response);
  const ask = () => relay.post("/v1/chat/completions", { model: NOVA, messages: BODY.messages });
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  expect(seen.map(({ path }) => path.slice(path.lastIndexOf("/")))).toEqual(["/invoke", "/converse", "/converse"]);
  relay.world.channels = [channel];
});

test("clock skew is reported with its size, and disables no channel", async () => {
  const date = new Date(Date.now() + 6 * 60_000).toUTCString();
  const message = "Signature expired: 20150830T123600Z is now earlier than 20150830T124100Z";
  answer = json(403, { message }, { date, "x-amzn-errortype": "InvalidSignatureException" });
  expect((await relay.post("/v1/messages", BODY)).status).toBe(502);
  const { tried } = fieldsOf(fieldsOf(JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}"))["admin_info"]);
  expect(JSON.stringify(tried)).toMatch(/auth: the clock of this server is (?:359|360|361) s behind the upstream's/);
  expect(relay.disabled).toEqual([]);
});

test("betas that Bedrock lacks are dropped with a warning", async () => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = [{ type: "text", text: "hello" }];
  answer = json(200, {
    id: "m",
    type: "message",
    role: "assistant",
    model: MODEL,
    content,
    stop_reason: "end_turn",
    usage,
  });
  const headers = { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" };
  const beta = { ...headers, "anthropic-beta": "oauth-2025-04-20,context-1m-2025-08-07" };
  const told = await fetch(`${relay.url}/v1/messages`, { method: "POST", headers: beta, body: JSON.stringify(BODY) });
  expect(told.status).toBe(200);
  expect(told.headers.get("turnpike-warnings")).toContain("Bedrock has no oauth-2025-04-20");
  expect(JSON.parse(seen[0]?.body ?? "{}")).toMatchObject({ anthropic_beta: ["context-1m-2025-08-07"] });
});

test("a picture that a client names by its URL goes as bytes, for Bedrock fetches none", async () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  const pictures = createServer((_request, response) => response.end(Buffer.from(pixel, "base64")));
  await new Promise<void>((resolve) => pictures.listen(0, "127.0.0.1", () => resolve()));
  const url = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/a.png`;
  const content = [{ type: "image_url", image_url: { url } }];
  answer = json(400, { message: "seen" });
  await relay.post("/v1/chat/completions", { model: NOVA, messages: [{ role: "user", content }] });
  expect(JSON.parse(seen[0]?.body ?? "{}")).toMatchObject({
    messages: [{ content: [{ image: { format: "png", source: { bytes: pixel } } }] }],
  });
  seen = [];
  await relay.post("/v1/chat/completions", { model: MODEL, messages: [{ role: "user", content }] });
  expect(seen[0]?.body).toContain(`"source":{"type":"base64","media_type":"image/png","data":"${pixel}"}`);
  expect(seen[0]?.body).not.toContain(url);
  await new Promise<void>((resolve) => pictures.close(() => resolve()));
});
