/** Calls beside chat in vendors' own formats: each request as strict as the documentation, its answer and its receipt. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { fieldsOf } from "../support/clients/client-formats.ts";
import type { OperationCase } from "../support/providers/operation-case.ts";
import { OPERATION_CASES } from "../support/providers/operation-cases.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const KEY = "key-of-the-operations";
const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" };
const PATHS: Readonly<Record<string, string>> = {
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
  rerank: "/v1/rerank",
  images: "/v1/images/generations",
  speech: "/v1/audio/speech",
  transcriptions: "/v1/audio/transcriptions",
};

const providers = providerRegistry();
let relay: TestRelay;
let server: ReturnType<typeof createServer>;
let running: OperationCase | undefined;
let count = 0;
/** What came otherwise than the vendor documents it. */
let seen: unknown[] = [];
let wanted: unknown[] = [];

function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const exchange = running?.exchanges[count];
  count += 1;
  const { method = "", url = "", headers } = request;
  const text = body.toString("utf8");
  const isJson = headers["content-type"] === "application/json";
  const names = Object.keys(exchange?.headers ?? {});
  const shown = Object.fromEntries(names.map((name) => [name, headers[name]]));
  const content = method === "GET" ? undefined : isJson ? (JSON.parse(text) as unknown) : text;
  seen.push([method, url, headers["authorization"], shown, content]);
  wanted.push([exchange?.method ?? "POST", exchange?.path, `Bearer ${KEY}`, exchange?.headers ?? {}, exchange?.wants]);
  const { bytes, mimeType = "application/json" } = fieldsOf(exchange?.says);
  response.writeHead(exchange?.status ?? 200, { "content-type": String(mimeType) });
  response.end(bytes ?? JSON.stringify(exchange?.says ?? {}));
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => answer(request, Buffer.concat(parts), response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers });
});
afterAll(async () => {
  await relay.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [count, seen, wanted] = [0, [], []];
  relay.billing.settlements = [];
});

function ask({ operation, asks, file }: OperationCase): Promise<Response> {
  const path = PATHS[operation] ?? "";
  if (file === undefined) return relay.post(path, asks);
  const form = new FormData();
  for (const [name, value] of Object.entries(asks)) form.set(name, String(value));
  form.set("file", new File([new Uint8Array(file.bytes)], file.name));
  return fetch(relay.url + path, { method: "POST", headers: { authorization: `Bearer sk-${TEST_KEY}` }, body: form });
}

function serve(each: OperationCase): void {
  running = each;
  const model = String(each.asks["model"]);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { type, other = "", price } = each;
  relay.world.prices.set(model, price === undefined ? PRICE : { kind: "per_call", price });
  relay.world.channels = [newChannel({ type, other, baseUrl, key: KEY, models: new Set([model]) })];
}

test.each(OPERATION_CASES.map((each) => [each.name, each] as const))("%s", async (_, each) => {
  serve(each);
  const answered = await ask(each);
  const body: unknown = typeof each.gets === "string" ? await answered.text() : await answered.json();
  expect(seen).toEqual(wanted);
  expect([answered.status, body]).toMatchObject([200, each.gets]);
  expect(count).toBe(each.exchanges.length);
  const [settlement] = relay.billing.settlements;
  const usage = fieldsOf(fieldsOf(JSON.parse(settlement?.log?.other ?? "{}"))["usage"]);
  if (each.charge !== undefined) expect(settlement?.charge).toBe(each.charge);
  if (each.counted !== undefined) expect(usage).toMatchObject(each.counted);
  const warnings = answered.headers.get("turnpike-warnings") ?? "";
  expect((each.warned ?? []).filter((field) => !warnings.includes(field))).toEqual([]);
});

test("tokens of OpenAI are refused by vendors that read texts", async () => {
  const [each] = OPERATION_CASES;
  if (each === undefined) throw new Error("there are no cases");
  serve(each);
  const answered = await relay.post("/v1/embeddings", { ...each.asks, input: [1, 2] });
  expect([answered.status, fieldsOf(fieldsOf(await answered.json())["error"])["param"]]).toEqual([400, "input[0]"]);
  expect(seen).toEqual([]);
});

