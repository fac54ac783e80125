/** Sensitive words are found in the texts of every format, and nowhere else; in linear time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { compileWords, textsIn } from "../../server/src/relay/admission/sensitive-words.ts";
import { TEST_KEY, newChannel, startTestRelay, withOptions } from "../support/relay/harness.ts";
import { runs } from "../support/soak/short-or-long.ts";

describe("the matcher", () => {
  test("finds what a plain search finds", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "禁"), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 6 }), fc.array(letters, { maxLength: 8 }), (words, parts) => {
        const text = parts.join("");
        expect(compileWords(words)(text)).toBe(words.some((word) => word !== "" && text.includes(word)));
      }),
      { numRuns: runs(300) },
    );
  });

  test("does not care for case, and an empty list finds nothing", () => {
    expect([compileWords(["ÄRGER"])("viel ärger"), compileWords([])("anything"), compileWords([""])("x")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("takes time that grows with the text, not with the list or with near misses", () => {
    const nearMiss = ["a".repeat(5_000) + "b", ...Array.from({ length: 5_000 }, (_, index) => `${index}word`)];
    const matches = compileWords(nearMiss);
    const text = "a".repeat(1_000_000);
    // Time on the processor, so that a busy machine changes nothing; a search that starts again at each letter takes many seconds.
    const before = process.cpuUsage();
    expect(matches(text)).toBe(false);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});

const MARK = "needle";
const find = (request: unknown): boolean => textsIn(request).some((text) => text.includes(MARK));
const message = (content: unknown, role = "user") => ({ model: "m", messages: [{ role, content }] });

/** One request of each format and place; the shapes are those of the vendors' API references. */
const PLACES: readonly (readonly [name: string, request: unknown])[] = [
  ["chat message", message(MARK)],
  ["chat part", message([{ type: "text", text: MARK }])],
  ["chat tool result", message(MARK, "tool")],
  ["chat tool call", { messages: [{ tool_calls: [{ function: { name: "f", arguments: `{"q":"${MARK}"}` } }] }] }],
  ["chat tool description", { tools: [{ type: "function", function: { name: "f", description: MARK } }] }],
  ["completion prompt", { prompt: [MARK] }],
  ["embedding input", { input: ["other", MARK] }],
  ["speech input", { input: MARK, voice: "alloy" }],
  ["image prompt", { prompt: MARK, n: 1 }],
  ["responses instructions", { instructions: MARK, input: "x" }],
  ["responses input part", { input: [{ role: "user", content: [{ type: "input_text", text: MARK }] }] }],
  ["responses tool output", { input: [{ type: "function_call_output", call_id: "c", output: MARK }] }],
  ["Anthropic system text", { system: MARK, messages: [] }],
  ["Anthropic system block", { system: [{ type: "text", text: MARK }], messages: [] }],
  ["Anthropic tool use", message([{ type: "tool_use", id: "t", name: "f", input: { any: { thing: MARK } } }])],
  [
    "Anthropic tool result",
    message([{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: MARK }] }]),
  ],
  ["Gemini part", { contents: [{ role: "user", parts: [{ text: MARK }] }] }],
  ["Gemini system", { systemInstruction: { parts: [{ text: MARK }] } }],
  ["Gemini function response", { contents: [{ parts: [{ functionResponse: { name: "f", response: { a: MARK } } }] }] }],
  ["Gemini function call", { contents: [{ parts: [{ functionCall: { name: "f", args: { a: [MARK] } } }] }] }],
  ["rerank query", { query: MARK, documents: [] }],
  ["rerank document", { query: "x", documents: [{ text: MARK }] }],
  ["rerank document text", { query: "x", documents: [MARK] }],
];

const PRETENDED: readonly (readonly [name: string, request: unknown])[] = [
  ["behind letters without a blank", message(`${"A".repeat(5_000)} ${MARK}`)],
  ["behind the beginning of a data URI", message(`data:image/png;base64,AAAA ${MARK}`)],
  ["in what only begins as a data URI", message(`data:x,tell_me_of_the_${MARK}`)],
  ["before letters without a blank", { input: `${MARK}${"A".repeat(5_000)}` }],
];

test.each([...PLACES, ...PRETENDED])("%s is looked at", (_, request) => {
  expect(find(request)).toBe(true);
});

const ELSEWHERE: readonly (readonly [name: string, request: unknown])[] = [
  ["model", { model: MARK }],
  ["user", { user: MARK }],
  ["metadata", { metadata: { a: MARK } }],
  ["image address", message([{ type: "image_url", image_url: { url: `https://example.com/${MARK}` } }])],
  ["base64", message([{ type: "image", source: { type: "base64", media_type: "image/png", data: MARK } }])],
  ["role and type", { messages: [{ role: MARK, content: [{ type: MARK, text: "x" }] }] }],
  ["Gemini inline data", { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: MARK } }] }] }],
];

test.each(ELSEWHERE)("%s is skipped", (_, request) => {
  expect(find(request)).toBe(false);
});

test("in apparent encoded media, words are found that are too long to be there by chance, and no others", async () => {
  const relay = await startTestRelay();
  const upstream = await startFakeUpstream();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
  withOptions(relay.world, { SensitiveWords: ["bomb", "dynamite"] });
  const say = async (content: string): Promise<number> =>
    (await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content }] })).status;
  const media = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * index) % 251)).toString("base64");
  expect([await say(media), await say(`data:image/png;base64,${media}`), await say(`${media}bomb`)]).toEqual([
    200, 200, 200,
  ]);
  expect([await say(`${media}DynaMite`), await say(`data:a,how_to_make_dynamite${media}`)]).toEqual([400, 400]);
  expect([await say("data:,bomb"), await say(`${media} bomb`)]).toEqual([400, 400]);
  await relay.close();
  await upstream.close();
});

test("every client's format and the fields of forms are refused on the line, files are not looked into", async () => {
  const upstream = await startFakeUpstream();
  const relay = await startTestRelay();
  const models = new Set(["gpt-4o", "whisper-1"]);
  relay.world.channels.push(newChannel({ baseUrl: upstream.url, models }));
  relay.world.prices.set("whisper-1", { kind: "per_call", price: "0.001" });
  withOptions(relay.world, { SensitiveWords: [MARK] });
  const bodies: readonly (readonly [path: string, body: object])[] = [
    ["/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content: `a NEEDLE` }] }],
    ["/v1/responses", { model: "gpt-4o", input: "x", instructions: MARK }],
    ["/v1/messages", { model: "gpt-4o", max_tokens: 5, system: MARK, messages: [{ role: "user", content: "x" }] }],
    ["/v1beta/models/gpt-4o:generateContent", { contents: [{ role: "user", parts: [{ text: MARK }] }] }],
    ["/v1/embeddings", { model: "gpt-4o", input: [MARK] }],
  ];
  for (const [path, body] of bodies) {
    const answer = await relay.post(path, body);
    expect([path, answer.status, await answer.text()]).toEqual([
      path,
      400,
      expect.stringContaining("not allowed here"),
    ]);
  }
  const transcribe = async (prompt: string): Promise<string> => {
    const form = new FormData();
    form.set("model", "whisper-1");
    form.set("prompt", prompt);
    form.set("file", new Blob([MARK], { type: "audio/wav" }), `${MARK}.wav`);
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    return (await fetch(`${relay.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form })).text();
  };
  expect(await transcribe(`a ${MARK}`)).toContain("not allowed here");
  expect(upstream.count).toBe(0);
  expect(await transcribe("fine")).not.toContain("not allowed here");
  expect(upstream.count).toBe(1);
  await relay.close();
  await upstream.close();
});
