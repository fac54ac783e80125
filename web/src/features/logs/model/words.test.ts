/** Tests of short texts for durations: readable at any length, and within the room of their columns. */
import { beforeAll, expect, test, vi } from "vitest";
import { CHARGE_RULES, SKIP_REASONS } from "../../../../../contract/src/receipt-codes.ts";
import en from "../../../locales/en/logs.json" with { type: "json" };
import zh from "../../../locales/zh/logs.json" with { type: "json" };
import { receiptOf as readReceipt } from "./receipt.ts";
import type * as Words from "./words.ts";

/** The language is read from the browser's storage. */
vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
vi.stubGlobal("navigator", { language: "en" });

let words: typeof Words;
beforeAll(async () => {
  words = await import("./words.ts");
});

test("a time inside a call has the unit that fits it", () => {
  expect([380, 1904, 312_345, 3_411_055].map(words.spanText)).toEqual(["380 ms", "1.90 s", "312.35 s", "56 min 51 s"]);
});

test("a refusal of the gateway says what it was, and not what its status means elsewhere", () => {
  const t = ((key: string, values: { count?: number } = {}) => `${key}${values.count ?? ""}`) as never;
  const failed = (other: object) =>
    words.failureText(t, { content: "as it was sent", other: JSON.stringify(other) } as never);
  expect(failed({ status_code: 403, error_code: "insufficient_user_quota" })).toBe(
    "403 refusal.insufficient_user_quota",
  );
  expect(failed({ status_code: 403, error_code: "of_the_upstream" })).toBe("403 cause.auth");
  expect(failed({ status_code: 418, error_code: "of_the_upstream" })).toBe("as it was sent");
});

const RESOURCES = { en: { logs: en }, zh: { logs: zh } };

test.each(["en", "zh"] as const)(
  "rules and reasons have words of their own in %s, whichever version wrote them",
  async (lng) => {
    const { addTexts, translator } = await import("../../../lib/i18n.ts");
    addTexts(lng, "logs", RESOURCES[lng].logs);
    const t = translator("logs", lng);
    const receiptOf = (other: object) =>
      readReceipt({ type: 2, use_time_ms: 0, other: JSON.stringify(other) } as never);
    const rule = (written: string) => words.ruleText(t, receiptOf({ rule: written }).rule ?? "");
    const reasons = (skipped: readonly object[]) =>
      receiptOf({ admin_info: { skipped } }).skipped.map(({ reason }) => words.skipText(t, reason));
    for (const [code, former] of Object.entries(CHARGE_RULES)) {
      expect(rule(code)).toBe(RESOURCES[lng].logs.rule[code as keyof typeof CHARGE_RULES]);
      expect(rule(former)).toBe(rule(code));
    }
    for (const [code, { values, former }] of Object.entries(SKIP_REASONS)) {
      const given = Object.fromEntries(values.map((name) => [name, "tools[0].type"]));
      const [now = "", before] = reasons([
        { id: 1, name: "a", code, values: given },
        { id: 1, name: "a", reason: values.length === 0 ? former : `${former}tools[0].type` },
      ]);
      expect(now).not.toMatch(/^skip\.|\{\{|^$/);
      expect(now.includes("tools[0].type")).toBe(values.length > 0);
      // What no earlier version stored has no sentence of it.
      if (former !== undefined) expect(before).toBe(now);
    }
    expect([
      rule("of a later version"),
      ...reasons([{ reason: "of a later version" }, { code: "of_a_later_version" }]),
    ]).toEqual(["of a later version", "of a later version", "of_a_later_version"]);
  },
);

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
