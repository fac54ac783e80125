/** Thinking becomes text between its tags, buffered and streamed, for each choice separately, and nothing else changes. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import type { AnswerInfo, ErrorInfo } from "../neutral/info.ts";
import type { StreamPipe } from "../stream/stream.ts";
import { isObject, listOf, objectOf, parseObject, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { TranslatePipe } from "../stream/pipe.ts";
import { DIALECTS } from "../registry.ts";
import { dataFrame } from "../stream/sse-event.ts";
import { ThinkingPipe, thinkingInContent } from "./thinking-in-content.ts";

const INFO: AnswerInfo = { model: "asked", requestId: "req1", createdAt: 7, asksUsage: true, isArray: false };
const FAULT: ErrorInfo = { status: 502, message: "it broke", type: "upstream_error", code: "broken", param: null };
const chat = DIALECTS["openai-chat"];

const fixture = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

const passing = (choices = 1): StreamPipe => chat.createPassthrough(INFO, { hidesUsage: false, isChat: true, choices });

/** What a client gets of a stream that came in these pieces, as UTF-8. */
function sent(pipe: StreamPipe, pieces: readonly Buffer[]): string {
  const splitter = new SseSplitter(1_000_000);
  let out = "";
  for (const piece of pieces)
    splitter.push(piece, (bytes, text) => {
      pipe.push(bytes, text);
      out += pipe.out;
    });
  return Buffer.from(out, "latin1").toString("utf8");
}

const closed = (pipe: StreamPipe): string => Buffer.concat(pipe.closing(NO_USAGE)).toString("utf8");
const whole = (pipe: StreamPipe, stream: string): string => sent(pipe, [Buffer.from(stream)]) + closed(pipe);

const chunksOf = (stream: string): JsonObject[] =>
  stream
    .split(/\r?\n\r?\n/)
    .map((frame) => parseObject(frame.replace(/^data: ?/, "")))
    .filter((fields) => fields !== undefined);

const choicesOf = (stream: string): JsonObject[] =>
  chunksOf(stream).flatMap(({ choices }) => listOf(choices).filter(isObject));

/** Text of one choice. */
const contentOf = (stream: string, index = 0): string =>
  choicesOf(stream)
    .filter((choice) => choice["index"] === index)
    .map((choice) => textOf(objectOf(choice["delta"])["content"]))
    .join("");

const chunk = (index: number, delta: object, finish: string | null = null): string =>
  dataFrame({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [choice(index, delta, finish)],
  });
const choice = (index: number, delta: object, finish: string | null): object => ({
  index,
  delta,
  finish_reason: finish,
});
const thinking = (frames: string, choices = 1): string => whole(new ThinkingPipe(passing(choices)), frames);

