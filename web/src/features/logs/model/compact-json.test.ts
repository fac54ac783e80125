/** Tests of compact JSON of receipts: it parses to the same value, and breaks lines only where it must. */
import { expect, test } from "vitest";
import { compactJson } from "./curl.ts";

test("what fits on a line stands on it", () => {
  const value = {
    promptTokenCount: 318,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 60 }],
    none: [],
    off: {},
  };
  expect(compactJson(value, 48)).toBe(
    [
      "{",
      '  "promptTokenCount": 318,',
      '  "promptTokensDetails": [',
      '    { "modality": "TEXT", "tokenCount": 60 }',
      "  ],",
      '  "none": [],',
      '  "off": {}',
      "}",
    ].join("\n"),
  );
});

test.each([
  null,
  7,
  "text",
  [],
  {},
  [1, [2, { a: "b" }]],
  { long: "x".repeat(90), deep: { er: { still: [true, false, null, '\n"quoted"'] } } },
])("parses to the same value: %j", (value) => {
  for (const width of [1, 20, 40, 200]) expect(JSON.parse(compactJson(value, width))).toEqual(value);
});

test("spaces go before a line is broken", () => {
  const value = { details: [{ modality: "TEXT", tokenCount: 60 }] };
  expect(compactJson(value, 40)).toContain('\n    {"modality":"TEXT","tokenCount":60}\n');
});

test("no line is longer than it must be", () => {
  const value = {
    cache_creation: { ephemeral_5m_input_tokens: 6200, ephemeral_1h_input_tokens: 8000 },
    output_tokens: 640,
  };
  const lines = compactJson(value, 40).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});
