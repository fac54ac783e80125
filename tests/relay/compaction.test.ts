/** Conversations in short form: passed to upstreams that make them, else made by the model and sealed for their user; read again by every upstream. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  newWorld,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";

const OTHER_KEY = "b".repeat(48);
const [OPENAI, ANTHROPIC, DEEPSEEK] = [1, 14, 43];
const USER = { role: "user", content: "Where are my keys?" };
const ASSISTANT = { type: "message", role: "assistant", content: [{ type: "output_text", text: "In the hall." }] };
const BODY = { model: "gpt-4o", instructions: "Be brief.", input: [USER, ASSISTANT] };
const NATIVE = {
  id: "resp_001",
  object: "response.compaction",
  created_at: 1_760_000_000,
  output: [{ id: "cmp_001", type: "compaction", encrypted_content: "gAAAAAB" }],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  },
};
interface Compacted {
  object: string;
  output: { type: string; role?: string; encrypted_content?: string; content?: { text: string }[] }[];
  usage: { input_tokens: number; output_tokens: number };
}
let upstream: FakeUpstream;
let relay: TestRelay;
const channelOf = (type: number) => newChannel({ type, baseUrl: upstream.url });
const start = (...types: number[]) =>
  void (relay.world.channels = types.map((type, index) => ({ ...channelOf(type), id: index + 1 })));

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  const tokens = new Map([
    [TEST_KEY, newToken()],
    [OTHER_KEY, newToken({ id: 2, userId: 2 })],
  ]);
  relay = await startTestRelay({
    world: newWorld({ users: [newUser(), newUser({ id: 2, username: "bob" })], tokens }),
  });
  start(ANTHROPIC);
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const compact = async (body: object = BODY) => {
  const answer = await relay.post("/v1/responses/compact", body);
  return {
    status: answer.status,
    body: (await answer.json()) as Compacted & { error: { code: string; param: string } },
  };
};
const charges = () => relay.billing.settlements.map(({ charge }) => charge);
const respond = (input: unknown, key = TEST_KEY) =>
  relay.post("/v1/responses", { model: "gpt-4o", input }, { authorization: `Bearer sk-${key}` });

test("an upstream that has it is asked for it, and its usage is charged", async () => {
  start(OPENAI);
  upstream.next({ rawBody: JSON.stringify(NATIVE), contentType: "application/json" });
  const { status, body } = await compact();
  expect([status, body]).toEqual([200, NATIVE]);
  expect(upstream.requests.map(({ path }) => path)).toEqual(["/v1/responses/compact"]);
  expect(upstream.requests[0]?.json).toEqual(BODY);
  // 100 tokens in at 1.25 quota each, and 20 out at four times that.
  expect(charges()).toEqual([225]);
  expect(relay.billing.holds.size).toBe(0);
});

test("of several channels those are asked that have it", async () => {
  start(ANTHROPIC, OPENAI, DEEPSEEK);
  upstream.plan({ rawBody: JSON.stringify(NATIVE), contentType: "application/json" });
  for (let index = 0; index < 6; index += 1) expect((await compact()).body.object).toBe("response.compaction");
  expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(new Set(["/v1/responses/compact"]));
});

describe("where no upstream has it", () => {
  test.each([
    ["a channel of another format", [ANTHROPIC], 0],
    ["a server of OpenAI's format without the address", [OPENAI], 1],
  ])("%s: the model writes a summary in a call of its own", async (_name, types, refused) => {
    start(...types);
    upstream.plan(({ path }) =>
      path.endsWith("/compact") ? { status: 404, error: { message: "Invalid URL" } } : { text: "They look for keys." },
    );
    const { status, body } = await compact();
    expect([status, body.object]).toEqual([200, "response.compaction"]);
    expect(body.output.map(({ type, role }) => [type, role])).toEqual([
      ["message", "user"],
      ["compaction", undefined],
    ]);
    expect(body.output[0]?.content?.[0]?.text).toBe("Where are my keys?");
    expect(body.output[1]?.encrypted_content).not.toContain("keys");
    expect(body.usage.output_tokens).toBeGreaterThan(0);
    expect([upstream.count, charges().length, relay.billing.holds.size]).toEqual([1 + refused, 1, 0]);
    expect(charges()[0]).toBeGreaterThan(0);
    const sent = JSON.stringify(upstream.requests.at(-1)?.json);
    for (const words of ["Be brief.", "In the hall.", "Write a summary"]) expect(sent).toContain(words);
  });

  test("OpenAI's library reads it, and sends it on to any upstream, which reads the summary", async () => {
    const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    upstream.plan({ text: "They look for keys." });
    const short = await client.responses.compact({ model: "gpt-4o", input: "Where are my keys?" });
    expect(short.output.at(-1)?.type).toBe("compaction");
    for (const type of [ANTHROPIC, OPENAI, DEEPSEEK]) {
      start(type);
      const next = await client.responses.create({
        model: "gpt-4o",
        input: [...(short.output as never[]), { role: "user", content: "And now?" }],
      });
      expect(next.status).toBe("completed");
      const sent = JSON.stringify(upstream.requests.at(-1)?.json);
      expect([sent.includes("They look for keys."), sent.includes("turnpike-compaction")]).toEqual([true, false]);
      expect(sent.indexOf("They look for keys.")).toBeLessThan(sent.indexOf("And now?"));
    }
  });

  test("another user cannot read it, nor anybody what was changed", async () => {
    upstream.plan({ text: "They look for keys." });
    const item = (await compact()).body.output.at(-1);
    const count = upstream.count;
    const sealed = item?.encrypted_content ?? "";
    const changed = {
      ...item,
      encrypted_content: sealed.slice(0, -6) + (sealed.endsWith("AAAAAA") ? "BBBBBB" : "AAAAAA"),
    };
    for (const answer of [await respond([USER, item], OTHER_KEY), await respond([USER, changed])]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: { code: "encrypted_content_invalid", param: "input[1].encrypted_content" },
      });
    }
    expect(upstream.count).toBe(count);
    expect((await respond([item])).status).toBe(200);
  });

  test("what an upstream sealed itself goes to it as it came", async () => {
    start(OPENAI);
    const input = [NATIVE.output[0], USER];
    expect((await respond(input)).status).toBe(200);
    expect(upstream.requests.at(-1)?.json?.["input"]).toEqual(input);
  });

  test("a limit of one open call lets it through, and its refusals are those of the call", async () => {
    withOptions(relay.world, { TokenConcurrencyLimit: 1 });
    upstream.next({ text: "They look for keys." });
    expect((await compact()).status).toBe(200);
    upstream.next({ status: 400, error: { message: "no such effort", type: "invalid_request_error" } });
    const refused = await compact();
    expect([refused.status, refused.body.error.code]).toEqual(
      [400, "invalid_request_error"].with(1, refused.body.error.code),
    );
    relay.billing.balance = 0;
    expect((await compact()).status).toBe(403);
    expect([charges().length, relay.billing.holds.size]).toEqual([1, 0]);
  });

  test("a client that leaves ends the call for the summary", async () => {
    upstream.plan({ neverAnswers: true });
    const leaving = new AbortController();
    const asked = fetch(`${relay.url}/v1/responses/compact`, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(BODY),
    }).catch((error: unknown) => error);
    await until(() => upstream.count === 1);
    leaving.abort();
    await asked;
    await until(() => upstream.requests[0]?.wasAborted === true && relay.billing.holds.size === 0);
    expect(charges()).toEqual([]);
  });

  test("nothing written is an error, and tools of the conversation are not called", async () => {
    upstream.plan({ text: "" });
    const tools = [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }];
    expect((await compact({ ...BODY, tools })).status).toBe(502);
    expect(upstream.requests[0]?.json).toMatchObject({ tool_choice: { type: "none" } });
  });

  test("a model that nobody offers is not found", async () => {
    expect((await compact({ ...BODY, model: "gpt-typo" })).status).toBe(404);
    expect(upstream.count).toBe(0);
  });
});
