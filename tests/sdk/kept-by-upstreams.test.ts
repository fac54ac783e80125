/** State stored at upstreams, through the official libraries: OpenAI's stored responses, and the threads of Anthropic's tool runner. */
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const [OPENAI, ANTHROPIC, GEMINI] = [1, 14, 24] as const;
const MODEL = "gpt-4o";
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
const json = (value: object) => ({ rawBody: JSON.stringify(value), contentType: "application/json" });

test("OpenAI's library reads, lists, cancels and deletes what an upstream stores", async () => {
  use(OPENAI);
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const { id } = await client.responses.create({ model: MODEL, input: "hi" });
  const stored = { id, object: "response", status: "completed", output: [] };
  upstream.next(
    json(stored),
    json({ object: "list", data: [], has_more: false }),
    json(stored),
    json({ id, deleted: true }),
  );
  expect((await client.responses.retrieve(id)).id).toBe(id);
  expect((await client.responses.inputItems.list(id, { limit: 5 })).data).toEqual([]);
  expect((await client.responses.cancel(id)).status).toBe("completed");
  await client.responses.delete(id);
  expect(upstream.requests.slice(1).map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /v1/responses/${id}`,
    `GET /v1/responses/${id}/input_items?limit=5`,
    `POST /v1/responses/${id}/cancel`,
    `DELETE /v1/responses/${id}`,
  ]);
  const gone = await client.responses.retrieve(id).catch((error: unknown) => error);
  expect(gone).toBeInstanceOf(OpenAI.NotFoundError);
});

test.each([ANTHROPIC, OPENAI, GEMINI])(
  "Anthropic's tool runner comes to its end with an upstream of type %d",
  async (type) => {
    use(type);
    const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
    upstream.plan((seen) =>
      seen.body.includes("turnpike-42")
        ? { text: "It is 42." }
        : { text: "", toolCalls: [{ name: "add", arguments: "{}" }] },
    );
    const add = betaTool({
      name: "add",
      description: "Adds",
      inputSchema: { type: "object", properties: {} },
      run: () => "turnpike-42",
    });
    const last = await client.beta.messages.toolRunner({
      model: MODEL,
      max_tokens: 50,
      tools: [add],
      messages: [{ role: "user", content: "Add." }],
    });
    expect(last.content).toMatchObject([{ type: "text", text: "It is 42." }]);
  },
);
