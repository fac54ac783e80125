/** Errors of an upstream that speaks its client's format: the client gets the body byte for byte, without what is the operator's. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { CLIENT_FORMATS, type ClientFormat, fieldsOf } from "../support/clients/client-formats.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const KEY = "sk-upstream-0123456789abcdef";
const REQUEST_ID = /^req-test-/;

let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay({ world: newWorld() });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

interface Written {
  /** Type of a channel that speaks the format. */
  type: number;
  /** An error as the vendor writes it, with blanks, an order and fields that a gateway would not write. */
  error(message: string, more?: string): string;
}

/**
 * platform.openai.com/docs/guides/error-codes, platform.claude.com/docs/en/api/errors, ai.google.dev/gemini-api/docs/troubleshooting.
 */
const FORMATS: Readonly<Record<ClientFormat["name"], Written>> = {
  "openai-chat": {
    type: 1,
    error: (message, more = "") =>
      `{\n  "error": {"code":"context_length_exceeded", "type":"invalid_request_error","message":${message},"z":[1.0,1e2,"\\u00e9"]${more}}\n}\n`,
  },
  "openai-responses": {
    type: 1,
    error: (message, more = "") =>
      `{ "error": {"param":"input","message":${message}, "type":"invalid_request_error","z":12345678901234567890${more}}}`,
  },
  "anthropic-messages": {
    type: 14,
    error: (message, more = "") =>
      `{"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy","type":"error", "error":{"message":${message},"type":"invalid_request_error","z":{"b":1,"a":2}${more}}}`,
  },
  gemini: {
    type: 24,
    error: (message, more = "") =>
      `{\n  "error": {\n    "status": "INVALID_ARGUMENT",\n    "code": 400,\n    "message": ${message},\n    "z": null${more}\n  }\n}\n`,
  },
};

const WORDS = '"prompt is too long: 210000 tokens > 200000 maximum (caf\\u00e9 \\/ \\"x\\")"';

describe.each(CLIENT_FORMATS)("$name", (format) => {
  const { type, error } = FORMATS[format.name];
  beforeEach(() => {
    upstream.reset();
    relay.world.channels = [newChannel({ type, baseUrl: upstream.url, key: KEY })];
  });

  const ask = (isStream = false): Promise<Response> =>
    relay.post(format.path("gpt-4o", isStream), format.body("gpt-4o", isStream, "hi"));
  const answers = async (status: number, body: string, isStream = false): Promise<[Response, string]> => {
    upstream.plan({ status, rawBody: body, headers: { "request-id": "theirs", "x-request-id": "theirs" } });
    const answer = await ask(isStream);
    return [answer, await answer.text()];
  };

  test.each([400, 404, 413, 422, 500, 503, 529])(
    "%i comes byte for byte, our request id in the head",
    async (status) => {
      for (const isStream of [false, true]) {
        const [answer, text] = await answers(status, error(WORDS), isStream);
        expect([answer.status, text]).toEqual([status, error(WORDS)]);
        expect(answer.headers.get("content-type")).toBe("application/json");
        for (const name of ["x-request-id", "request-id"]) expect(answer.headers.get(name)).toMatch(REQUEST_ID);
      }
      const row = relay.billing.rows.at(-1);
      expect([row?.type, row?.content]).toEqual([5, expect.stringContaining("prompt is too long")]);
    },
  );

  test("keys, addresses and accounts are taken out, and no other byte", async () => {
    const spelled = KEY.replace("sk", "s\\u006b");
    const more = `,"link":"https:\\/\\/internal.example\\/v1","organization" : "Acme Ltd","project_number":4711,"user":null`;
    const [answer, text] = await answers(400, error(`"the key ${spelled} of org-abcdefgh1234 \\u00e9"`, more));
    const shown = error(
      '"the key [key] of [key] é"',
      ',"link":"[address]","organization" : "[account]","project_number":"[account]","user":null',
    );
    expect([answer.status, text]).toEqual([400, shown]);
  });

  test("what names an account beside the words is written anew", async () => {
    const [answer, text] = await answers(400, error('"bad"', ',"owner":"jane@example.com"'));
    expect([answer.status, text]).toEqual([400, expect.stringContaining("bad (request id: req-test-")]);
    expect(text).not.toContain("jane@");
  });

  test.each([
    ["a refused key", 401, '"the project acme is closed"', 502],
    ["a refused channel", 403, '"the project acme is closed"', 502],
    ["an empty account", 402, '"the account has 3 dollars"', 402],
    ["a limit with figures", 429, '"Limit 30000, used 29000"', 429],
  ])("%s is the gateway's to say", async (_name, status, message, shown) => {
    const [answer, text] = await answers(status, error(message));
    expect([answer.status, text]).toEqual([shown, expect.stringContaining("request id: req-test-")]);
    expect(text).not.toMatch(/acme|30000|"z"/);
  });

  test("a mapped status, a body that is too long, cut, or no error of the format is written anew", async () => {
    const bodies = [
      error(JSON.stringify("long ".repeat(14_000))),
      error('"cut"').slice(0, -8),
      "no",
      '{"detail":"no"}',
    ];
    for (const body of bodies) {
      const [answer, text] = await answers(400, body);
      expect([answer.status, text]).toEqual([400, expect.stringContaining("request id: req-test-")]);
    }
    relay.world.channels = [newChannel({ type, baseUrl: upstream.url, statusCodeMapping: { "400": 418 } })];
    const [mapped, text] = await answers(400, error('"odd"'));
    expect([mapped.status, text]).toEqual([418, expect.stringContaining("odd (request id: req-test-")]);
  });

  test("a client of another format reads it in an envelope of its own", async () => {
    const [other] = CLIENT_FORMATS.filter(({ name }) => FORMATS[name].type !== type);
    upstream.plan({ status: 400, rawBody: error('"odd"') });
    const answer = await relay.post(other?.path("gpt-4o", false) ?? "", other?.body("gpt-4o", false, "hi") ?? {});
    const text = await answer.text();
    expect([answer.status, text]).toEqual([400, expect.stringContaining("odd (request id: req-test-")]);
    expect(fieldsOf(JSON.parse(text))["z"]).toBeUndefined();
  });
});

