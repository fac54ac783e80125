/** Answers lose fields that their format does not have and nothing else: the vendors' own answers come out unchanged. */
import { readFileSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import type { FrameKind, StreamPipe } from "./stream.ts";
import { parseExactObject } from "../json/exact.ts";
import { parseObject } from "../json/fields.ts";
import { KnownFieldsPipe, withKnownFields } from "./known-fields.ts";
import type { DialectName } from "../neutral/neutral.ts";
import { DIALECTS } from "../registry.ts";
import { readEvent } from "./sse-event.ts";

const INFO: AnswerInfo = { model: "m", requestId: "r", createdAt: 7, asksUsage: true, isArray: false };
const FORMATS = Object.keys(DIALECTS) as DialectName[];

const passing = (format: DialectName, isArray = false): StreamPipe =>
  DIALECTS[format].createPassthrough({ ...INFO, isArray }, { hidesUsage: false, isChat: true, choices: 1 });

interface Seen {
  kinds: FrameKind[];
  /** What goes to the client, as UTF-8. */
  out: string;
}

function through(pipe: StreamPipe, pieces: readonly Buffer[]): Seen {
  const splitter = new SseSplitter(1_000_000);
  const kinds: FrameKind[] = [];
  let out = "";
  for (const piece of pieces)
    splitter.push(piece, (bytes, text) => {
      kinds.push(pipe.push(bytes, text));
      out += pipe.out;
    });
  const end = Buffer.concat(pipe.closing(NO_USAGE)).toString("utf8");
  return { kinds, out: Buffer.from(out, "latin1").toString("utf8") + end };
}

const once = (pipe: StreamPipe, stream: string): Seen => through(pipe, [Buffer.from(stream)]);

/** Events as name and parsed data. */
const eventsOf = (stream: string): unknown[] =>
  stream
    .split(/(?<=\n\r?\n)/)
    .map((frame) => readEvent(Buffer.from(frame), Buffer.from(frame).toString("latin1")))
    .map(({ event, data }) => [event, parseObject(data) ?? data]);

/** Answers and streams of the vendor's documents; fields of vendors that only share the format are not in it. */
const FOREIGN = new Set(["stream-azure.txt", "stream-openrouter.txt"]);
const fixtures = FORMATS.flatMap((format) =>
  readdirSync(new URL(`../${format}/fixtures`, import.meta.url))
    .filter((name) => !name.includes("request") && name !== "source.txt" && !FOREIGN.has(name))
    .map((name) => [format, name] as const),
);
const fixture = (format: DialectName, name: string): string =>
  readFileSync(new URL(`../${format}/fixtures/${name}`, import.meta.url), "utf8");

test.each(fixtures)("%s: %s comes out as it went in", (format, name) => {
  const text = fixture(format, name);
  if (name.endsWith(".json")) {
    const answer = parseObject(text) ?? {};
    expect(Object.keys(answer).length).toBeGreaterThan(0);
    return expect(withKnownFields(format, answer)).toEqual(answer);
  }
  const [known, plain] = [once(new KnownFieldsPipe(passing(format), format), text), once(passing(format), text)];
  expect(eventsOf(known.out)).toEqual(eventsOf(plain.out));
  expect(known.kinds).toEqual(plain.kinds);
});

describe("what the format does not have", () => {
  const forced = (format: DialectName, stream: string): string =>
    once(new KnownFieldsPipe(passing(format), format), stream).out;

  test("is left out of chunks, at each depth; calls, thinking and usage stay", () => {
    const frame =
      'data: {"id":"c1","x_vendor":{"text":"secret"},"choices":[{"index":0,"matched_stop":5,"delta":{"content":"a",' +
      '"reasoning_content":"b","tool_calls":[{"index":0,"id":"t","provider":"p","function":{"name":"f","arguments":"{}","x":1}}],' +
      '"foo":[1]},"finish_reason":null}],"usage":{"prompt_tokens":9007199254740993,"x_cost":0.5}}\n\n';
    expect(forced("openai-chat", frame)).toContain(
      'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"a","reasoning_content":"b","tool_calls":' +
        '[{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}],' +
        '"usage":{"prompt_tokens":9007199254740993,"x_cost":0.5}}\n\n',
    );
    const azure = forced("openai-chat", fixture("openai-chat", "stream-azure.txt"));
    expect(azure).not.toMatch(/content_filter_results|prompt_filter_results/);
    expect(azure).toContain('"choices":[],"usage":null}');
  });

  test("is left out of events with names, and of whole answers", () => {
    const named =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"trace":1,"delta":{"text":"a"}}';
    expect(forced("anthropic-messages", `${named}\n\n`)).toContain(
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"text":"a"}}\n\n',
    );
    const gemini = { candidates: [{ content: { parts: [{ text: "a", x: 1 }] }, y: 1 }], responseId: "9", z: 1 };
    expect(withKnownFields("gemini", gemini)).toEqual({
      candidates: [{ content: { parts: [{ text: "a" }] } }],
      responseId: "9",
    });
    const exact = parseExactObject('{"id":"r","created_at":90071992547409931,"vendor":1,"output":[{"odd":1}]}') ?? {};
    expect(JSON.stringify(withKnownFields("openai-responses", exact))).toBe(
      '{"id":"r","created_at":90071992547409931,"output":[{"odd":1}]}',
    );
    const legacy = { id: "c", object: "text_completion", choices: [{ index: 0, text: "a", stop_reason: 1 }], kv: 1 };
    expect(withKnownFields("openai-chat", legacy)).toEqual({
      id: "c",
      object: "text_completion",
      choices: [{ index: 0, text: "a" }],
    });
  });

  test("is neither sent nor counted where it is all there is", () => {
    const pipe = new KnownFieldsPipe(passing("openai-chat"), "openai-chat");
    const { kinds, out } = once(pipe, 'data: {"x_text":{"content":"not for clients"}}\n\n');
    const plain = once(passing("openai-chat"), "").out;
    expect([kinds, out, pipe.deltas, pipe.words.bytes]).toEqual([["other"], plain, 0, 0]);
  });

  test("stays in an error, which is read for its reason", () => {
    for (const format of FORMATS) {
      const pipe = new KnownFieldsPipe(passing(format), format);
      const data = '{"error":{"message":"too busy"},"detail":{"retry":5}}';
      expect(once(pipe, `data: ${data}\n\n`).kinds).toEqual(["error"]);
      expect(pipe.errorText).toBe(data);
    }
  });

  test("is left out of an array of Gemini's", () => {
    const pieces = ['{"x":1,"candidates":[{"index":0}]}', '{"responseId":"a","y":2}'];
    const stream = pieces.map((piece) => `data: ${piece}\r\n\r\n`).join("");
    const { out } = once(new KnownFieldsPipe(passing("gemini", true), "gemini"), stream);
    expect(JSON.parse(out)).toEqual([{ candidates: [{ index: 0 }] }, { responseId: "a" }]);
  });
});

test("`[DONE]` and comments pass through, and any cut gives the same bytes", () => {
  const stream = Buffer.from(`: wait\n\n${fixture("openai-chat", "stream-openrouter.txt")}`);
  const { out } = through(new KnownFieldsPipe(passing("openai-chat"), "openai-chat"), [stream]);
  expect(out.startsWith(": wait\n\n")).toBe(true);
  expect(out.endsWith("data: [DONE]\n\n")).toBe(true);
  expect(out).not.toMatch(/native_finish_reason|"provider"/);
  const cuts = fc.array(fc.nat({ max: stream.length }), { maxLength: 12 });
  fc.assert(
    fc.property(cuts, (places) => {
      const at = [0, ...places.toSorted((a, b) => a - b), stream.length];
      const pieces = at.slice(1).map((end, index) => stream.subarray(at[index], end));
      expect(through(new KnownFieldsPipe(passing("openai-chat"), "openai-chat"), pieces).out).toBe(out);
    }),
    { numRuns: 100 },
  );
});
