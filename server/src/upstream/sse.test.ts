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
      const linesOf = (text: string): string => text.replaceAll(/\r\n?/g, "\n");
      expect(linesOf(result.events.join("") + result.rest)).toBe(linesOf(bytes.toString("latin1")));
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
