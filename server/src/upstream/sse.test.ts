/** Tests of the SSE splitter: events are complete and unchanged in every byte however the network cuts them, and no input crashes it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteBudget } from "./budget.ts";
import { SseSplitter } from "./sse.ts";

const STREAM = Buffer.from(
  'data: {"a":"é 你好 \\n"}\n\n: ping\r\n\r\nevent: x\ndata: 1\ndata: 2\r\n\n\n\ndata: [DONE]\n\nrest',
);

function split(parts: readonly Buffer[], limit = 1 << 20): { events: string[]; rest: string } {
  const splitter = new SseSplitter(limit);
  const events: string[] = [];
  for (const part of parts) {
    splitter.push(part, (bytes, text) => {
      expect(text).toBe(bytes.toString("latin1"));
      events.push(bytes.toString("latin1"));
    });
  }
  return { events, rest: splitter.close().toString("latin1") };
}

const whole = split([STREAM]);

test("a stream in one piece gives its events and the rest", () => {
  expect(whole.events.join("") + whole.rest).toBe(STREAM.toString("latin1"));
  expect(whole.events[0]).toBe(STREAM.toString("latin1", 0, STREAM.indexOf("\n\n") + 2));
  expect(whole.rest).toBe("rest");
});

test("a cut at every byte gives the same events", () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1)
    expect(split([STREAM.subarray(0, cut), STREAM.subarray(cut)])).toEqual(whole);
});

test("byte by byte gives the same events", () => {
  expect(split(Array.from(STREAM, (_, index) => STREAM.subarray(index, index + 1)))).toEqual(whole);
});

test("any bytes in any pieces come out again, in order, and never crash it", () => {
  const noise = fc.array(
    fc.oneof(fc.constantFrom("\n", "\r", "\r\n", "\n\n", "data:", "[DONE]", '"usage":{', "\u0000", "é"), fc.string()),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(noise, fc.array(fc.nat(40), { maxLength: 20 }), (texts, sizes) => {
      const bytes = Buffer.from(texts.join(""));
      const parts: Buffer[] = [];
      let from = 0;
      for (const size of sizes) parts.push(bytes.subarray(from, (from += size)));
      parts.push(bytes.subarray(from));
      const result = split(parts);
      // Where a stream leaves blank lines out, each event gets its own: the lines that hold something are the same.
      const linesOf = (text: string): string[] => text.split(/\r\n?|\n/).filter((line) => line.trim() !== "");
      expect(linesOf(result.events.join("") + result.rest)).toEqual(linesOf(bytes.toString("latin1")));
      expect(result).toEqual(split([bytes]));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("lines may end with %s, wherever they are cut, and one event is handed on at a time", (_name, end) => {
  const lines = ["event: x", 'data: {"a":1}', "", "data: [DONE]", "", ": more"];
  const bytes = Buffer.from(lines.join(end));
  const text = (line: readonly string[]): string => line.join(end === "\r" ? "\n" : end);
  const expected = [text(["event: x", 'data: {"a":1}', "", ""]), text(["data: [DONE]", "", ""])];
  for (let cut = 0; cut <= bytes.length; cut += 1)
    expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({ events: expected, rest: ": more" });
  expect(split(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))).events).toEqual(expected);
});

const TOO_LONG: unknown = expect.objectContaining({ kind: "too_long" });

test("an event above the limit is refused, whole or in pieces", () => {
  const long = Buffer.from(`data: ${"x".repeat(200)}\n\n`);
  expect(() => split([long], 100)).toThrow(TOO_LONG);
  expect(() => split([long.subarray(0, 90), long.subarray(90)], 100)).toThrow(TOO_LONG);
});

test("unfinished bytes are taken from the budget and given back", () => {
  const budget = new ByteBudget(100);
  const splitter = new SseSplitter(1000, budget);
  splitter.push(Buffer.from("data: 12345"), () => undefined);
  expect(budget.takenBytes).toBe(11);
  expect(() => new SseSplitter(1000, budget).push(Buffer.alloc(95, 120), () => undefined)).toThrow(
    expect.objectContaining({ kind: "no_memory" }),
  );
  splitter.push(Buffer.from("\n\n"), () => undefined);
  expect(budget.takenBytes).toBe(0);
  splitter.push(Buffer.from("data"), () => undefined);
  expect(splitter.close().toString()).toBe("data");
  expect(budget.takenBytes).toBe(0);
});

/** Streams without blank lines, by format, with the events that they stand for. */
const LOOSE: readonly (readonly [format: string, text: string, events: readonly string[]])[] = [
  [
    "chat completions",
    'data: {"a":"é\\n"}\ndata: {"b":{}}\ndata: [DONE]\n',
    ['data: {"a":"é\\n"}\n\n', 'data: {"b":{}}\n\n', "data: [DONE]\n\n"],
  ],
  [
    "Messages",
    'event: a\r\ndata: {"a":1}\r\nevent: b\r\ndata: {"b":1}\r\n',
    ['event: a\r\ndata: {"a":1}\r\n\n', 'event: b\r\ndata: {"b":1}\r\n\n'],
  ],
  [
    "a comment and a blank line in between",
    ': ok\n\ndata: {"a":1}\n: ping\ndata:{"b":1}\n\ndata: {"c":1}\n',
    [": ok\n\n", 'data: {"a":1}\n\n', ': ping\ndata:{"b":1}\n\n', 'data: {"c":1}\n\n'],
  ],
];

test.each(LOOSE)("events parted by one line end are handed on, wherever they are cut: %s", (_format, text, events) => {
  const stream = Buffer.from(text);
  const expected = events.map((event) => Buffer.from(event).toString("latin1"));
  const bytewise = Array.from(stream, (_, index) => stream.subarray(index, index + 1));
  expect(split(bytewise)).toEqual({ events: expected, rest: "" });
  for (let cut = 0; cut <= stream.length; cut += 1)
    expect(split([stream.subarray(0, cut), stream.subarray(cut)])).toEqual({ events: expected, rest: "" });
});

test("once it is known that blank lines are missing no event waits for the next", () => {
  const splitter = new SseSplitter(1000);
  const events: string[] = [];
  const push = (text: string) => splitter.push(Buffer.from(text), (_, each) => void events.push(each));
  push('data: {"a":1}\n');
  expect(events).toEqual([]);
  push('data: {"b":1}\n');
  expect(events).toEqual(['data: {"a":1}\n\n', 'data: {"b":1}\n\n']);
  push("data: [DONE]\n");
  expect(events).toHaveLength(3);
});

test.each([
  'data: {"a":\ndata: {"b":1}}\n\n',
  'data: {"a":1}\ndata: \n\n',
  'data: {"a":1}\nevent: x\n\n',
  "data: 1\ndata: {}\n\n",
  'id: 1\revent: x\rdata: {"a":1}\r\r',
])("several lines that are one event stay one: %j", (text) => {
  // The end of the last line is known by what follows it.
  const stream = Buffer.from(`${text}:`);
  const { events } = split([stream]);
  expect(events).toEqual([text.replace(/\r(?!\n)/g, "\n")]);
  for (let cut = 0; cut <= stream.length; cut += 1)
    expect(split([stream.subarray(0, cut), stream.subarray(cut)]).events).toEqual(events);
});

test("an event without blank lines is bounded as any other", () => {
  const line = 'data: {"a":1}\n';
  expect(() => split([Buffer.from(line + line), Buffer.from(`data: {"b":"${"x".repeat(200)}`)], 100)).toThrow(
    "longer than 100 bytes",
  );
});
