/** Tests of header overrides: what they may contain, and that the operator's values are never shown. */
import { expect, test } from "vitest";
import {
  HEADER_OVERRIDES_MAX,
  HeaderOverrideError,
  hasHiddenValues,
  passesByPattern,
  readHeaderOverride,
  sentHeaderOverride,
  shownHeaderOverride,
} from "./header-override.ts";

const read = (value: object) => readHeaderOverride(JSON.stringify(value));

test("fixed values, copies of the client's headers and patterns are distinguished", () => {
  const rules = read({ "X-Team": "red", "X-Id": "{client_header: X-Trace }", "*": true, "re:^x-a": "", "regex:b": 1 });
  expect(rules.map(({ kind }) => kind)).toEqual(["fixed", "copied", "passed", "passed", "passed"]);
  expect(rules.slice(0, 2)).toEqual([
    { kind: "fixed", name: "x-team", value: "red" },
    { kind: "copied", name: "x-id", from: "x-trace" },
  ]);
  expect(readHeaderOverride("  ")).toEqual([]);
});

test.each([
  ["no JSON", "{"],
  ["no object", "[]"],
  ["a header of the connection", JSON.stringify({ Host: "a" })],
  ["the gateway's own mark", JSON.stringify({ "Turnpike-Hops": "a" })],
  ["no name", JSON.stringify({ "a b": "c" })],
  ["no text", JSON.stringify({ "x-a": 1 })],
  ["a line break in a value", JSON.stringify({ "x-a": "b\r\nx-c: d" })],
  ["a value that is too long", JSON.stringify({ "x-a": "b".repeat(4_097) })],
  ["the key of the caller", JSON.stringify({ "x-a": "{client_header:Authorization}" })],
  ["the session of the caller", JSON.stringify({ "x-a": "{client_header:cookie}" })],
  ["a copy beside other text", JSON.stringify({ "x-a": "b {client_header:x-c}" })],
  ["the same header twice", JSON.stringify({ "x-a": "b", "X-A": "c" })],
  ["an empty pattern", JSON.stringify({ "re:": "" })],
  ["a pattern that cannot be read", JSON.stringify({ "re:(?=a)": "" })],
  [
    "too many",
    JSON.stringify(Object.fromEntries(Array.from({ length: HEADER_OVERRIDES_MAX + 1 }, (_, i) => [`x-${i}`, "a"]))),
  ],
])("refused: %s", (_what, text) => expect(() => readHeaderOverride(text)).toThrow(HeaderOverrideError));

test("no pattern passes what a caller proves who they are with, what belongs to the connection, or where the client is", () => {
  const kept = ["authorization", "cookie", "x-api-key", "x-goog-api-key", "api-key", "mj-api-secret", "new-api-user"];
  const others = ["host", "connection", "content-type", "x-forwarded-for", "cf-connecting-ip", "turnpike-hops"];
  expect([...kept, ...others].filter(passesByPattern)).toEqual([]);
  expect(["x-app", "user-agent", "session_id"].filter(passesByPattern)).toHaveLength(3);
});

test("values of the operator's own are hidden, and come back by their name alone", () => {
  const stored = JSON.stringify({
    "X-Team": "red",
    Authorization: "Bearer {api_key}",
    "re:^x-": "",
    "X-Both": "a {api_key}",
  });
  const shown = shownHeaderOverride(stored);
  expect(JSON.parse(shown)).toEqual({
    "X-Team": "***",
    Authorization: "Bearer {api_key}",
    "re:^x-": "",
    "X-Both": "***",
  });
  expect(sentHeaderOverride(shown, stored)).toEqual({ text: stored, keepsStored: true });
  const changed = sentHeaderOverride(JSON.stringify({ "x-team": "***", "x-new": "b" }), stored);
  expect(changed).toEqual({ text: JSON.stringify({ "x-team": "red", "x-new": "b" }), keepsStored: true });
  expect(sentHeaderOverride(JSON.stringify({ "x-new": "b" }), stored).keepsStored).toBe(false);
  expect(() => sentHeaderOverride(JSON.stringify({ "x-other": "***" }), stored)).toThrow(/x-other/);
  expect([hasHiddenValues(stored), hasHiddenValues('{"*":true}'), hasHiddenValues("")]).toEqual([true, false, false]);
});
