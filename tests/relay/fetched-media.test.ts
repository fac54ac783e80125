/** Pictures named by URL, for an upstream that takes bytes only: fetched by the address policy, or refused with the client's field name. */
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { startWorker } from "../support/relay/worker.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MODEL = "gemini-2.5-flash";

let upstream: FakeUpstream;
let relay: TestRelay;
let pictures: Server;
let asked: string[] = [];

async function start(allowsPrivate: boolean, limits: Parameters<typeof startTestRelay>[0] = {}): Promise<void> {
  const world = newWorld({ prices: new Map([[MODEL, { kind: "per_call", price: "0.001" }]]) });
  world.channels.push(newChannel({ type: 24, baseUrl: upstream.url, models: new Set([MODEL]) }));
  relay = await startTestRelay({ world, allowsPrivate, ...limits });
}

beforeEach(async () => {
  upstream = await startFakeUpstream();
  asked = [];
  pictures = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url?.startsWith("/a.png") === true) response.end(Buffer.from(PIXEL, "base64"));
    else if (request.url?.startsWith("/a.pdf") === true)
      response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-");
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => pictures.listen(0, "127.0.0.1", () => resolve()));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
  pictures.closeAllConnections();
  await new Promise<void>((resolve) => pictures.close(() => resolve()));
});

const urlOf = (path: string): string => `http://127.0.0.1:${(pictures.address() as AddressInfo).port}${path}`;

/** A question with one picture in each client's format, and what its conversation is called there. */
const CLIENTS = [
  [
    "messages",
    "/v1/chat/completions",
    (url: string) => ({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] }),
  ],
  [
    "input",
    "/v1/responses",
    (url: string) => ({ input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] }),
  ],
  [
    "messages",
    "/v1/messages",
    (url: string) => ({
      max_tokens: 10,
      messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }],
    }),
  ],
] as const;

/** A document with an address in each client's format. */
const DOCUMENTS = [
  [
    "/v1/responses",
    (file_url: string) => ({
      input: [{ role: "user", content: [{ type: "input_file", filename: "a.pdf", file_url }] }],
    }),
  ],
  [
    "/v1/messages",
    (url: string) => ({
      max_tokens: 10,
      messages: [{ role: "user", content: [{ type: "document", title: "a.pdf", source: { type: "url", url } }] }],
    }),
  ],
] as const;

test.each(DOCUMENTS)(
  "a document of %s goes as its bytes to a server that takes no address of one",
  async (path, ask) => {
    await start(true);
    relay.world.channels[0] = newChannel({
      type: 8,
      baseUrl: `${upstream.url}/v1/chat/completions`,
      models: new Set([MODEL]),
    });
    const answer = await relay.post(path, { model: MODEL, ...ask(urlOf("/a.pdf")) });
    expect([answer.status, asked]).toEqual([200, ["/a.pdf"]]);
    expect(JSON.stringify(upstream.requests[0]?.json)).toContain("data:application/pdf;base64,JVBERi0=");
  },
);

/** A document in the place of a picture, with its bytes in the request. */
const IN_A_PICTURES_PLACE = [
  [
    "messages[0].content[0].image_url.url",
    "/v1/chat/completions",
    (type: string) => CLIENTS[0][2](`data:${type};base64,JVBERi0=`),
  ],
  ["input[0].content[0].image_url", "/v1/responses", (type: string) => CLIENTS[1][2](`data:${type};base64,JVBERi0=`)],
  [
    "messages[0].content[0].source.media_type",
    "/v1/messages",
    (media_type: string) => ({
      max_tokens: 10,
      messages: [
        { role: "user", content: [{ type: "image", source: { type: "base64", media_type, data: "JVBERi0=" } }] },
      ],
    }),
  ],
] as const;

test.each(IN_A_PICTURES_PLACE)(
  "%s of %s is a picture, and nothing dearer in its place",
  async (field, path, question) => {
    await start(true);
    for (const type of ["application/pdf", "Video/mp4", "text/plain"]) {
      const answer = await relay.post(path, { model: MODEL, ...question(type) });
      const text = await answer.text();
      expect([answer.status, text.includes(field), text.includes("must be a picture")]).toEqual([400, true, true]);
    }
    expect([upstream.count, relay.billing.settlements.length]).toEqual([0, 0]);
    const answer = await relay.post(path, { model: MODEL, ...question("IMAGE/png") });
    expect(answer.status).toBe(200);
  },
);

