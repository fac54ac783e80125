/** Tool prices: the defaults by model and context size, and what an operator may write instead. */
import { expect, test } from "vitest";
import { parseOptions, validateOption } from "../options/options.ts";
import { DEFAULT_PRICES, DEFAULT_TOOL_PRICES, chargedCalls, toolPrice } from "./tool-prices.ts";

const DEFAULTS = parseOptions(new Map());

test.each([
  ["web_search", "gpt-4o", "", "low", "10"],
  ["web_search", "GPT-4.1", "", "high", "10"],
  ["web_search", "gpt-5", "preview", "low", "10"],
  ["web_search", "gpt-4o-2024-11-20", "preview", undefined, "25"],
  ["web_search", "gpt-4.1-mini", "preview", "medium", "25"],
  ["web_search", "gpt-4o-search-preview-2025-03-11", "", "high", "25"],
  ["web_search", "gpt-4o-mini-search-preview", "", "low", "25"],
  ["web_search", "gpt-5-search-api", "", "low", "10"],
  ["web_search", "some-model", "", "a size nobody knows", "10"],
  ["web_search", "gemini-3.8-flash", "", "high", "14"],
  ["web_search", "gemini-2.5-pro", "", "high", "35"],
  ["web_search", "claude-sonnet-4-5", "", "low", "10"],
  ["web_search", "grok-4.5", "", "low", "5"],
  ["file_search", "gpt-4o", "", "high", "2.5"],
  ["image_generation", "gpt-image-2", "1024x1024", "low", "6"],
  ["image_generation", "gpt-image-2", "1536x1024", "medium", "41"],
  ["image_generation", "gpt-image-2", "3840x2160", "high", "250"],
  ["image_generation", "gpt-image-2.5-flare", "1024x1024", "high", "250"],
  ["image_generation", "gpt-image-1.5", "1024x1536", "high", "200"],
  ["image_generation", "gpt-image-1", "1024x1024", "medium", "42"],
  ["image_generation", "gpt-image-1", "auto", undefined, "63"],
  ["image_generation", "gpt-image-1-mini", "1024x1024", "high", "36"],
  ["code_interpreter", "gpt-5", "", undefined, "30"],
  ["code_interpreter", "gpt-5", "4g", undefined, "120"],
  ["code_interpreter", "gpt-5", "16g", undefined, "480"],
  ["code_interpreter", "gpt-5", "64g", undefined, "1920"],
  ["code_interpreter", "claude-opus-5", "", undefined, "0"],
  ["google_maps", "gemini-2.5-pro", "", undefined, "25"],
  ["google_maps", "gemini-3.8-flash", "", undefined, "14"],
] as const)("%s by %s %s at %s costs %s USD for 1,000 calls", (tool, model, name, size, usd) => {
  expect(toolPrice(DEFAULTS, tool, model, { name, size })).toBe(usd);
});

test("every default price names the vendor's page, and the option's text is the table", () => {
  const rows = Object.values(DEFAULT_PRICES).flat();
  expect(rows.filter(({ page }) => !page.startsWith("https://"))).toEqual([]);
  expect(validateOption("ToolPrices", DEFAULT_TOOL_PRICES, DEFAULTS).normalised).toBe(DEFAULT_TOOL_PRICES);
  expect(parseOptions(new Map([["ToolPrices", DEFAULT_TOOL_PRICES]])).ToolPrices).toEqual(DEFAULTS.ToolPrices);
});

test.each([
  ["web_search", "gemini-2.5-flash", 4, 1],
  ["web_search", "gemini-2.5-flash", 0, 0],
  ["web_search", "gemini-3.8-flash", 4, 4],
  ["web_search", "gpt-5", 4, 4],
  ["google_maps", "gemini-2.5-flash", 2, 2],
] as const)("%s: of %s's %s calls %s cost", (tool, model, calls, charged) => {
  expect(chargedCalls(tool, model, calls)).toBe(charged);
});

test("an entry for the model alone holds whatever the call depends on, unless one names that with more letters", () => {
  const text = '{"web_search":{"*":1},"file_search":{"*":1},"code_interpreter":{"*":1,"* 4g":2,"gpt-5":3,"o3 4g":4}}';
  const options = parseOptions(new Map([["ToolPrices", text]]));
  const price = (model: string, name?: string) => toolPrice(options, "code_interpreter", model, { name });
  expect([price("gpt-5"), price("gpt-5", "4g"), price("o4", "4g"), price("o4"), price("o3", "4g")]).toEqual([
    "3",
    "3",
    "2",
    "1",
    "4",
  ]);
});

test("an operator's table replaces the whole, the most letters win, without rounding", () => {
  const text = '{"web_search":{"*":1,"my-*":2.10000000000000001,"my-*-x":3,"my-model":4},"file_search":{"*":0}}';
  expect(validateOption("ToolPrices", text, DEFAULTS).normalised).toBe(text);
  const options = parseOptions(new Map([["ToolPrices", text]]));
  const price = (model: string) => toolPrice(options, "web_search", model, { size: "low" });
  expect([price("other"), price("my-1"), price("my-1-x"), price("my-model"), price("my-model-2")]).toEqual([
    "1",
    "2.10000000000000001",
    "3",
    "4",
    "2.10000000000000001",
  ]);
  expect(toolPrice(options, "file_search", "__proto__")).toBe("0");
});

test("a table of earlier versions has the defaults of the tools it does not name", () => {
  const options = parseOptions(new Map([["ToolPrices", '{"web_search":{"*":1},"file_search":{"*":2}}']]));
  expect(options.ToolPrices.image_generation).toEqual(DEFAULTS.ToolPrices.image_generation);
  expect(options.ToolPrices.code_interpreter).toEqual(DEFAULTS.ToolPrices.code_interpreter);
  expect(options.ToolPrices.google_maps).toEqual(DEFAULTS.ToolPrices.google_maps);
});

test.each([
  ["[]", /JSON map/],
  ['{"web_search":{"*":1},"file_search":{"*":1},"image_generation":{"gpt":1}}', /every other model/],
  ['{"web_search":{"*":1}}', /file_search/],
  ['{"web_search":{"gpt":1},"file_search":{"*":1}}', /every other model/],
  ['{"web_search":{"*":-1},"file_search":{"*":1}}', /web_search/],
  ['{"web_search":{"*":"1"},"file_search":{"*":1}}', /web_search/],
  ['{"web_search":{"*":{"low":1}},"file_search":{"*":1}}', /web_search/],
  ['{"web_search":{"*":1},"file_search":{"*":1},"other":{"*":1}}', /other/],
])("%s is refused", (text, reason) => {
  expect(() => validateOption("ToolPrices", text, DEFAULTS)).toThrow(reason);
});

test("a name made to be slow to match is matched at once", () => {
  const pattern = "a*".repeat(60);
  const text = JSON.stringify({ web_search: { [pattern]: 1, "*": 2 }, file_search: { "*": 1 } });
  const options = parseOptions(new Map([["ToolPrices", text]]));
  // Time on the processor, so that a busy machine changes nothing; a search that tries every split takes minutes.
  const before = process.cpuUsage();
  expect(toolPrice(options, "web_search", `${"a".repeat(59)}${"b".repeat(20_000)}`)).toBe("2");
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});
