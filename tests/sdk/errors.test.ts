/** Gateway errors in the official libraries: the typed class of each status, with its code, field, request id and retry delay. */
import { ApiError, GoogleGenAI } from "@google/genai";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, newToken, newWorld, startTestRelay } from "../support/relay/harness.ts";

const MODELS = ["gpt-4o", "claude-sonnet-4-6", "gemini-2.5-flash"] as const;
const BODY_BYTES = 5000;

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  const channels = [1, 14, 24].map((type, index) =>
    newChannel({ id: type, type, baseUrl: upstream.url, models: new Set([MODELS[index] ?? ""]) }),
  );
  const world = newWorld({ channels });
  for (const model of [...MODELS, "unserved"]) world.prices.set(model, { kind: "per_call", price: "0.001" });
  relay = await startTestRelay({ world, limits: { bodyBytes: BODY_BYTES } });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** One situation, made in the relay or its upstream, and how the call is made in it. */
interface Situation {
  status: number;
  arrange?(): void;
  key?: string;
  model?: string;
  text?: string;
  /** Seconds of Retry-After. */
  pause?: string;
  /** The answer is the upstream's, byte for byte: our request id is in its head alone. */
  isUpstreams?: true;
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "a body that cannot be": {
    status: 400,
    isUpstreams: true,
    arrange: () => upstream.plan({ status: 400, error: { message: "No." } }),
  },
  "a wrong key": { status: 401, key: "sk-wrong" },
  "a model the key may not use": {
    status: 403,
    arrange: () => void relay.world.tokens.set(TEST_KEY, newToken({ modelLimits: new Set(["other"]) })),
  },
  "no such model at the upstream": {
    status: 404,
    isUpstreams: true,
    arrange: () => upstream.plan({ status: 404, error: { message: "The model does not exist." } }),
  },
  "a body that is too large": { status: 413, text: "x".repeat(BODY_BYTES) },
  "an upstream's limit": {
    status: 429,
    isUpstreams: true,
    pause: "7",
    arrange: () => upstream.plan({ status: 429, error: { message: "Slow down." }, headers: { "retry-after": "7" } }),
  },
  "an upstream's fault": {
    status: 500,
    isUpstreams: true,
    arrange: () => upstream.plan({ status: 500, error: { message: "Oops." } }),
  },
  "a model that no channel has": { status: 404, model: "unserved" },
  "a model whose channels are off": {
    status: 503,
    pause: "5",
    model: "unserved",
    arrange: () => void relay.world.channels.push(newChannel({ id: 99, status: 3, models: new Set(["unserved"]) })),
  },
  "an upstream that rests": {
    status: 503,
    isUpstreams: true,
    pause: "9",
    arrange: () =>
      upstream.plan({
        status: 503,
        error: { message: "Busy.", type: "overloaded_error" },
        headers: { "retry-after": "9" },
      }),
  },
};

/** What a library threw. */
async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the library did not throw");
}

const names = Object.keys(SITUATIONS);
const situation = (name: string): Situation => {
  const found = SITUATIONS[name] as Situation;
  found.arrange?.();
  return found;
};