describe.each(CLIENTS)("%s of %s", (place, path, question) => {
  test("that is a document is refused once it was fetched, and nothing is held", async () => {
    await start(true);
    const answer = await relay.post(path, { model: MODEL, ...question(urlOf("/a.pdf?signature=secret")) });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([400, expect.stringContaining("must be a picture")]);
    expect(text).toContain(place);
    expect(text).not.toContain("secret");
    expect([upstream.count, relay.billing.held, relay.billing.settlements.length]).toEqual([0, 0, 0]);
  });

  test("goes upstream as its bytes, with the type they have", async () => {
    await start(true);
    const answer = await relay.post(path, { model: MODEL, ...question(urlOf("/a.png?signature=secret")) });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(upstream.requests[0]?.json)).toContain(
      JSON.stringify({ inlineData: { mimeType: "image/png", data: PIXEL } }),
    );
    expect(asked).toEqual(["/a.png?signature=secret"]);
  });

  test("at a private address is refused before any request, and nothing is held", async () => {
    await start(false);
    const answer = await relay.post(path, { model: MODEL, ...question(urlOf("/a.png?signature=secret")) });
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).toContain(place);
    expect(text).toMatch(/\/a\.png\\" could not be fetched: its address is not allowed/);
    expect(text).not.toContain("secret");
    expect([asked.length, upstream.count, relay.billing.held, relay.billing.settlements.length]).toEqual([0, 0, 0, 0]);
  });

  test("that is not there is refused", async () => {
    await start(true);
    const answer = await relay.post(path, { model: MODEL, ...question(urlOf("/b.png")) });
    expect([answer.status, upstream.count, relay.billing.held]).toEqual([400, 0, 0]);
  });
});

test("with a worker in the options the picture comes through it, and its refusal is the caller's to read", async () => {
  await start(true);
  const worker = await startWorker("k3y", (url) => url);
  try {
    const question = CLIENTS[0][2](urlOf("/a.png"));
    const https = { WorkerUrl: worker.url, WorkerValidKey: "k3y" };
    withOptions(relay.world, https);
    const refused = await relay.post("/v1/chat/completions", { model: MODEL, ...question });
    expect([refused.status, worker.tasks.length, upstream.count, relay.billing.held]).toEqual([400, 0, 0, 0]);
    expect(await refused.text()).toContain("its URL does not begin with https://");
    withOptions(relay.world, { ...https, WorkerAllowHttpImageRequestEnabled: true });
    expect((await relay.post("/v1/chat/completions", { model: MODEL, ...question })).status).toBe(200);
    expect(worker.tasks.map(({ url }) => url)).toEqual([urlOf("/a.png")]);
    expect(JSON.stringify(upstream.requests[0]?.json)).toContain(PIXEL);
  } finally {
    await worker.close();
  }
});

const chatWith = (urls: readonly string[]) => ({
  model: MODEL,
  messages: [{ role: "user", content: urls.map((url) => ({ type: "image_url", image_url: { url } })) }],
});

test("what is fetched counts as memory until the call is over, and is asked for once, whichever channels are tried", async () => {
  await start(true, { limits: { sseBudgetBytes: 2_000 } });
  withOptions(relay.world, { RetryTimes: 1 });
  relay.world.channels.push(newChannel({ id: 2, type: 24, baseUrl: upstream.url, models: new Set([MODEL]) }));
  upstream.plan((seen) => (seen.path.includes("generateContent") && upstream.count % 2 === 1 ? { status: 500 } : {}));
  const few = [urlOf("/a.png?1"), urlOf("/a.png?2"), urlOf("/a.png?1")];
  for (let call = 1; call <= 3; call += 1) {
    expect((await relay.post("/v1/chat/completions", chatWith(few))).status).toBe(200);
    expect([asked.length, upstream.count]).toEqual([2 * call, 2 * call]);
  }
  const many = Array.from({ length: 25 }, (_, index) => urlOf(`/a.png?${index}`));
  const refused = await relay.post("/v1/chat/completions", chatWith(many));
  expect([refused.status, relay.billing.held]).toEqual([503, 0]);
  expect((await relay.post("/v1/chat/completions", chatWith(few))).status).toBe(200);
});
