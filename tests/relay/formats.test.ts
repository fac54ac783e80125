/** Channels whose upstream lacks a format: the call falls back to the next one, and later calls go there at once. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../fake-upstream/plan.ts";
import { MissingFormats } from "../../server/src/channels/health.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay({ world: newWorld({ channels: [newChannel({ baseUrl: upstream.url })] }) });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const NOT_FOUND: Plan = { status: 404, rawBody: '{"detail":"Not Found"}' };

/** An upstream that refuses some paths and serves the others. */
const refusing =
  (path: RegExp, refusal: Plan = NOT_FOUND) =>
  (seen: SeenRequest): Plan =>
    path.test(seen.path) ? refusal : { text: "Here." };

const QUESTION = { model: "gpt-4o", input: "Who is there?", store: false };
const paths = (): string[] => upstream.requests.map(({ path }) => path);

interface Tried {
  id: number;
  status: number;
  reason: string;
}

/** Channels tried, as the receipt of a call lists them. */
function tried(index = 0): Tried[] {
  const other = JSON.parse(relay.billing.rows[index]?.other ?? "{}") as { admin_info: { tried: Tried[] } };
  return other.admin_info.tried;
}

async function wordsOf(answer: Response): Promise<string> {
  const { output } = (await answer.json()) as { output: { content: { text: string }[] }[] };
  return output[0]?.content[0]?.text ?? "";
}

describe("a server without /v1/responses", () => {
  test.each<[string, Plan]>([
    ["404 of a router", NOT_FOUND],
    ["404 in plain words", { status: 404, rawBody: "404 page not found" }],
    ["404 of a gateway", { status: 404, error: { message: "Invalid URL (POST /v1/responses)" } }],
    ["405", { status: 405, rawBody: '{"detail":"Method Not Allowed"}' }],
    ["501", { status: 501, error: { message: "API not implemented", code: "api_not_implemented" } }],
    ["200 with an error", { status: 200, rawBody: '{"error":"Unexpected endpoint or method. (POST /v1/responses)"}' }],
  ])("that says so with %s answers through its chat format", async (_name, refusal) => {
    upstream.plan(refusing(/responses/, refusal));
    const answer = await relay.post("/v1/responses", QUESTION);
    expect(answer.status).toBe(200);
    expect(await wordsOf(answer)).toBe("Here.");
    expect(paths()).toEqual(["/v1/responses", "/v1/chat/completions"]);
    expect(relay.billing.settlements).toHaveLength(1);
  });

  test("answers as a stream too", async () => {
    upstream.plan(refusing(/responses/));
    const text = await (await relay.post("/v1/responses", { ...QUESTION, stream: true })).text();
    expect(text).toContain("event: response.completed");
    expect(text).toContain("Here.");
  });

  test("is asked for it once, and the receipt says what happened", async () => {
    upstream.plan(refusing(/responses/));
    for (let call = 0; call < 3; call += 1) await (await relay.post("/v1/responses", QUESTION)).text();
    expect(paths().filter((path) => path === "/v1/responses")).toHaveLength(1);
    expect(tried(0)).toMatchObject([
      { id: 1, status: 404, reason: "format: does not serve openai-responses (Not Found)" },
      { id: 1, status: 200, reason: "" },
    ]);
    expect(tried(1)).toHaveLength(1);
  });

  test("neither cools down nor uses up a retry", async () => {
    relay.world.channels.push(newChannel({ id: 2, name: "second", baseUrl: upstream.url, priority: -1 }));
    withOptions(relay.world, { RetryTimes: 1 });
    upstream.plan(refusing(/responses/, { status: 501 }));
    upstream.next({ status: 501 }, { status: 503 });
    const answer = await relay.post("/v1/responses", QUESTION);
    expect(answer.status).toBe(200);
    expect(tried().map(({ id, status }) => [id, status])).toEqual([
      [1, 501],
      [1, 503],
      [2, 501],
      [2, 200],
    ]);
    expect(relay.disabled).toEqual([]);
    expect(relay.health.openReason(2, performance.now())).toBeUndefined();
  });

  test("is asked again once it was edited", async () => {
    upstream.plan(refusing(/responses/));
    await (await relay.post("/v1/responses", QUESTION)).text();
    relay.world.channels[0] = newChannel({ baseUrl: `${upstream.url}/` });
    upstream.plan({ text: "Updated." });
    expect(await wordsOf(await relay.post("/v1/responses", QUESTION))).toBe("Updated.");
    expect(paths().at(-1)).toBe("/v1/responses");
  });

  test("skips a call that its chat format cannot express, for another channel", async () => {
    upstream.plan(refusing(/responses/));
    const stored = { model: "gpt-4o", input: "And?", previous_response_id: "resp_1" };
    const refused = await relay.post("/v1/responses", stored);
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { error: unknown }).error).toMatchObject({ param: "previous_response_id" });
    const whole = await startFakeUpstream();
    try {
      relay.world.channels.push(newChannel({ id: 2, name: "second", baseUrl: whole.url, priority: -1 }));
      expect((await relay.post("/v1/responses", stored)).status).toBe(200);
      expect(whole.requests[0]?.path).toBe("/v1/responses");
    } finally {
      await whole.close();
    }
  });
});

