/** Durations are read at a glance whatever their length, and have the room of their columns. */
import { beforeAll, expect, test, vi } from "vitest";
import type * as Words from "./words.ts";

/** The language is read from the browser's storage. */
vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
vi.stubGlobal("navigator", { language: "en" });

let words: typeof Words;
beforeAll(async () => {
  words = await import("./words.ts");
});

test("seconds lose their tenth where it says nothing any more", () => {
  expect([20, 6240, 118_400, 999_900, 3_723_400].map(words.secondsText)).toEqual([
    "0.1 s",
    "6.2 s",
    "118.4 s",
    "999.9 s",
    "3,723 s",
  ]);
});

test("a time inside a call has the unit that fits it", () => {
  expect([380, 1904, 312_345, 3_411_055].map(words.spanText)).toEqual(["380 ms", "1.90 s", "312.35 s", "56 min 51 s"]);
});

test("a refusal of the gateway says what it was, and not what its status means elsewhere", () => {
  const t = ((key: string, facts: { count?: number } = {}) => `${key}${facts.count ?? ""}`) as never;
  const failed = (other: object) =>
    words.failureText(t, { content: "as it was sent", other: JSON.stringify(other) } as never);
  expect(failed({ status_code: 403, error_code: "insufficient_user_quota" })).toBe(
    "403 refusal.insufficient_user_quota",
  );
  expect(failed({ status_code: 403, error_code: "of_the_upstream" })).toBe("403 cause.auth");
  expect(failed({ status_code: 418, error_code: "of_the_upstream" })).toBe("as it was sent");
});

test("each reason why a channel was passed over, and each rule of an answer that did not end well, has words of its own", () => {
  const t = ((key: string, facts: object = {}) => [key, ...Object.values(facts)].join(" ")) as never;
  const reasons = [
    "disabled",
    "busy",
    "unknown channel type",
    "resting after failures",
    "resting as its upstream asked",
  ];
  const said = [...reasons, "being probed by another call"].map((reason) => words.skipText(t, reason));
  expect(said.filter((text) => !text.startsWith("skip."))).toEqual([]);
  expect(words.skipText(t, "does not serve rerank")).toBe("skip.operation rerank");
  expect(words.skipText(t, "cannot do what was asked: tools[0].type")).toBe("skip.untranslatable tools[0].type");
  expect(words.skipText(t, "of a later version")).toBe("of a later version");
  const ends = ["charged for what was delivered", "charged for its input alone", "not charged"];
  const rules = ["upstream", "gateway"].flatMap((who) =>
    ends.map((end) => words.ruleText(t, `the ${who} broke off: ${end}`)),
  );
  expect(new Set(rules).size).toBe(6);
  expect(rules.every((rule) => rule.startsWith("rule."))).toBe(true);
});

test("places on the axis are short", () => {
  expect([0, 500, 2000, 1500, 60_000, 1_200_000].map(words.tickText)).toEqual([
    "0",
    "500 ms",
    "2 s",
    "1.5 s",
    "1 min",
    "20 min",
  ]);
});
