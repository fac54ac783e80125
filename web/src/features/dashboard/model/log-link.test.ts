/** Tests of the links to the log: they ask for exactly what a part of the dashboard counts. */
import { expect, test } from "vitest";
import { failureKindOf } from "../../../../../contract/src/call-figures.ts";
import { boundsOfSlot, callsOfKind, failedCalls, logHref } from "./log-link.ts";

test("a link filters by the times and names of its part, and omits unset ones", () => {
  expect(logHref({ start: 10, end: 20 })).toBe("/log?start_timestamp=10&end_timestamp=20");
  expect(logHref({ start: 10, end: 20, model: "a/b c", channel: 7, username: "ada", type: "failed" })).toBe(
    "/log?type=5&model_name=a%2Fb+c&channel=7&username=ada&start_timestamp=10&end_timestamp=20",
  );
  expect(logHref({ start: 10, end: 20, type: "failed", errorCode: "no_available_channel" })).toBe(
    "/log?type=5&error_code=no_available_channel&start_timestamp=10&end_timestamp=20",
  );
});

test.each([{ model: "" }, { channel: 0 }, { token: "" }, { username: "" }, { token: "half % off" }])(
  "there is no link where the log would show other calls too: %o",
  (filter) => {
    expect(logHref({ start: 10, end: 20, ...filter })).toBeUndefined();
  },
);

test("a kind leads to the log where one error code is all of it, and failures of all kinds where none was charged", () => {
  for (const kind of ["key_refused", "no_channel"] as const) {
    const code = callsOfKind(kind)?.errorCode ?? "";
    expect(failureKindOf(502, code)).toBe(kind);
    for (let status = 400; status < 600; status++) expect(failureKindOf(status, "of_the_upstream")).not.toBe(kind);
  }
  expect(["rate_limited", "timeout", "upstream", "broken_off", "gateway", "refused"].map(callsOfKind)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
  expect([failedCalls({ broken_off: 0 }), failedCalls({ broken_off: 1 })]).toEqual([{ type: "failed" }, undefined]);
});

test("slots end where the next begins, the last one with the range", () => {
  const range = { buckets: [0, 3_600, 7_200], end: 9_999 };
  expect([boundsOfSlot(range, 0), boundsOfSlot(range, 2)]).toEqual([
    { start: 0, end: 3_599 },
    { start: 7_200, end: 9_999 },
  ]);
});
