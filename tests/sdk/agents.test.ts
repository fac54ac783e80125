/** Coding agents through the relay with every kind of upstream: nothing they send by default is refused, and their tools work over turns. */
import { afterEach, describe, expect, test } from "vitest";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type Agent, claudeCode, codex, codexLite, geminiCli } from "./agents.ts";
import { UPSTREAMS, type Upstream } from "./matrix.ts";
import { speaking } from "./speaking.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

async function open(target: Upstream, model: string): Promise<void> {
  upstream = await startFakeUpstream({ key: "upstream-secret" });
  const world = newWorld({
    channels: [
      newChannel({ type: target.type, key: "upstream-secret", baseUrl: upstream.url, models: new Set([model]) }),
    ],
  });
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(model, price);
  relay = await startTestRelay({ world, providers: await speaking(target.name) });
}

async function send(
  agent: Agent,
  model: string,
  body: object,
): Promise<{ status: number; text: string; warnings: string }> {
  const answer = await fetch(relay.url + agent.path(model), {
    method: "POST",
    headers: { "content-type": "application/json", ...agent.headers(`sk-${TEST_KEY}`) },
    body: JSON.stringify(body),
  });
  const warnings = answer.headers.get("turnpike-warnings") ?? "";
  return { status: answer.status, text: await answer.text(), warnings };
}

/** The dialect of an agent's own vendor; a conversation with that one cannot be recorded, for its proofs are checked. */
const OWN = new Map<Agent, Upstream["name"]>([
  [claudeCode, "anthropic-messages"],
  [codex, "openai-responses"],
  [codexLite, "openai-responses"],
  [geminiCli, "gemini"],
]);

const THOUGHT = "I look at the repository first.";

describe.each([...OWN.keys()])("$name", (agent) => {
  describe.each(UPSTREAMS)("with $title", (target) => {
    const model = target.thinker;

    test("calls tools and continues with their results", async () => {
      await open(target, model);
      upstream.next({ reasoning: THOUGHT, text: "I look.", toolCalls: agent.plan }, { text: "It is done." });
      const request = agent.first(model);
      const first = await send(agent, model, request);
      expect([first.status, first.text]).toEqual([200, expect.any(String)]);
      const reply = agent.read(first.text, request);
      expect(reply.text).toBe("I look.");
      expect(reply.calls).toEqual(agent.plan.map(({ seen }) => seen));

      const results = agent.plan.map((_, index) => `result ${index}`);
      const next = reply.next(results);
      const second = await send(agent, model, next);
      expect([second.status, second.text]).toEqual([200, expect.any(String)]);
      expect(agent.read(second.text, next)).toMatchObject({ text: "It is done.", calls: [] });
      const sent = upstream.requests[1]?.body.toString("utf8") ?? "";
      for (const result of results) expect(sent).toContain(result);
      expect(upstream.requests).toHaveLength(2);
      expect(relay.billing.settlements).toHaveLength(2);
    });

    test("is warned of what was dropped, and only if the upstream is another vendor's", async () => {
      await open(target, model);
      const { status, warnings } = await send(agent, model, agent.first(model));
      expect(status).toBe(200);
      const isOwn = OWN.get(agent) === target.name;
      if (isOwn) expect(warnings).toBe("");
      if (agent === claudeCode && !isOwn) expect(warnings).toContain("context_management");
      if (agent === codexLite && !isOwn) expect(warnings).toContain("client_metadata");
    });

    if (OWN.get(agent) !== target.name) {
      test("brings along a conversation with its own vendor", async () => {
        await open(target, target.model);
        upstream.plan({ text: "I go on." });
        const request = agent.recorded(target.model);
        const answer = await send(agent, target.model, request);
        expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
        expect(agent.read(answer.text, request).text).toBe("I go on.");
      });
    }
  });
});

test("Claude Code's beta features reach Anthropic as they were asked for", async () => {
  const target = UPSTREAMS.find(({ name }) => name === "anthropic-messages") ?? expect.fail("no such upstream");
  await open(target, target.thinker);
  expect((await send(claudeCode, target.thinker, claudeCode.first(target.thinker))).status).toBe(200);
  const [seen] = upstream.requests;
  expect(seen?.path).toBe("/v1/messages?beta=true");
  expect(seen?.headers["anthropic-beta"]).toBe(claudeCode.headers("")["anthropic-beta"]);
  expect(seen?.headers["anthropic-beta"]).toContain("claude-code");
});

describe("Claude Code's search, a request of its own that is forced to search", () => {
  const body = (model: string): object => ({
    model,
    max_tokens: 32_000,
    stream: true,
    system: [{ type: "text", text: "You are an assistant for performing a web search tool use" }],
    messages: [{ role: "user", content: [{ type: "text", text: "Perform a web search for the query: turnpike" }] }],
    tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }],
    tool_choice: { type: "tool", name: "web_search" },
  });

  test.each(UPSTREAMS.filter(({ name }) => name !== "openai-chat"))("is made by $title", async (target) => {
    await open(target, target.model);
    expect(await send(claudeCode, target.model, body(target.model))).toMatchObject({ status: 200 });
    const sent = upstream.requests[0]?.body.toString("utf8") ?? "";
    expect(sent).toMatch(/web_search|googleSearch/);
  });

  test("is refused where the model has none, before anything is sent", async () => {
    const [chat] = UPSTREAMS;
    await open(chat, chat.model);
    const { status, text } = await send(claudeCode, chat.model, body(chat.model));
    expect([status, text]).toEqual([400, expect.stringContaining("no web search")]);
    expect(upstream.count).toBe(0);
  });
});
