/** Rules of headers and errors of an override: what is set, copied and passed, what no rule reads, and what a receipt has of it. */
import { describe, expect, test } from "vitest";
import { readableHeaders } from "./headers.ts";
import { type Fields, run } from "./testing.ts";

describe("headers", () => {
  const clientHeaders = readableHeaders({
    "x-trace": "t-1",
    "anthropic-beta": "a, b, c",
    authorization: "Bearer sk-of-a-user",
    "x-api-key": "sk-of-a-user",
    cookie: "session=s",
    "content-length": "5",
    "turnpike-hops": "abc",
  });
  const set = (operation: Fields): Record<string, string> => {
    const { headers } = run([operation], {}, { clientHeaders });
    return Object.fromEntries(
      headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])),
    );
  };
  const PLAIN = { "content-type": "application/json", "user-agent": "Turnpike", authorization: "Bearer sk-up" };

  test.each<[string, Fields, Record<string, string>]>([
    ["set", { mode: "set_header", path: "X-Team", value: " red " }, { ...PLAIN, "x-team": "red" }],
    ["set to a number", { mode: "set_header", path: "X-Team", value: 5 }, { ...PLAIN, "x-team": "5" }],
    ["replaced", { mode: "set_header", path: "User-Agent", value: "mine/1" }, { ...PLAIN, "user-agent": "mine/1" }],
    ["kept", { mode: "set_header", path: "User-Agent", value: "mine/1", keep_origin: true }, PLAIN],
    [
      "set with the channel's key",
      { mode: "set_header", path: "authorization", value: "Key {api_key}" },
      { ...PLAIN, authorization: "Key sk-up" },
    ],
    [
      "set from a header of the client",
      { mode: "set_header", path: "x-a", value: "{client_header:X-Trace}/1" },
      { ...PLAIN, "x-a": "t-1/1" },
    ],
    [
      "left out",
      { mode: "delete_header", path: "User-Agent" },
      { "content-type": "application/json", authorization: "Bearer sk-up" },
    ],
    ["copied", { mode: "copy_header", from: "X-Trace", to: "X-B" }, { ...PLAIN, "x-b": "t-1" }],
    ["copied under its own name", { mode: "copy_header", path: "X-Trace" }, { ...PLAIN, "x-trace": "t-1" }],
    ["not copied where there is none", { mode: "copy_header", from: "X-None", to: "X-B" }, PLAIN],
    ["moved", { mode: "move_header", from: "X-Trace", to: "X-B" }, { ...PLAIN, "x-b": "t-1" }],
    ["passed", { mode: "pass_headers", value: ["X-Trace", "X-None"] }, { ...PLAIN, "x-trace": "t-1" }],
    ["passed by a text", { mode: "pass_headers", value: "x-trace, x-none" }, { ...PLAIN, "x-trace": "t-1" }],
    ["passed by JSON in a text", { mode: "pass_headers", value: '["x-trace"]' }, { ...PLAIN, "x-trace": "t-1" }],
    ["passed by an object", { mode: "pass_headers", value: { headers: ["x-trace"] } }, { ...PLAIN, "x-trace": "t-1" }],
    [
      "mapped item by item",
      { mode: "set_header", path: "anthropic-beta", value: { a: "A", b: null, $append: ["d", "A"] } },
      { ...PLAIN, "anthropic-beta": "A,c,d" },
    ],
    [
      "mapped to what is named alone",
      { mode: "set_header", path: "anthropic-beta", value: { c: "c", $keep_only_declared: true } },
      { ...PLAIN, "anthropic-beta": "c" },
    ],
    [
      "mapped with a star for all others",
      { mode: "set_header", path: "anthropic-beta", value: { a: "a", "*": ["x"] } },
      { ...PLAIN, "anthropic-beta": "a,x" },
    ],
    ["synced from a header", { mode: "sync_fields", from: "header:x-trace", to: "json:user" }, PLAIN],
  ])("%s", (_name, operation, expected) => expect(set(operation)).toEqual(expected));

  test("fields are synced both ways, and left where both are there", () => {
    const sync = { mode: "sync_fields", from: "header:X-Trace", to: "json:metadata.trace" };
    expect(run([sync], {}, { clientHeaders }).body).toEqual({ metadata: { trace: "t-1" } });
    const both = run([sync], { metadata: { trace: "t-2" } }, { clientHeaders });
    expect(both.body).toEqual({ metadata: { trace: "t-2" } });
    expect(both.applied).toEqual([]);
    const back = run([{ ...sync, from: "header:x-session" }], { metadata: { trace: "t-3" } }, { clientHeaders });
    expect(back.headers.slice(-2)).toEqual(["x-session", "t-3"]);
  });

  test("rules see neither the caller's key and session, nor what the gateway writes itself", () => {
    expect(clientHeaders).toEqual({ "x-trace": "t-1", "anthropic-beta": "a, b, c" });
    const asks = { path: "request_headers.authorization", mode: "contains", value: "sk" };
    expect(run([{ mode: "set", path: "hit", value: 1, conditions: [asks] }], {}, { clientHeaders }).body).toEqual({});
    const knows = { path: "request_headers.x-trace", mode: "full", value: "t-1" };
    expect(run([{ mode: "set", path: "hit", value: 1, conditions: [knows] }], {}, { clientHeaders }).body).toEqual({
      hit: 1,
    });
  });

  test("the channel's key is filled in last: no condition and no field reads it", () => {
    const operations = [
      { mode: "set_header", path: "x-key", value: "{api_key}" },
      { mode: "sync_fields", from: "header:x-key", to: "json:key" },
      {
        mode: "set",
        path: "hit",
        value: 1,
        conditions: [{ path: "header_override.x-key", mode: "contains", value: "sk" }],
      },
    ];
    const { body, headers } = run(operations, {});
    expect(body).toEqual({ key: "{api_key}" });
    expect(headers.slice(-2)).toEqual(["x-key", "sk-up"]);
    const client = run([{ mode: "pass_headers", value: "x-a" }], {}, { clientHeaders: { "x-a": "{api_key}" } });
    expect(client.headers.slice(-2)).toEqual(["x-a", "{api_key}"]);
  });

  test("a text with line breaks never becomes a header", () => {
    const sync = { mode: "sync_fields", from: "json:user", to: "header:x-user" };
    expect(() => run([sync], { user: "a\r\nx-evil: 1" })).toThrow("none that a header can hold");
  });
});