describe("what is no missing format", () => {
  test("an unknown model is the client's answer", async () => {
    upstream.plan({ status: 404, error: { message: "The model `gpt-4o` does not exist.", code: "model_not_found" } });
    const answer = await relay.post("/v1/responses", QUESTION);
    expect(answer.status).toBe(404);
    expect(paths()).toEqual(["/v1/responses"]);
  });

  test("a wrong address is no format's fault: nothing is remembered", async () => {
    upstream.plan(NOT_FOUND);
    for (let call = 0; call < 2; call += 1) expect((await relay.post("/v1/responses", QUESTION)).status).toBe(404);
    expect(paths()).toEqual(["/v1/responses", "/v1/chat/completions", "/v1/responses", "/v1/chat/completions"]);
  });

  test("the first format is not left for another", async () => {
    upstream.plan(refusing(/completions/));
    const answer = await relay.post("/v1/chat/completions", {
      model: "gpt-4o",
      messages: [{ role: "user", content: "Who is there?" }],
    });
    expect(answer.status).toBe(404);
    expect(paths()).toEqual(["/v1/chat/completions"]);
  });
});

describe("a model that only Responses has", () => {
  const refusal: Plan = {
    status: 404,
    error: { message: "This model is only supported in v1/responses and not in v1/chat/completions.", param: "model" },
  };
  const question = [{ role: "user", content: "Who is there?" }];

  test.each([
    ["/v1/chat/completions", { model: "gpt-4o", messages: question }],
    ["/v1/messages", { model: "gpt-4o", max_tokens: 64, messages: question }],
  ])("answers clients of %s", async (path, request) => {
    upstream.plan(refusing(/completions/, refusal));
    for (let call = 0; call < 2; call += 1) {
      const answer = await relay.post(path, request);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("Here.");
    }
    expect(paths()).toEqual(["/v1/chat/completions", "/v1/responses", "/v1/responses"]);
  });

  test("says nothing of the other models of its channel", async () => {
    upstream.plan((seen) => (seen.json?.["model"] === "gpt-4o" ? refusing(/completions/, refusal)(seen) : {}));
    for (const model of ["gpt-4o", "gpt-4o-mini"])
      await (await relay.post("/v1/chat/completions", { model, messages: question })).text();
    expect(paths()).toEqual(["/v1/chat/completions", "/v1/responses", "/v1/chat/completions"]);
  });
});

describe("what the chat format cannot express", () => {
  const search = {
    model: "gpt-4o",
    max_tokens: 64,
    messages: [{ role: "user", content: "Search." }],
    tools: [{ type: "web_search_20250305", name: "web_search" }],
    tool_choice: { type: "tool", name: "web_search" },
  };

  test("is sent in Responses, and only that call is", async () => {
    const answer = await relay.post("/v1/messages", search);
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    await (await relay.post("/v1/messages", { ...search, tools: undefined, tool_choice: undefined })).text();
    expect(paths()).toEqual(["/v1/responses", "/v1/chat/completions"]);
    expect(relay.billing.settlements).toHaveLength(2);
  });

  test("is refused for what the chat format lacks where the server has no Responses either, which is asked once", async () => {
    upstream.plan(refusing(/responses/));
    for (let call = 0; call < 2; call += 1) {
      const answer = await relay.post("/v1/messages", search);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("no web search")]);
    }
    expect(paths()).toEqual(["/v1/responses"]);
    expect(relay.billing.settlements).toEqual([]);
    expect(relay.health.openReason(1, performance.now())).toBeUndefined();
  });

  test("is refused where no format can express it", async () => {
    const answer = await relay.post("/v1/messages", { ...search, max_tokens: "many" });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("max_tokens");
    expect(upstream.count).toBe(0);
  });
});

test("clients of other formats are asked for in the chat format", async () => {
  await (
    await relay.post("/v1/messages", { model: "gpt-4o", max_tokens: 64, messages: [{ role: "user", content: "Hi" }] })
  ).text();
  await (
    await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] })
  ).text();
  expect(paths()).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
});

test("a missing format is forgotten after an hour", () => {
  const formats = new MissingFormats();
  const [channel, other] = [{}, {}];
  formats.note(channel, "openai-responses", 1000);
  expect(formats.isMissing(channel, "openai-responses", 3_600_999)).toBe(true);
  expect(formats.isMissing(channel, "openai-responses", 3_601_000)).toBe(false);
  expect(formats.isMissing(channel, "openai-chat", 1000)).toBe(false);
  expect(formats.isMissing(other, "openai-responses", 1000)).toBe(false);
});
