/** Receipt codes: parsed from their own form and from the sentences of earlier versions, and nothing from other text. */
import { expect, test } from "vitest";
import { CHARGE_RULES, isBrokenOff, readChargeRule, readSkipReason, SKIP_REASONS } from "./receipt-codes.ts";

test.each(Object.entries(CHARGE_RULES))(
  "rule %s is read from its code and from its former sentence",
  (code, former) => {
    expect([readChargeRule(code), readChargeRule(former)]).toEqual([code, code]);
  },
);

test("what the upstream or the gateway ended is a failure, what the client or the balance ended is none", () => {
  const failed = Object.values(CHARGE_RULES).filter((former) => former.includes(" broke off: "));
  expect(failed).toHaveLength(6);
  for (const former of Object.values(CHARGE_RULES)) {
    const code = readChargeRule(former);
    expect(code !== undefined && isBrokenOff(code)).toBe(failed.includes(former));
  }
});

test.each([undefined, 7, "", "toString", "of a later version"])("%j is no rule", (sent) => {
  expect(readChargeRule(sent)).toBeUndefined();
});

test.each([
  [{ code: "busy" }, "busy"],
  [{ code: "disabled" }, "disabled"],
  [{ code: "unknown_channel_type" }, "unknown channel type"],
  [{ code: "resting" }, "resting after failures"],
  [{ code: "resting_as_asked" }, "resting as its upstream asked"],
  [{ code: "probed" }, "being probed by another call"],
  [{ code: "unsupported_operation", values: { operation: "rerank" } }, "does not serve rerank"],
  [{ code: "untranslatable", values: { field: "tools[0].type" } }, "cannot do what was asked: tools[0].type"],
] as const)("%j is read from its code and from its former sentence", (reason, former) => {
  expect(Object.hasOwn(SKIP_REASONS, reason.code)).toBe(true);
  expect(readSkipReason({ id: 1, name: "a", ...reason })).toEqual(reason);
  expect(readSkipReason({ id: 1, name: "a", reason: former })).toEqual(reason);
});

test("a limit of input is read with both of its values, or not at all", () => {
  const reason = { code: "input_limit", values: { limit: "4096", tokens: "5000" } };
  expect(readSkipReason({ id: 1, name: "a", ...reason })).toEqual(reason);
  expect(readSkipReason({ code: "input_limit", values: { limit: "4096" } })).toBeUndefined();
});

test.each([
  undefined,
  "busy",
  {},
  { reason: "of a later version" },
  { code: "of_a_later_version" },
  { code: "toString" },
  { code: "untranslatable" },
  { code: "untranslatable", values: { field: 7 } },
])("%j is no reason", (sent) => {
  expect(readSkipReason(sent)).toBeUndefined();
});