describe.each([false, true])("streamed: %s", (stream) => {
  const OPENAI_CLASSES: Readonly<Record<number, unknown>> = {
    400: OpenAI.BadRequestError,
    401: OpenAI.AuthenticationError,
    403: OpenAI.PermissionDeniedError,
    404: OpenAI.NotFoundError,
    413: OpenAI.APIError,
    429: OpenAI.RateLimitError,
    500: OpenAI.InternalServerError,
    503: OpenAI.InternalServerError,
  };

  test.each(names)("openai, chat and responses: %s", async (name) => {
    const { status, key = `sk-${TEST_KEY}`, model = "gpt-4o", text = "hi", pause, isUpstreams } = situation(name);
    const client = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const calls = [
      () => client.chat.completions.create({ model, stream, messages: [{ role: "user", content: text }] }),
      () => client.responses.create({ model, stream, input: text }),
    ];
    for (const call of calls) {
      const error = (await thrownBy(call())) as InstanceType<typeof OpenAI.APIError>;
      expect(error).toBeInstanceOf(OPENAI_CLASSES[status]);
      expect(error.status).toBe(status);
      expect(error.requestID).toMatch(/^req-test-/);
      expect(error.message.includes(String(error.requestID))).toBe(isUpstreams !== true);
      expect(typeof error.type).toBe("string");
      expect(error.headers?.get("retry-after")).toBe(pause ?? null);
    }
  });

  const ANTHROPIC_CLASSES: Readonly<Record<number, [object: unknown, type: string]>> = {
    400: [Anthropic.BadRequestError, "invalid_request_error"],
    401: [Anthropic.AuthenticationError, "authentication_error"],
    403: [Anthropic.PermissionDeniedError, "permission_error"],
    404: [Anthropic.NotFoundError, "not_found_error"],
    413: [Anthropic.ContentTooLargeError, "request_too_large"],
    429: [Anthropic.RateLimitError, "rate_limit_error"],
    500: [Anthropic.InternalServerError, "api_error"],
    503: [Anthropic.ServiceUnavailableError, "overloaded_error"],
  };

  test.each(names)("anthropic: %s", async (name) => {
    const {
      status,
      key = `sk-${TEST_KEY}`,
      model = "claude-sonnet-4-6",
      text = "hi",
      pause,
      isUpstreams,
    } = situation(name);
    const client = new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: text }];
    const error = (await thrownBy(client.messages.create({ model, stream, max_tokens: 10, messages }))) as InstanceType<
      typeof Anthropic.APIError
    >;
    const [found, type] = ANTHROPIC_CLASSES[status] ?? [];
    expect(error).toBeInstanceOf(found);
    expect([error.status, error.type]).toEqual([status, type]);
    expect(error.requestID).toMatch(/^req-test-/);
    expect(error.apiMessage?.includes(String(error.requestID))).toBe(isUpstreams !== true);
    expect(error.headers?.get("retry-after")).toBe(pause ?? null);
  });

  test.each(names)("google: %s", async (name) => {
    const found = situation(name);
    const { status, key = `sk-${TEST_KEY}`, model = "gemini-2.5-flash", text = "hi", isUpstreams } = found;
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } } });
    const request = { model, contents: text };
    const call = stream ? client.models.generateContentStream(request) : client.models.generateContent(request);
    const error = (await thrownBy(call)) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect(error.status).toBe(status);
    const { error: shown } = JSON.parse(error.message) as { error: { code: number; message: string } };
    expect([shown.code, shown.message.includes("req-test-")]).toEqual([status, isUpstreams !== true]);
  });
});

test("a model that is not there is not found when asked for by name", async () => {
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const error = await thrownBy(client.models.retrieve("nothing"));
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error).toMatchObject({ code: "model_not_found", param: "model" });
  const anthropic = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
  expect(await thrownBy(anthropic.models.retrieve("nothing"))).toBeInstanceOf(Anthropic.NotFoundError);
});

test("Anthropic's library shows our own code beside its vendor's type, and the request id of an answer", async () => {
  const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const answer = await client.messages.create({ model: "claude-sonnet-4-6", max_tokens: 10, messages });
  expect(answer._request_id).toBe("req-test-1");
  const error = await thrownBy(client.messages.create({ model: "unserved", max_tokens: 10, messages }));
  expect(error).toMatchObject({ status: 404, errorCode: "model_not_found", type: "not_found_error" });
});

test("what would be answered the same again is not asked again by the libraries", async () => {
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 2 });
  const error = (await thrownBy(client.files.list())) as InstanceType<typeof OpenAI.APIError>;
  expect([error.status, error.requestID]).toEqual([501, "req-test-1"]);
});

test("the field that a vendor names reaches clients of its own format, and only them", async () => {
  const error = {
    message: "Unsupported parameter: 'max_tokens'.",
    type: "invalid_request_error",
    param: "max_tokens",
    code: "unsupported_parameter",
  };
  upstream.plan({ status: 400, error });
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const own = await thrownBy(client.chat.completions.create({ model: "gpt-4o", messages }));
  expect(own).toMatchObject({ param: "max_tokens", code: "unsupported_parameter", type: "invalid_request_error" });
  const google = await thrownBy(client.chat.completions.create({ model: "gemini-2.5-flash", messages }));
  expect(google).toMatchObject({ status: 400, param: null, type: "invalid_request_error" });
});

