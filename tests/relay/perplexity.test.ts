/** Pages that Perplexity lists beside its answers reach clients of other formats as citations. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

const PAGES = [
  { title: "Penguins", url: "https://a.example/penguins", date: "2026-01-01", snippet: "They cannot fly." },
  { title: "Birds", url: "https://b.example/birds" },
];
const listed = { citations: PAGES.map(({ url }) => url), search_results: PAGES };
const base = { id: "p-1", created: 1, model: "sonar", ...listed };
const WORDS = "Penguins cannot fly[1][2].";

let relay: TestRelay;
let upstream: FakeUpstream;
beforeAll(async () => {
  [relay, upstream] = await Promise.all([startTestRelay(), startFakeUpstream({ validates: false })]);
});
afterAll(() => Promise.all([relay.close(), upstream.close()]));
beforeEach(() => {
  upstream.reset();
  relay.world.channels = [newChannel({ type: 27, baseUrl: upstream.url, models: new Set(["gpt-4o"]) })];
});

const whole = (more: object = {}): string =>
  JSON.stringify({
    ...base,
    object: "chat.completion",
    ...more,
    choices: [{ index: 0, message: { role: "assistant", content: WORDS }, finish_reason: "stop" }],
    usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
  });

const ask = (stream: boolean) =>
  relay.post("/v1/messages", { model: "gpt-4o", max_tokens: 99, stream, messages: [{ role: "user", content: "hi" }] });

test("in one piece, with their titles", async () => {
  upstream.plan({ rawBody: whole() });
  expect(await (await ask(false)).json()).toMatchObject({
    content: [
      {
        type: "text",
        text: WORDS,
        citations: [
          { url: "https://a.example/penguins", title: "Penguins", cited_text: "They cannot fly." },
          { url: "https://b.example/birds", title: "Birds" },
        ],
      },
    ],
  });
});

test("by their addresses where the answer has no more of them", async () => {
  upstream.plan({ rawBody: whole({ search_results: undefined }) });
  const text = await (await ask(false)).text();
  expect([text.includes("https://a.example/penguins"), text.includes("Birds")]).toEqual([true, false]);
});

test("in a stream once, though each chunk lists them", async () => {
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  upstream.plan({ rawBody: [chunk({ content: WORDS.slice(0, 9) }, null), chunk({ content: WORDS.slice(9) }, "stop")] });
  const text = await (await ask(true)).text();
  expect(text.match(/citations_delta/g)).toHaveLength(2);
  expect(text).toContain("https://b.example/birds");
  expect(text).toContain("message_stop");
});

test("and a client of OpenAI has the vendor's own lists", async () => {
  upstream.plan({ rawBody: whole() });
  const answer = await relay.post("/v1/chat/completions", {
    model: "gpt-4o",
    messages: [{ role: "user", content: "hi" }],
  });
  expect(await answer.json()).toMatchObject(listed);
});