describe("a stream", () => {
  test("opens with the tag, closes in a chunk of its own before the answer, and changes nothing else", () => {
    const out = thinking(fixture("openai-chat/fixtures/stream-deepseek.txt"));
    expect(choicesOf(out).map(({ delta, finish_reason: finish }) => [delta, finish])).toEqual([
      [{ role: "assistant", content: null }, null],
      [{ content: "<think>\n9.11 is smaller." }, null],
      [{ content: "\n</think>\n" }, null],
      [{ content: "9.8" }, null],
      [{ content: "" }, "stop"],
    ]);
    expect(new Set(chunksOf(out).map(({ id }) => id))).toEqual(new Set(["d1"]));
    expect(chunksOf(out).at(-1)?.["usage"]).toMatchObject({ completion_tokens: 20, prompt_cache_hit_tokens: 4 });
    expect(out.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("says once what details repeat, and comments stay", () => {
    const out = thinking(fixture("openai-chat/fixtures/stream-openrouter.txt"));
    expect(out.startsWith(": OPENROUTER PROCESSING\n\n")).toBe(true);
    expect(contentOf(out)).toBe("<think>\nSix times seven.\n</think>\n42");
    expect(out).not.toContain("reasoning");
  });

  test("reads details that come alone, and the parts of Mistral's models", () => {
    const details = (text: string) => ({ reasoning_details: [{ type: "reasoning.text", text }] });
    const parts = { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] };
    expect(contentOf(thinking(chunk(0, details("a")) + chunk(0, details("b")) + chunk(0, { content: "c" })))).toBe(
      "<think>\nab\n</think>\nc",
    );
    expect(contentOf(thinking(chunk(0, parts) + chunk(0, { content: "so" })))).toBe("<think>\nhm\n</think>\nso");
    const mixed = { content: [...parts.content, { type: "text", text: "so" }] };
    expect(contentOf(thinking(chunk(0, mixed)))).toBe("<think>\nhm\n</think>\nso");
  });

  test("closes before a call of a tool, a refusal, a finish; the call is the same", () => {
    const call = { tool_calls: [{ index: 0, id: "t", type: "function", function: { name: "f", arguments: "{}" } }] };
    const called = thinking(chunk(0, { reasoning: "hm" }) + chunk(0, call) + chunk(0, {}, "tool_calls"));
    expect(choicesOf(called).map(({ delta, finish_reason: finish }) => [delta, finish])).toEqual([
      [{ content: "<think>\nhm" }, null],
      [{ content: "\n</think>\n" }, null],
      [call, null],
      [{}, "tool_calls"],
    ]);
    const refused = thinking(chunk(0, { reasoning: "hm" }) + chunk(0, { refusal: "no" }));
    expect(choicesOf(refused).map(({ delta }) => delta)).toEqual([
      { content: "<think>\nhm" },
      { content: "\n</think>\n" },
      { refusal: "no" },
    ]);
    const cut = thinking(chunk(0, { reasoning: "hm" }) + chunk(0, {}, "length"));
    expect(contentOf(cut)).toBe("<think>\nhm\n</think>\n");
    expect(choicesOf(cut).at(-1)).toMatchObject({ delta: {}, finish_reason: "length" });
  });

  test("takes a chunk with both apart; who speaks is said once, and its usage comes with the rest", () => {
    const both = { role: "assistant", reasoning_content: "hm", content: "so" };
    const out = thinking(
      chunk(0, both, "stop").replace(/\}\n\n$/, ',"usage":{"prompt_tokens":90071992547409931}}\n\n'),
    );
    expect(choicesOf(out).map(({ delta, finish_reason: finish }) => [delta, finish])).toEqual([
      [{ role: "assistant", content: "<think>\nhm" }, null],
      [{ content: "\n</think>\n" }, null],
      [{ content: "so" }, "stop"],
    ]);
    expect(chunksOf(out).map(({ usage }) => usage === null)).toEqual([true, true, false]);
    expect(out).toContain('"usage":{"prompt_tokens":90071992547409931}}');
  });

  test("opens again where the model thinks again", () => {
    const words = chunk(0, { reasoning: "a" }) + chunk(0, { content: "b" }) + chunk(0, { reasoning: "c" });
    expect(contentOf(thinking(words + chunk(0, { content: "d" })))).toBe(
      "<think>\na\n</think>\nb<think>\nc\n</think>\nd",
    );
  });

  test("that ends inside of thoughts ends them, also where it breaks off", () => {
    const frames = chunk(0, { reasoning: "hm" });
    expect(contentOf(thinking(frames))).toBe("<think>\nhm\n</think>\n");
    const pipe = new ThinkingPipe(passing());
    const out = sent(pipe, [Buffer.from(frames)]) + pipe.failing(FAULT).toString("utf8");
    expect(contentOf(out)).toBe("<think>\nhm\n</think>\n");
    expect(out.trimEnd().endsWith('"code":"broken"}}')).toBe(true);
  });

  test("that breaks off ends thoughts whose end was held back with a finish", () => {
    const pipe = new ThinkingPipe(passing(2));
    const shown = sent(pipe, [Buffer.from(chunk(0, { reasoning: "hm" }) + chunk(1, { content: "b" }))]);
    sent(pipe, [Buffer.from(chunk(0, {}, "stop"))]);
    expect(contentOf(shown + pipe.failing(FAULT).toString("utf8"))).toBe("<think>\nhm\n</think>\n");
  });

  test("removes the signature of the thinking from the call that carries it, but not a call's own", () => {
    const called = (proof: string): object => ({
      index: 0,
      id: "t",
      type: "function",
      function: { name: "f", arguments: "" },
      extra_content: { google: { thought_signature: proof } },
    });
    const frames = (proof: string): string =>
      chunk(0, { reasoning_content: "hm" }) + chunk(0, { tool_calls: [called(proof)] });
    const callsIn = (out: string): unknown[] =>
      choicesOf(out).flatMap(({ delta }) => listOf(objectOf(delta)["tool_calls"]));
    const { extra_content: _proof, ...bare } = called("") as JsonObject;
    expect(callsIn(thinking(frames("turnpike:anthropic-messages:c2ln")))).toEqual([bare]);
    for (const proof of ["turnpike:gemini:c2ln", "c2ln"])
      expect(callsIn(thinking(frames(proof)))).toEqual([called(proof)]);
    const message = { content: null, toString: 5, tool_calls: [called("turnpike:openai-responses:rs_1"), 7] };
    expect(thinkingInContent({ choices: [{ message }] })["choices"]).toEqual([
      { message: { content: null, toString: 5, tool_calls: [bare, 7] } },
    ]);
  });

  test("without thinking keeps its bytes", () => {
    for (const name of ["stream-default", "stream-tools", "stream-azure"]) {
      const stream = fixture(`openai-chat/fixtures/${name}.txt`);
      expect(thinking(stream)).toBe(whole(passing(), stream));
    }
    const odd = 'data: {"choices":[{"index":0.5,"delta":{"reasoning":"x"}},5,null]}\n\ndata: {"reasoning":1}\n\n';
    expect(thinking(odd)).toBe(whole(passing(), odd));
  });

  test("moves the places of sources behind the thoughts", () => {
    const source = { type: "url_citation", url_citation: { start_index: 0, end_index: 2, url: "u", title: "t" } };
    const other = [{ type: "file_citation" }, { type: "url_citation", url_citation: { url: "u" } }];
    const frames = chunk(0, { reasoning: "hm" }) + chunk(0, { content: "so" });
    const out = thinking(frames + chunk(0, { annotations: [source, ...other] }));
    const moved = { ...source, url_citation: { ...source.url_citation, start_index: 20, end_index: 22 } };
    expect(choicesOf(out).at(-1)?.["delta"]).toEqual({ annotations: [moved, ...other] });
    expect(contentOf(out).slice(20, 22)).toBe("so");
  });
});

test.each([
  ["anthropic-messages", "anthropic-messages/fixtures/thinking-stream.txt"],
  ["openai-responses", "openai-responses/fixtures/stream-text.txt"],
  ["gemini", "gemini/fixtures/tool-stream.txt"],
] as const)("a translated stream of %s has the same text and calls", (name, path) => {
  const translated = (): StreamPipe => new TranslatePipe(DIALECTS[name].createDecoder(), chat.createEncoder(INFO), 1);
  const plain = whole(translated(), fixture(path));
  const out = whole(new ThinkingPipe(translated()), fixture(path));
  const fields = (stream: string, name: string): unknown[] =>
    choicesOf(stream).flatMap(({ delta }) => objectOf(delta)[name] ?? []);
  const thoughts = fields(plain, "reasoning_content").join("");
  const before = thoughts === "" ? "" : `<think>\n${thoughts}\n</think>\n`;
  expect(contentOf(out)).toBe(before + contentOf(plain));
  expect(fields(out, "tool_calls")).toEqual(fields(plain, "tool_calls"));
  expect([...fields(out, "reasoning_content"), ...fields(out, "reasoning_details")]).toEqual([]);
});

describe("a whole answer", () => {
  const moved = (message: object): unknown =>
    (thinkingInContent({ choices: [{ index: 0, message }] })["choices"] as JsonObject[])[0]?.["message"];

  test("begins with its thoughts", () => {
    const answer = parseObject(fixture("openai-chat/fixtures/answer-reasoning.json")) ?? {};
    const { choices, ...rest } = thinkingInContent(answer);
    expect(rest).toEqual({ id: "gen-1", object: "chat.completion", created: 1741570283, model: answer["model"] });
    const content = "<think>\nSix times seven.\n</think>\nIt is 42.";
    expect(choices).toEqual([{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }]);
  });

  test("with calls and without text has the thinking as its text", () => {
    const calls = [{ id: "t", type: "function", function: { name: "f", arguments: "{}" } }];
    expect(moved({ role: "assistant", content: null, reasoning: "hm", tool_calls: calls })).toEqual({
      role: "assistant",
      content: "<think>\nhm\n</think>\n",
      tool_calls: calls,
    });
  });

  test("in parts, with sources, without thoughts", () => {
    const thought = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
    const said = "<think>\nhm\n</think>\n";
    expect(moved({ content: [thought, { type: "text", text: "so" }] })).toEqual({ content: `${said}so` });
    const reference = { type: "reference", reference_ids: [1] };
    expect(moved({ content: [thought, reference] })).toEqual({ content: [{ type: "text", text: said }, reference] });
    const source = (start: number) => ({
      type: "url_citation",
      url_citation: { start_index: start, end_index: start },
    });
    expect(moved({ content: "so", reasoning: "hm", annotations: [source(1)] })).toEqual({
      content: `${said}so`,
      annotations: [source(1 + said.length)],
    });
    expect(moved({ content: "so", reasoning_content: null })).toEqual({ content: "so" });
    expect(thinkingInContent({ choices: [5, { text: "x" }] })).toEqual({ choices: [5, { text: "x" }] });
  });
});

/** One step of one choice, and what it adds to the client's text. */
type Step = { choice: number; kind: "think" | "say" | "call"; text: string };

const words = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.constantFrom('"', "\\", "\n\n", "</think>", "\u{1f4b6}", "data: [DONE]", '{"reasoning":', "\u2028"),
);
const steps = fc.array(
  fc.record({ choice: fc.nat({ max: 2 }), kind: fc.constantFrom("think", "say", "call"), text: words }),
  { maxLength: 24 },
) as fc.Arbitrary<Step[]>;
const NAMES = ["reasoning_content", "reasoning"] as const;

