/** Files, batches, stores and the like, which the gateway does not serve: the official libraries read a 501 in their vendor's envelope that names the call, and ask once. */
import { ApiError, GoogleGenAI } from "@google/genai";
import Anthropic, { toFile as toAnthropicFile } from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { newChannel, newWorld, startTestRelay, TEST_KEY, type TestRelay } from "../support/relay/harness.ts";
import { type Counter, startCounter } from "../support/systems/counter.ts";

const KEY = `sk-${TEST_KEY}`;
const MODEL = "gpt-4o";
/** More than a connection holds while it is not read. */
const LARGE_BYTES = 24 * 1024 * 1024;
let upstream: FakeUpstream;
let relay: TestRelay;
let counter: Counter;

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  const channels = [1, 14, 24].map((type) => newChannel({ id: type, type, baseUrl: upstream.url }));
  relay = await startTestRelay({ world: newWorld({ channels }) });
  counter = await startCounter(relay.url, () => true);
});
afterAll(async () => {
  await counter.close();
  await relay.close();
  await upstream.close();
});
let asked = 0;
beforeEach(() => void (asked = counter.callsMs.length));

async function thrownBy(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error("the library did not throw");
}
const text = (words: string) => Buffer.from(words);

type Calls<Client> = Readonly<Record<string, (client: Client) => PromiseLike<unknown>>>;

/** By what the error has to name. */
const OPENAI_CALLS: Calls<OpenAI> = {
  "POST /v1/files": async ({ files }) => files.create({ file: await toFile(text("{}"), "a.jsonl"), purpose: "batch" }),
  "GET /v1/files": ({ files }) => files.list(),
  "GET /v1/files/file-1": ({ files }) => files.retrieve("file-1"),
  "GET /v1/files/file-1/content": ({ files }) => files.content("file-1"),
  "DELETE /v1/files/file-1": ({ files }) => files.delete("file-1"),
  "POST /v1/uploads": ({ uploads }) =>
    uploads.create({ bytes: 5, filename: "a", mime_type: "text/plain", purpose: "batch" }),
  "POST /v1/uploads/upload_1/parts": async ({ uploads }) =>
    uploads.parts.create("upload_1", { data: await toFile(text("part"), "part") }),
  "POST /v1/uploads/upload_1/complete": ({ uploads }) => uploads.complete("upload_1", { part_ids: ["part_1"] }),
  "POST /v1/batches": ({ batches }) =>
    batches.create({ completion_window: "24h", endpoint: "/v1/responses", input_file_id: "file-1" }),
  "GET /v1/batches": ({ batches }) => batches.list(),
  "GET /v1/batches/batch_1": ({ batches }) => batches.retrieve("batch_1"),
  "POST /v1/batches/batch_1/cancel": ({ batches }) => batches.cancel("batch_1"),
  "POST /v1/vector_stores": ({ vectorStores }) => vectorStores.create({ name: "a" }),
  "POST /v1/conversations": ({ conversations }) => conversations.create({}),
  "POST /v1/containers": ({ containers }) => containers.create({ name: "a" }),
  "GET /v1/fine_tuning/jobs": ({ fineTuning }) => fineTuning.jobs.list(),
  "POST /v1/realtime/client_secrets": ({ realtime }) => realtime.clientSecrets.create({}),
  "DELETE /v1/models/gpt-4o": ({ models }) => models.delete(MODEL),
};

const ANTHROPIC_CALLS: Calls<Anthropic> = {
  "POST /v1/messages/batches": ({ messages }) =>
    messages.batches.create({
      requests: [
        { custom_id: "a", params: { model: MODEL, max_tokens: 5, messages: [{ role: "user", content: "hi" }] } },
      ],
    }),
  "GET /v1/messages/batches": ({ messages }) => messages.batches.list(),
  "GET /v1/messages/batches/msgbatch_1": ({ messages }) => messages.batches.retrieve("msgbatch_1"),
  "POST /v1/messages/batches/msgbatch_1/cancel": ({ messages }) => messages.batches.cancel("msgbatch_1"),
  "DELETE /v1/messages/batches/msgbatch_1": ({ messages }) => messages.batches.delete("msgbatch_1"),
  "POST /v1/files": async ({ beta }) => beta.files.upload({ file: await toAnthropicFile(text("words"), "a.txt") }),
  "GET /v1/files": ({ beta }) => beta.files.list(),
  "GET /v1/files/file_1": ({ beta }) => beta.files.retrieveMetadata("file_1"),
  "GET /v1/files/file_1/content": ({ beta }) => beta.files.download("file_1"),
  "DELETE /v1/files/file_1": ({ beta }) => beta.files.delete("file_1"),
  "GET /v1/skills": ({ beta }) => beta.skills.list(),
  "GET /v1/memory_stores": ({ beta }) => beta.memoryStores.list(),
  "GET /v1/environments": ({ beta }) => beta.environments.list(),
  "GET /v1/sessions": ({ beta }) => beta.sessions.list(),
};