test.each([
  ["wan2.2-t2i-flash", { n: 5 }, "n"],
  ["wan2.2-t2i-flash", { stream: true }, "stream"],
])("%s: pictures that the vendor cannot make so (%j) are refused by name", async (model, more, param) => {
  const each = OPERATION_CASES.find(({ asks }) => asks["model"] === model);
  if (each === undefined) throw new Error(`there is no case of ${model}`);
  serve(each);
  const answered = await relay.post("/v1/images/generations", { model, prompt: "a cat", ...more });
  expect([answered.status, fieldsOf(fieldsOf(await answered.json())["error"])["param"]]).toEqual([400, param]);
  expect(seen).toEqual([]);
});

describe("pictures at addresses", () => {
  const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  const model = "qwen-image-2.0-pro";
  let pictures: ReturnType<typeof createServer>;
  let asked = 0;
  let hold: Promise<void> | undefined;
  beforeAll(async () => {
    pictures = createServer((request, response) => {
      asked += 1;
      const isThere = request.url === "/cat.png?a=1&b=2";
      void Promise.resolve(hold).then(() => response.writeHead(isThere ? 200 : 404).end(Buffer.from(PIXEL, "base64")));
    });
    await new Promise<void>((resolve) => pictures.listen(0, "127.0.0.1", () => resolve()));
  });
  afterAll(() => pictures.closeAllConnections());
  beforeEach(() => {
    [asked, hold] = [0, undefined];
  });

  /** Alibaba's newer models, drawing a picture that stands at this path. */
  function draws(path: string): void {
    const each = OPERATION_CASES.find(({ asks }) => asks["model"] === model);
    const [exchange] = each?.exchanges ?? [];
    if (each === undefined || exchange === undefined) throw new Error(`there is no case of ${model}`);
    const image = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}${path}`;
    const says = { output: { choices: [{ message: { content: [{ image }, { image }] } }] } };
    serve({ ...each, exchanges: [{ ...exchange, says }], price: "0.01" });
  }
  const ofOpenAi = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${relay.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "a cat", response_format: "b64_json" }),
      signal: signal ?? null,
    });

  test("come as bytes to clients of OpenAI and of Gemini, each charged once", async () => {
    draws("/cat.png?a=1&b=2");
    expect(fieldsOf(await (await ofOpenAi()).json())["data"]).toEqual([{ b64_json: PIXEL }, { b64_json: PIXEL }]);
    count = 0;
    const body = { instances: [{ prompt: "a cat" }], parameters: { sampleCount: 1 } };
    const picture = { mimeType: "image/png", bytesBase64Encoded: PIXEL };
    const gemini = await relay.post(`/v1beta/models/${model}:predict`, body);
    expect(await gemini.json()).toMatchObject({ predictions: [picture, picture] });
    expect(relay.billing.settlements.map(({ charge }) => charge)).toEqual([5_000, 5_000]);
    // The two pictures of an answer are one.
    expect(asked).toBe(2);
  });

  test("that cannot be fetched are a failure with its reason, and cost nothing", async () => {
    draws("/gone.png");
    const answered = await ofOpenAi();
    expect([answered.status, asked, relay.billing.settlements]).toEqual([502, 1, []]);
    const { tried } = fieldsOf(fieldsOf(JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}"))["admin_info"]);
    expect(JSON.stringify(tried)).toContain("its server did not answer with the file");
  });

  test("are no longer waited for once the client has left", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    draws("/cat.png?a=1&b=2");
    const leaving = new AbortController();
    const answered = ofOpenAi(leaving.signal).catch(() => "left");
    await expect.poll(() => asked).toBe(1);
    leaving.abort();
    expect(await answered).toBe("left");
    await expect.poll(() => relay.metrics.openCalls).toBe(0);
    resolve();
    expect(relay.billing.settlements).toEqual([]);
  });
});

test("a task that failed is a failure with its own message, and costs nothing", async () => {
  const each = OPERATION_CASES.find(({ asks }) => asks["model"] === "wan2.2-t2i-flash");
  const [first] = each?.exchanges ?? [];
  if (each === undefined || first === undefined) throw new Error("there is no task among the cases");
  const output = {
    task_id: "86ecf553",
    task_status: "FAILED",
    code: "InvalidParameter",
    message: "size must be smaller",
  };
  serve({ ...each, exchanges: [first, { method: "GET", path: "/api/v1/tasks/86ecf553", says: { output } }] });
  const answered = await ask(each);
  expect([answered.status, fieldsOf(await answered.json())["error"]]).toMatchObject([
    400,
    { message: expect.stringContaining("size must be smaller") as string },
  ]);
  expect(relay.billing.settlements).toEqual([]);
});
