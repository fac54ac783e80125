/** Events come whole and byte for byte however the network cuts them; nothing an upstream sends crashes the splitter. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteBudget } from "./budget.ts";
import { SseOverflow, SseSplitter } from "./sse.ts";

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
      expect(result.events.join("") + result.rest).toBe(bytes.toString("latin1"));
      expect(result).toEqual(split([bytes]));
    }),
    { numRuns: 500 },
  );
});

test("an event above the limit is refused, whole or in pieces", () => {
  const long = Buffer.from(`data: ${"x".repeat(200)}\n\n`);
  expect(() => split([long], 100)).toThrow(SseOverflow);
  expect(() => split([long.subarray(0, 90), long.subarray(90)], 100)).toThrow(SseOverflow);
});

test("unfinished bytes are taken from the budget and given back", () => {
  const budget = new ByteBudget(100);
  const splitter = new SseSplitter(1000, budget);
  splitter.push(Buffer.from("data: 12345"), () => undefined);
  expect(budget.takenBytes).toBe(11);
  expect(() => new SseSplitter(1000, budget).push(Buffer.alloc(95, 120), () => undefined)).toThrow(SseOverflow);
  splitter.push(Buffer.from("\n\n"), () => undefined);
  expect(budget.takenBytes).toBe(0);
  splitter.push(Buffer.from("data"), () => undefined);
  expect(splitter.close().toString()).toBe("data");
  expect(budget.takenBytes).toBe(0);
});