const GOOGLE_CALLS: Calls<GoogleGenAI> = {
  "POST /upload/v1beta/files": ({ files }) => files.upload({ file: new Blob(["words"], { type: "text/plain" }) }),
  "GET /v1beta/files": ({ files }) => files.list(),
  "GET /v1beta/files/a": ({ files }) => files.get({ name: "files/a" }),
  "DELETE /v1beta/files/a": ({ files }) => files.delete({ name: "files/a" }),
  "POST /v1beta/cachedContents": ({ caches }) => caches.create({ model: MODEL, config: { contents: "words" } }),
  "GET /v1beta/cachedContents": ({ caches }) => caches.list(),
  "GET /v1beta/cachedContents/a": ({ caches }) => caches.get({ name: "cachedContents/a" }),
  "PATCH /v1beta/cachedContents/a": ({ caches }) => caches.update({ name: "cachedContents/a", config: { ttl: "60s" } }),
  "DELETE /v1beta/cachedContents/a": ({ caches }) => caches.delete({ name: "cachedContents/a" }),
  "POST /v1beta/models/gpt-4o:batchGenerateContent": ({ batches }) =>
    batches.create({ model: MODEL, src: [{ contents: [{ role: "user", parts: [{ text: "hi" }] }] }] }),
  "POST /v1beta/models/gpt-4o:asyncBatchEmbedContent": ({ batches }) =>
    batches.createEmbeddings({ model: MODEL, src: { inlinedRequests: { contents: [{ parts: [{ text: "hi" }] }] } } }),
  "GET /v1beta/batches": ({ batches }) => batches.list(),
  "GET /v1beta/batches/a": ({ batches }) => batches.get({ name: "batches/a" }),
  "POST /v1beta/batches/a:cancel": ({ batches }) => batches.cancel({ name: "batches/a" }),
  "POST /v1beta/tunedModels": ({ tunings }) =>
    tunings.tune({ baseModel: MODEL, trainingDataset: { examples: [{ textInput: "a", output: "b" }] } }),
  "POST /v1beta/fileSearchStores": ({ fileSearchStores }) => fileSearchStores.create({}),
  "POST /v1beta/auth_tokens": ({ authTokens }) => authTokens.create({}),
};

describe.each(Object.keys(OPENAI_CALLS))("OpenAI's library, %s", (name) => {
  test("throws its error for 501, whose code and words say what is not served, and asks once", async () => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${counter.url}/v1` });
    const error = await thrownBy(Promise.resolve(OPENAI_CALLS[name]?.(client)));
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status: 501, code: "api_not_implemented", type: "invalid_request_error" });
    expect(error.message).toContain(`does not serve ${name}: `);
    expect(counter.callsMs.length - asked).toBe(1);
  });
});

describe.each(Object.keys(ANTHROPIC_CALLS))("Anthropic's library, %s", (name) => {
  test("throws its error for 501, whose words say what is not served, and asks once", async () => {
    const client = new Anthropic({ apiKey: KEY, baseURL: counter.url });
    const error = await thrownBy(Promise.resolve(ANTHROPIC_CALLS[name]?.(client)));
    expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    expect(error).toMatchObject({ status: 501, type: "api_error", errorCode: "api_not_implemented" });
    expect(error.message).toContain(`does not serve ${name}: `);
    expect(counter.callsMs.length - asked).toBe(1);
  });
});

describe.each(Object.keys(GOOGLE_CALLS))("Google's library, %s", (name) => {
  test("throws its error for 501, whose words say what is not served, and asks once", async () => {
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: counter.url, apiVersion: "v1beta" } });
    const error = await thrownBy(Promise.resolve(GOOGLE_CALLS[name]?.(client)));
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(501);
    const words = expect.stringContaining(`does not serve ${name}: `) as string;
    expect(JSON.parse(error.message)).toMatchObject({ error: { code: 501, status: "UNIMPLEMENTED", message: words } });
    expect(counter.callsMs.length - asked).toBe(1);
  });
});

test("none of it reaches an upstream", () => expect(upstream.count).toBe(0));

test("a large upload reads the refusal too, in place of a connection that broke", async () => {
  const bytes = Buffer.alloc(LARGE_BYTES, "words ");
  const client = new OpenAI({ apiKey: KEY, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  for (let run = 0; run < 4; run += 1)
    expect(
      await thrownBy(client.files.create({ file: await toFile(bytes, "a.jsonl"), purpose: "batch" })),
    ).toMatchObject({ status: 501 });
});