test("Anthropic's details of a request's fault reach its own clients as the error they know; those of an account do not", async () => {
  const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const ask = () => thrownBy(client.messages.create({ model: "claude-sonnet-4-6", max_tokens: 10, messages }));
  const refusing = (status: number, type: string, details: object): void =>
    upstream.plan({
      status,
      rawBody: JSON.stringify({ type: "error", error: { type, message: "No.", details }, request_id: "r" }),
    });
  const place = { max_side_length_pixels: 8000, paths: ["messages.0.content.0", "key sk-ant-api03-abcdefghijkl"] };
  refusing(400, "invalid_request_error", { error_code: "image_dimensions_too_large", ...place });
  const error = await ask();
  expect(error).toBeInstanceOf(Anthropic.Messages.ImageDimensionsTooLargeError);
  expect(error).toMatchObject({
    details: { max_side_length_pixels: 8000, paths: ["messages.0.content.0", "key [key]"] },
  });
  refusing(402, "billing_error", { error_code: "contract_spend_limit_reached", organisation: "ours" });
  expect(await ask()).toMatchObject({ details: { error_code: "contract_spend_limit_reached" } });
  expect(JSON.stringify(await ask())).not.toContain("ours");
});

describe("a stream that breaks off after its first tokens throws the library's own error", () => {
  const text = "word ".repeat(100);
  const cut = (): void => upstream.plan({ text, chunks: 100, chunkDelayMs: 1, cutAtByte: 4000, cutBy: "destroy" });

  /** Text that was read before the library threw, and what it threw. */
  async function readUntilThrown<Event>(
    events: Promise<AsyncIterable<Event>>,
    wordsOf: (event: Event) => string | undefined,
  ): Promise<{ words: string; error: unknown }> {
    let words = "";
    try {
      for await (const event of await events) words += wordsOf(event) ?? "";
    } catch (error) {
      return { words, error };
    }
    throw new Error("the library took the stream for whole");
  }

  test("openai", async () => {
    const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    for (const model of MODELS) {
      cut();
      const messages = [{ role: "user" as const, content: "hi" }];
      const chat = await readUntilThrown(
        client.chat.completions.create({ model, messages, stream: true }),
        (chunk) => chunk.choices[0]?.delta.content ?? "",
      );
      expect(chat.words).toMatch(/^word /);
      expect(chat.error).toBeInstanceOf(OpenAI.APIError);
      expect(chat.error).toMatchObject({ code: "upstream_broken" });
      cut();
      const response = await readUntilThrown(client.responses.create({ model, input: "hi", stream: true }), (event) => {
        if (event.type === "response.failed") throw new Error(`failed: ${event.response.error?.message}`);
        return event.type === "response.output_text.delta" ? event.delta : "";
      });
      expect(response.words).toMatch(/^word /);
      expect(response.error).toBeInstanceOf(OpenAI.APIError);
    }
  });

  test("anthropic", async () => {
    const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
    for (const model of MODELS) {
      cut();
      const messages = [{ role: "user" as const, content: "hi" }];
      const { words, error } = await readUntilThrown(
        client.messages.create({ model, max_tokens: 500, messages, stream: true }),
        (event) => (event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : ""),
      );
      expect(words).toMatch(/^word /);
      expect(error).toBeInstanceOf(Anthropic.APIError);
    }
  });

  test("google", async () => {
    const client = new GoogleGenAI({
      apiKey: `sk-${TEST_KEY}`,
      httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } },
    });
    for (const model of MODELS) {
      cut();
      const { words, error } = await readUntilThrown(
        client.models.generateContentStream({ model, contents: "hi" }),
        (chunk) => chunk.text,
      );
      expect(words).toMatch(/^word /);
      expect(error).toBeInstanceOf(ApiError);
    }
  });
});
