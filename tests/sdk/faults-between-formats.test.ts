/** Faults of an upstream of another format in each vendor's own wording: too long, not found, at its limit, threads; and how long libraries wait. */
import { type ApiError, GoogleGenAI } from "@google/genai";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const [OPENAI, ANTHROPIC, GEMINI] = [1, 14, 24] as const;
const MODEL = "gpt-4o";
const MESSAGES = [{ role: "user" as const, content: "hi" }];
let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay({ world: newWorld() });
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const use = (type: number) => void (relay.world.channels = [newChannel({ type, baseUrl: upstream.url })]);
const openai = (maxRetries = 0) => new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries });
const anthropic = (maxRetries = 0) => new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries });
const google = () =>
  new GoogleGenAI({ apiKey: `sk-${TEST_KEY}`, httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } } });
const chat = (maxRetries = 0) => openai(maxRetries).chat.completions.create({ model: MODEL, messages: MESSAGES });
const message = (maxRetries = 0) =>
  anthropic(maxRetries).messages.create({ model: MODEL, max_tokens: 9, messages: MESSAGES });
const generate = () => google().models.generateContent({ model: MODEL, contents: "hi" });

async function thrownBy<Thrown>(call: Promise<unknown>): Promise<Thrown> {
  try {
    await call;
  } catch (error) {
    return error as Thrown;
  }
  throw new Error("the library did not throw");
}
type OpenAiError = InstanceType<typeof OpenAI.APIError>;
type AnthropicError = InstanceType<typeof Anthropic.APIError>;

/** A refusal as each vendor sends it. */
const refused = (type: number, status: number, words: string, name: string, code: string | null = null) => ({
  status,
  contentType: "application/json",
  rawBody: JSON.stringify(
    type === OPENAI
      ? { error: { message: words, type: name, param: null, code } }
      : type === ANTHROPIC
        ? { type: "error", error: { type: name, message: words } }
        : { error: { code: status, message: words, status: name } },
  ),
});
const TOO_LONG = {
  [OPENAI]: refused(
    OPENAI,
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "invalid_request_error",
    "context_length_exceeded",
  ),
  [ANTHROPIC]: refused(ANTHROPIC, 400, "prompt is too long: 130000 tokens > 128000 maximum", "invalid_request_error"),
  [GEMINI]: refused(
    GEMINI,
    400,
    "The input token count (130000) exceeds the maximum number of tokens allowed (128000).",
    "INVALID_ARGUMENT",
  ),
};

describe("a conversation that is too long", () => {
  test.each([ANTHROPIC, GEMINI] as const)(
    "is known to OpenAI's clients by its code (upstream of type %d)",
    async (type) => {
      use(type);
      upstream.plan(TOO_LONG[type]);
      const error = await thrownBy<OpenAiError>(chat());
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({
        code: "context_length_exceeded",
        param: "messages",
        type: "invalid_request_error",
      });
      expect(error.message).toContain("This model's maximum context length is 128000 tokens. However, your messages");
      const ofResponses = await thrownBy<OpenAiError>(openai().responses.create({ model: MODEL, input: "hi" }));
      expect(ofResponses).toMatchObject({ status: 400, code: "context_length_exceeded", param: "input" });
      const row = JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as { error_code: string };
      expect(row.error_code).toBe(type === GEMINI ? "INVALID_ARGUMENT" : "invalid_request_error");
    },
  );

  test.each([OPENAI, GEMINI] as const)(
    "is known to Anthropic's clients by its words (upstream of type %d)",
    async (type) => {
      use(type);
      upstream.plan(TOO_LONG[type]);
      const error = await thrownBy<AnthropicError>(message());
      expect([error.status, error.type]).toEqual([400, "invalid_request_error"]);
      expect(error.message).toContain("prompt is too long: 130000 tokens > 128000 maximum");
    },
  );

  test.each([OPENAI, ANTHROPIC] as const)(
    "is known to Google's clients by its words (upstream of type %d)",
    async (type) => {
      use(type);
      upstream.plan(TOO_LONG[type]);
      const error = await thrownBy<ApiError>(generate());
      expect(error.status).toBe(400);
      expect(error.message).toContain(
        "The input token count (130000) exceeds the maximum number of tokens allowed (128000).",
      );
    },
  );

  test("keeps its vendor's own words in its own format", async () => {
    use(OPENAI);
    upstream.plan(
      refused(
        OPENAI,
        400,
        "Your input exceeds the context window.",
        "invalid_request_error",
        "context_length_exceeded",
      ),
    );
    const error = await thrownBy<OpenAiError>(chat());
    expect([error.code, error.message.includes("Your input exceeds the context window.")]).toEqual([
      "context_length_exceeded",
      true,
    ]);
  });

  test("is the same where no channel takes so much", async () => {
    relay.world.channels = [newChannel({ type: ANTHROPIC, baseUrl: upstream.url, maxInputTokens: 10 })];
    const words = "some words ".repeat(50);
    const messages = [{ role: "user" as const, content: words }];
    const error = await thrownBy<OpenAiError>(openai(2).chat.completions.create({ model: MODEL, messages }));
    expect(error).toMatchObject({ status: 400, code: "context_length_exceeded", requestID: "req-test-1" });
    expect(error.message).toMatch(
      /maximum context length is 10 tokens\. However, your messages resulted in \d+ tokens\./,
    );
    const own = await thrownBy<AnthropicError>(anthropic().messages.create({ model: MODEL, max_tokens: 5, messages }));
    expect(own.message).toMatch(/prompt is too long: \d+ tokens > 10 maximum/);
    expect(upstream.count).toBe(0);
  });
});