describe("return_error", () => {
  test.each<[unknown, object]>([
    ["no", { message: "no", status: 400, code: "invalid_request", type: "invalid_request_error", skipsRetry: true }],
    [
      { message: " no ", status_code: 451, code: "blocked", type: "policy", skip_retry: false },
      { message: "no", status: 451, code: "blocked", type: "policy", skipsRetry: false },
    ],
    [
      { msg: "no", status: 422, code: 7 },
      { message: "no", status: 422, code: "7" },
    ],
  ])("%j", (value, refusal) => {
    const operations = [
      { mode: "return_error", value },
      { mode: "set", path: "late", value: 1 },
    ];
    const made = run(operations, {});
    expect(made.refusal).toMatchObject(refusal);
    expect(made.body).toEqual({});
    expect(made.applied).toEqual(["return_error"]);
  });
});

test("a receipt has modes and paths, each once, and never a value", () => {
  const operations = [
    { mode: "set", path: "user", value: "secret-1" },
    { mode: "set", path: "user", value: "secret-2" },
    { mode: "replace", path: "user", from: "secret-2", to: "secret-3" },
    { mode: "set_header", path: "X-Key", value: "secret-4" },
    { mode: "copy", from: "user", to: "name" },
    { mode: "delete", path: "missing" },
    ...Array.from({ length: 60 }, (_, index) => ({ mode: "set", path: `field${index}`, value: 1 })),
  ];
  const { applied } = run(operations, {});
  expect(applied.slice(0, 4)).toEqual(["set user", "replace user", "set_header X-Key", "copy user -> name"]);
  expect(applied).toHaveLength(32);
  expect(applied.join(" ")).not.toContain("secret");
});

test("a body that goes on as it came keeps its bytes: conditions read its form, headers change, the rest is counted", () => {
  const operations = [
    { mode: "set", path: "model", value: "x" },
    { mode: "set_header", path: "x-a", value: "1", conditions: [{ path: "model", mode: "full", value: "whisper-1" }] },
  ];
  const made = run(operations, undefined, { shownBody: { model: "whisper-1" } });
  expect(made.leftOut).toBe(1);
  expect(made.headers.slice(-2)).toEqual(["x-a", "1"]);
  expect(made.applied).toEqual(["set_header x-a"]);
});
