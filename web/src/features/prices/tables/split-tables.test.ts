/** Whole settings of another site come apart into their tables, with every number as it was written. */
import { expect, test } from "vitest";
import { splitTables } from "./drafts.ts";

const found = (text: string) => {
  const split = splitTables(text);
  return split && { tables: Object.fromEntries(split.tables), others: split.others };
};

test("an object of options, whether a table is JSON or text with JSON in it", () => {
  expect(
    found('{"ModelRatio": {"a": 0.10, "b": 1e0}, "CompletionRatio": "{\\"a\\": 4.0}", "GroupRatio": {"vip": 1}}'),
  ).toEqual({ tables: { ModelRatio: '{"a": 0.10, "b": 1e0}', CompletionRatio: '{"a": 4.0}' }, others: ["GroupRatio"] });
});

test("options as the API lists them", () => {
  const rows = '[{"key": "ModelPrice", "value": "{\\"x\\": 0.040}"}, {"key": "Notice", "value": "hello"}]';
  const wanted = { tables: { ModelPrice: '{"x": 0.040}' }, others: ["Notice"] };
  expect(found(rows)).toEqual(wanted);
  expect(found(`{"success": true, "data": ${rows}}`)).toEqual(wanted);
});

test("ratios as other sites publish them, and their names for ours", () => {
  expect(found('{"data": {"model_ratio": {"a": 1}, "create_cache_ratio": {"a": 1.25}}, "success": true}')).toEqual({
    tables: { ModelRatio: '{"a": 1}', CacheCreationRatio: '{"a": 1.25}' },
    others: [],
  });
  expect(found('{"BrokenStreamBilling": "input_only"}')?.tables).toEqual({ BrokenStreamBilling: "input_only" });
});

test.each([
  '{"gpt-4o": 1.25}',
  '{"ModelRatio": 1}',
  "{}",
  "",
  '{"ModelRatio": {"a": 1}',
  '{"ModelRatio": {"a": 1, "a": 2}}',
  '"ModelRatio"',
  "null",
  "[1, null]",
  '{"BrokenStreamBilling": "sometimes"}',
])("%s holds no tables beside itself", (text) => {
  expect(splitTables(text)).toBeUndefined();
});
