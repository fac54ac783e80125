/** Tests that whatever is taken for JSON without being parsed is JSON. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJson } from "../../dialects/json/fields.ts";
import { RepeatedEvent } from "./repeated-event.ts";

const DATA = "data: ";
const event = (value: unknown): string => `${DATA}${JSON.stringify(value)}\n\n`;
const delta = (content: string, more: object = {}): string =>
  event({ id: "a", choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more });

/** Notes what is JSON, as the stream does; gives whether the last one was known before. */
function lastIsKnown(...texts: readonly string[]): boolean {
  const known = new RepeatedEvent();
  let isKnown = false;
  for (const text of texts) {
    isKnown = known.isKnown(text);
    if (!isKnown && isJson(text.slice(DATA.length))) known.note(text, DATA.length);
  }
  return isKnown;
}

test("an event with other words than the two before is known, in letters of any alphabet", () => {
  const words = Buffer.from(" wörld 你好").toString("latin1");
  expect(lastIsKnown(delta("Hel"), delta("lo"), delta(words))).toBe(true);
  expect(lastIsKnown(delta("Hel"), delta("lo"), delta(""))).toBe(true);
});

test("words that JSON escapes, other fields and what is cut are looked at", () => {
  for (const text of [
    delta('"'),
    delta("\n"),
    delta("x", { usage: null }),
    delta("x").slice(0, -3),
    delta("x").replace('x"', "x"),
    delta("x").replace("x", 'x"'),
    delta("x").replace("x", "x\\"),
    delta("x").replace("x", "x\u0007"),
    "data: [DONE]\n\n",
  ])
    expect(lastIsKnown(delta("Hel"), delta("lo"), text)).toBe(false);
});

test("a difference outside of strings makes nothing known", () => {
  const counted = (count: number): string => event({ count });
  expect(lastIsKnown(counted(11), counted(12), counted(13))).toBe(false);
  expect(lastIsKnown(event({ a: "b", c: 1 }), event({ a: "b", d: 1 }), event({ a: "b", "c:": 1 }))).toBe(true);
});

test("what is known is JSON, however events are damaged", () => {
  const pieces = fc.array(fc.constantFrom("a", '"', "\\", "\n", "{", "}", ",", ":", "\\u00", "data: ", "é"), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(pieces, pieces, fc.nat(120)), { minLength: 3, maxLength: 8 }), (all) => {
      const known = new RepeatedEvent();
      for (const [words, damage, at] of all) {
        const whole = delta(words.join(""));
        const text = `${whole.slice(0, at)}${damage.join("")}${whole.slice(at)}`;
        const isWhole = isJson(text.slice(DATA.length));
        const isKnown = known.isKnown(text);
        expect(isKnown && !isWhole).toBe(false);
        if (isWhole && !isKnown && text.startsWith(DATA)) known.note(text, DATA.length);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a stream whose every event is new besides its words is not compared for ever", () => {
  const known = new RepeatedEvent();
  for (let count = 0; count < 20; count += 1) known.note(event({ count }), DATA.length);
  known.note(delta("Hel"), DATA.length);
  known.note(delta("lo"), DATA.length);
  expect(known.isKnown(delta("!"))).toBe(false);
});