describe("the code of OpenAI's envelope", () => {
  test.each([
    [ANTHROPIC, 404, "not_found_error", "model_not_found"],
    [GEMINI, 404, "NOT_FOUND", "model_not_found"],
    [ANTHROPIC, 429, "rate_limit_error", "rate_limit_exceeded"],
    [GEMINI, 429, "RESOURCE_EXHAUSTED", "rate_limit_exceeded"],
    [ANTHROPIC, 500, "api_error", "server_error"],
    [GEMINI, 500, "INTERNAL", "server_error"],
    [ANTHROPIC, 400, "invalid_request_error", null],
    [GEMINI, 400, "INVALID_ARGUMENT", null],
    [OPENAI, 400, "invalid_request_error", null],
  ] as const)("of an upstream of type %d at %d (%s) is %s", async (type, status, name, code) => {
    use(type);
    upstream.plan(refused(type, status, "No.", name));
    const error = await thrownBy<OpenAiError>(chat());
    expect([error.status, error.code]).toEqual([status, code]);
  });
});

describe("the libraries", () => {
  test("ask once where asking again changes nothing", async () => {
    use(OPENAI);
    const unknown = await thrownBy<OpenAiError>(
      openai(2).chat.completions.create({ model: "gpt-typo", messages: MESSAGES }),
    );
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect([unknown.code, unknown.requestID]).toEqual(["model_not_found", "req-test-1"]);
    const other = await thrownBy<AnthropicError>(
      anthropic(2).messages.create({ model: "claude-typo", max_tokens: 9, messages: MESSAGES }),
    );
    expect(other).toBeInstanceOf(Anthropic.NotFoundError);
    expect(other.requestID).toBe("req-test-2");
    expect(
      (await thrownBy<ApiError>(google().models.generateContent({ model: "gemini-typo", contents: "hi" }))).status,
    ).toBe(404);
    // A vendor that has ended its service: 503, and no library tries again.
    const retired = relay.world;
    retired.channels = [newChannel({ type: 11, baseUrl: upstream.url })];
    const gone = await thrownBy<OpenAiError>(chat(2));
    expect([gone.status, gone.headers?.get("x-should-retry")]).toEqual([503, "false"]);
  });

  test.each([
    ["openai", chat],
    ["anthropic", message],
  ])("%s waits as long as Gemini asks in its body", async (_name, call) => {
    use(GEMINI);
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1s" }];
    const error = { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED", details };
    upstream.next({ status: 429, rawBody: JSON.stringify({ error }), contentType: "application/json" });
    const startMs = performance.now();
    await call(1);
    expect(performance.now() - startMs).toBeGreaterThan(950);
    expect(upstream.count).toBe(2);
  });
});

describe("a thread that Anthropic keeps", () => {
  const post = (thread: object) =>
    relay.post("/v1/messages", { model: MODEL, max_tokens: 9, messages: MESSAGES, thread });

  test("is refused elsewhere in the words at which its libraries send everything", async () => {
    use(OPENAI);
    const answer = await post({ type: "continue", previous_message_id: "msg_1" });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { details: { error_code: "thread_unsupported_request", unsupported: ["model"] } } },
    ]);
  });

  test("is gone on with at the channel that has it", async () => {
    const other = await startFakeUpstream({ validates: false });
    try {
      const made = JSON.stringify({
        id: "msg_0123456789abcdefghij",
        type: "message",
        role: "assistant",
        model: MODEL,
        content: [{ type: "text", text: "Hi." }],
        stop_reason: "end_turn",
        usage: { input_tokens: 5, output_tokens: 2 },
      });
      relay.world.channels = [newChannel({ type: ANTHROPIC, baseUrl: other.url })];
      other.plan({ rawBody: made, contentType: "application/json" });
      await (await post({ type: "create" })).text();
      relay.world.channels.push(newChannel({ id: 2, type: ANTHROPIC, baseUrl: upstream.url, priority: 9 }));
      for (let index = 0; index < 4; index += 1)
        await (await post({ type: "continue", previous_message_id: "msg_0123456789abcdefghij" })).text();
      expect([other.count, upstream.count]).toEqual([5, 0]);
    } finally {
      await other.close();
    }
  });
});