const deltaOf = ({ kind, text }: Step, name: string): object =>
  kind === "think"
    ? { content: null, [name]: text }
    : kind === "say"
      ? { content: text, [name]: null }
      : { tool_calls: [{ index: 0, function: { arguments: text } }] };

/** Expected text of a choice: adjacent thoughts are between one pair of tags. */
function expectedText(all: readonly Step[], index: number): string {
  let [text, isOpen] = ["", false];
  for (const { choice: of, kind, text: words } of all) {
    if (of !== index) continue;
    if (kind === "think" && !isOpen) text += "<think>\n";
    if (kind !== "think" && isOpen) text += "\n</think>\n";
    isOpen = kind === "think";
    if (kind !== "call") text += words;
  }
  return isOpen ? `${text}\n</think>\n` : text;
}

const counts = ({ words, deltas, hasFinish, hasDone, rawUsage }: StreamPipe): unknown => ({
  bytes: words.bytes,
  tokens: words.tokens,
  deltas,
  hasFinish,
  hasDone,
  rawUsage,
});

test("any events in any pieces: every choice has its text, and the count is that of what arrived", () => {
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  fc.assert(
    fc.property(steps, fc.constantFrom(...NAMES), fc.boolean(), cuts, (all, name, finishes, places) => {
      const ends = finishes ? [0, 1, 2].map((index) => chunk(index, {}, "stop")).join("") : "";
      const usage = dataFrame({ id: "c1", choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } });
      const body = all.map((step) => chunk(step.choice, deltaOf(step, name))).join("");
      const stream = Buffer.from(`${body}${ends}${usage}data: [DONE]\n\n`);
      const at = [0, ...places.map((place) => place % stream.length).toSorted((a, b) => a - b), stream.length];
      const pieces = at.slice(1).map((end, index) => stream.subarray(at[index], end));
      const [pipe, cutPipe, plain] = [new ThinkingPipe(passing(3)), new ThinkingPipe(passing(3)), passing(3)];
      const out = sent(pipe, [stream]) + closed(pipe);
      expect(sent(cutPipe, pieces) + closed(cutPipe)).toBe(out);
      for (const index of [0, 1, 2]) expect(contentOf(out, index)).toBe(expectedText(all, index));
      const keys = choicesOf(out).flatMap(({ delta }) => Object.keys(objectOf(delta)));
      expect(keys.filter((key) => key !== "content" && key !== "tool_calls")).toEqual([]);
      const before = sent(plain, [stream]) + closed(plain);
      expect(counts(pipe)).toEqual(counts(plain));
      for (const part of ["tool_calls", "finish_reason"]) {
        const found = (text: string) =>
          choicesOf(text).flatMap((each) => each[part] ?? objectOf(each["delta"])[part] ?? []);
        expect(found(out)).toEqual(found(before));
      }
    }),
    { numRuns: 300 },
  );
});
