/** Tests that the rows of a parameter override and its stored text convert into each other. */
import { expect, test } from "vitest";
import { parseParamOverride } from "../../../../../contract/src/channels/override-reader.ts";
import {
  movedUp,
  OVERRIDE_PRESETS,
  type OverridePreset,
  overrideText,
  parseOverride,
  presetOperation,
  withEntry,
} from "./overrides.ts";

const WHOLE = {
  temperature: 0,
  stop: ["a"],
  operations: [
    { description: "why", mode: "set", path: "user", value: "5", keep_origin: true },
    { mode: "replace", path: "model", from: " ", to: "" },
    {
      mode: "return_error",
      value: { message: "no", status_code: 403 },
      conditions: [{ path: "model", mode: "prefix", value: "gpt", invert: true, pass_missing_key: true }],
      logic: "AND",
    },
    { mode: "append", path: "messages", value: [{ role: "user", content: "x" }] },
  ],
};

test("a stored override comes back as it was, text that looks like a number included", () => {
  const form = parseOverride(JSON.stringify(WHOLE));
  expect(form?.operations.map(({ value }) => value)).toEqual([
    '"5"',
    "",
    '{"message":"no","status_code":403}',
    '[{"role":"user","content":"x"}]',
  ]);
  const { to: _blank, ...replace } = WHOLE.operations[1] as Record<string, unknown>;
  expect(JSON.parse(overrideText(form as never))).toEqual({
    ...WHOLE,
    operations: WHOLE.operations.map((each, index) => (index === 1 ? replace : each)),
  });
});

test.each([
  "[",
  "[]",
  '{"operations":{}}',
  '{"operations":[{"mode":"sett"}]}',
  '{"operations":[{"mode":"set","x":1}]}',
  '{"operations":[{"mode":"set","logic":"XOR"}]}',
  '{"operations":[{"mode":"set","conditions":[{"path":"a"}]}]}',
])("%s cannot be shown as rows", (text) => expect(parseOverride(text)).toBeUndefined());

test("nothing typed is nothing stored, and plain fields that are unfinished stay as typed", () => {
  expect(overrideText({ plain: " ", operations: [] })).toBe("");
  expect(overrideText({ plain: '{"a":', operations: [presetOperation("set")] })).toBe('{"a":');
  expect(overrideText({ plain: '{"a":1}', operations: [] })).toBe('{\n  "a": 1\n}');
});

test("what was typed for another mode is left out", () => {
  const text = overrideText({ plain: "", operations: [{ ...presetOperation("set"), mode: "to_lower", from: "x" }] });
  expect(JSON.parse(text)).toEqual({ operations: [{ mode: "to_lower", path: "temperature" }] });
});

test.each(Object.keys(OVERRIDE_PRESETS) as OverridePreset[])(
  "the preset %s is a rule that the server takes",
  (preset) => {
    const text = overrideText({ plain: "", operations: [presetOperation(preset)] });
    expect(parseParamOverride(text).operations).toHaveLength(1);
    expect(parseOverride(text)).toEqual({ plain: "", operations: [presetOperation(preset)] });
  },
);

test("entries are replaced, taken out and moved up", () => {
  expect([withEntry([1, 2, 3], 1, 9), withEntry([1, 2, 3], 1, undefined)]).toEqual([
    [1, 9, 3],
    [1, 3],
  ]);
  expect([movedUp([1, 2, 3], 2), movedUp([1, 2], 0)]).toEqual([
    [1, 3, 2],
    [1, 2],
  ]);
});