/** A stream that fails behind its first words, and its error as the vendor writes that. */
const STREAMS = [
  ["openai-chat", 'data: {"choices":[{"index":0,"delta":{"content":"hel"}}]}\n\n', "data: ", "\n\n"],
  [
    "anthropic-messages",
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n' +
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hel"}}\n\n',
    "event: error\ndata: ",
    "\n\n",
  ],
  [
    "gemini",
    'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"hel"}]}}]}\r\n\r\n',
    "data: ",
    "\r\n\r\n",
  ],
] as const;

test.each(STREAMS)(
  "an error behind the first words of a stream comes as it was sent: %s",
  async (name, begun, frame, end) => {
    const { type, error } = FORMATS[name];
    const format = CLIENT_FORMATS.find((each) => each.name === name);
    relay.world.channels = [newChannel({ type, baseUrl: upstream.url, key: KEY })];
    const failed = (message: string): string =>
      `${frame}${error(message).replaceAll(/^\{\s+|\n */g, (blanks) => blanks.trim())}${end}`;
    const readOf = async (message: string): Promise<string> => {
      const rawBody = [begun, failed(message)];
      upstream.plan({ rawBody, contentType: "text/event-stream", chunkDelayMs: 20 });
      const answer = await relay.post(format?.path("gpt-4o", true) ?? "", format?.body("gpt-4o", true, "hi") ?? {});
      return answer.text();
    };
    expect(await readOf('"overloaded \\u00e9"')).toBe(begun + failed('"overloaded \\u00e9"'));
    expect(await readOf(`"the key ${KEY}"`)).toBe(begun + failed('"the key [key]"'));
  },
);

// platform.openai.com/docs/api-reference/responses-streaming: the event `error`.
test("an error event of Responses keeps its words, and its code in the event of that name", async () => {
  relay.world.channels = [newChannel({ baseUrl: upstream.url, key: KEY })];
  const message = "Rate limit reached. Please try again in 1.5s.";
  const failed = { type: "error", sequence_number: 1, code: "rate_limit_exceeded", message, param: null };
  const begun = 'data: {"type":"response.output_text.delta","sequence_number":0,"delta":"hel"}\n\n';
  const rawBody = [begun, `data: ${JSON.stringify(failed)}\n\n`];
  upstream.plan({ rawBody, chunkDelayMs: 20 });
  const answer = await relay.post("/v1/responses", { model: "gpt-4o", stream: true, input: "hi" });
  const [, event, failure] = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? "{}") as object,
  );
  expect([event, failure]).toMatchObject([
    { type: "error", code: "rate_limit_exceeded", message },
    { type: "response.failed", response: { error: { message } } },
  ]);
});
