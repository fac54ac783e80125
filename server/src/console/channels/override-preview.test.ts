/** The preview of a parameter override: the engine of the relay on what was typed, and refusals that name their place. */
import { expect, test } from "vitest";
import { previewOf } from "./override-preview.ts";

const preview = (override: object, body: object = { model: "gpt-4o", max_tokens: 5 }, more: object = {}) =>
  previewOf({ param_override: JSON.stringify(override), body: JSON.stringify(body), ...more });

test("plain fields and rules are applied to the body, headers are shown with the key as a placeholder", () => {
  const operations = [
    { mode: "delete", path: "max_tokens", conditions: [{ path: "model", mode: "prefix", value: "gpt" }] },
    { mode: "set_header", path: "X-Key", value: "k {api_key}" },
    { mode: "pass_headers", value: "X-Trace, X-None" },
  ];
  const made = preview({ seed: 1, operations }, undefined, { headers: { "X-Trace": "t" } });
  expect(JSON.parse(made.body)).toEqual({ model: "gpt-4o", seed: 1 });
  expect(made).toMatchObject({
    headers: { "x-key": "k {api_key}", "x-trace": "t" },
    applied: ["set seed", "delete max_tokens", "set_header X-Key", "pass_headers X-Trace, X-None"],
    refusal: null,
    fault: null,
  });
});

test("the error of a rule and rules that do not fit are part of the preview", () => {
  const value = { message: "no", status_code: 403, code: "blocked", skip_retry: false };
  expect(preview({ operations: [{ mode: "return_error", value }] }).refusal).toEqual({
    message: "no",
    status: 403,
    code: "blocked",
    type: "invalid_request_error",
    skip_retry: false,
  });
  expect(preview({ operations: [{ mode: "to_lower", path: "max_tokens" }] }).fault).toBe(
    "operations[0] (to_lower): max_tokens is a number, not text",
  );
});

test.each([
  [{ param_override: "{", body: "{}" }, "channel_override_invalid", "param_override"],
  [{ param_override: '{"operations":[{}]}', body: "{}" }, "channel_override_invalid", "param_override"],
  [{ param_override: "{}", body: "[]" }, "channel_invalid", "body"],
  [{ param_override: "{}", body: `{"a":"${"x".repeat(262_144)}"}` }, "channel_invalid", "body"],
  [{ param_override: `{"a":"${"x".repeat(60_000)}"}`, body: "{}" }, "channel_invalid", "param_override"],
])("refusal %#", (asked, code, field) => {
  expect(() => previewOf(asked)).toThrow(expect.objectContaining({ code, field }));
});
