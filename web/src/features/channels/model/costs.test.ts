/** Tests of the form of upstream costs: stored values return digit by digit, and what fields cannot express stays text. */
import { expect, test } from "vitest";
import { AppError } from "../../../../../contract/src/errors.ts";
import { readChannelCosts } from "../../../../../contract/src/channels/costs.ts";
import { costsError, costsText, parseCosts, upstreamModels } from "./costs.ts";

const STORED = `{
  "factor": 0.80,
  "models": {
    "gpt-5": { "input": 1.10, "output": 9.00000000000000001, "cache_read": 0.1 },
    "dall-e-3": { "request": 0.04 }
  }
}`;

test("goes from text to fields and back with every digit", () => {
  const form = parseCosts(STORED);
  expect(form).toEqual({
    factor: "0.80",
    models: [
      {
        model: "gpt-5",
        isByRequest: false,
        prices: { input: "1.10", output: "9.00000000000000001", cache_read: "0.1" },
      },
      { model: "dall-e-3", isByRequest: true, prices: { request: "0.04" } },
    ],
  });
  expect(form && costsText(form)).toBe(STORED);
  expect(() => readChannelCosts(STORED)).not.toThrow();
});

test("nothing typed is no text at all", () => {
  expect(parseCosts("  ")).toEqual({ factor: "", models: [] });
  expect(costsText({ factor: "", models: [] })).toBe("");
});

test("half a number is kept as it stands, and never taken for a price", () => {
  const text = costsText({ factor: "0.", models: [{ model: "m", isByRequest: true, prices: { request: "" } }] });
  expect(parseCosts(text)).toMatchObject({ factor: "0.", models: [{ prices: { request: "" } }] });
  expect(() => readChannelCosts(text)).toThrow(AppError);
});

test.each([
  ["{", undefined],
  ["[]", undefined],
  ['{"share": 1}', undefined],
  ['{"models": {"m": {"input": 1, "output": 2, "audio": 3}}}', undefined],
  ['{"models": {"m": {"input": 1, "request": 3}}}', undefined],
])("%s has no fields and stays text", (text, form) => {
  expect(parseCosts(text)).toBe(form);
});

test.each([
  ['{"factor": -1}', "errors.costFactor", ""],
  ['{"factor": 9007199254740993}', "errors.costFactor", ""],
  ["{", "errors.json.costs", ""],
  ['{"factor": 1, "factor": 2}', "errors.json.costs", ""],
  ['{"models": {"m": {"input": "", "output": 2}}}', "errors.costPrice", "m"],
  ['{"models": {"m": {"request": 1e3}}}', "errors.costPrice", "m"],
  ['{"models": {"m": {"input": 0, "output": 2}}}', "errors.costInput", "m"],
])("%s is refused before it is sent, and by the server", (text, key, model) => {
  expect(costsError(text)).toEqual({ key, model });
  // An exponent is a number to the server; the form only asks for plain digits.
  if (!text.includes("1e3")) expect(() => readChannelCosts(text)).toThrow(AppError);
});

test.each(["", STORED, '{"models": {"m": {"input": 0, "output": 0}}}'])("%s may be sent", (text) => {
  expect(costsError(text)).toBeUndefined();
});

test("models are offered by the name the upstream knows", () => {
  const mapping = '{"gpt-5": "gpt-5-2026", "a": "b", "b": "a"}';
  expect(upstreamModels(["gpt-5", "gpt-4o", "a", "known"], mapping, ["known"])).toEqual(["gpt-5-2026", "gpt-4o", "a"]);
  expect(upstreamModels(["gpt-5"], "{ not json", [])).toEqual(["gpt-5"]);
});
