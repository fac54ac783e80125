/** Impossible option values are refused with their position; accepted ones are stored and read back unchanged. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../tests/support/soak/short-or-long.ts";
import { AppError } from "../errors.ts";
import { OPTION_NAMES, optionDefinition, parseOptions, validateOption } from "./options.ts";

const DEFAULTS = parseOptions(new Map());

function refusal(name: string, value: string): AppError | undefined {
  try {
    validateOption(name, value, DEFAULTS);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const SPECIAL = "group_ratio_setting.group_special_usable_group";
const MOMENT = '"publishDate": "2026-01-31T12:00:00+08:00"';
const ADDRESS = '"route": "A", "description": "B", "color": "blue"';
const TIER = '"ratio": 1, "completion": 1, "cache": 1, "cache_creation": 1';

describe("a refusal names what is wrong, where it stands, and why", () => {
  test.each([
    ["ModelRatio", '{"gpt-4o": -1}', "smallest", "gpt-4o", 1, 12],
    ["ModelRatio", '{\n  "a": 1,\n  "gpt-4o": 1e308\n}', "number_size", "gpt-4o", 3, 13],
    ["ModelRatio", '{"gpt-4o": 1e9999}', "number_size", "gpt-4o", 1, 12],
    ["ModelRatio", '{"gpt-4o": 9007199254740993}', "largest", "gpt-4o", 1, 12],
    ["ModelRatio", '{"gpt-4o": NaN}', "json", "", 1, 12],
    ["ModelRatio", '{"gpt-4o": Infinity}', "json", "", 1, 12],
    ["ModelRatio", '{"gpt-4o": 1,\n "gpt-4o": 2}', "duplicate", "gpt-4o", 2, 2],
    ["ModelRatio", '{"gpt-4o": "1"}', "number", "gpt-4o", 1, 12],
    ["ModelRatio", '{"gpt-4o": true}', "number", "gpt-4o", 1, 12],
    ["ModelRatio", "[]", "map", "", 1, 1],
    ["ModelRatio", "", "json", "", 1, 1],
    ["ModelRatio", '{"a": 1, "__proto__": 2}', "reserved", "__proto__", 1, 10],
    [
      "ToolPrices",
      '{"web_search": {"*": {"low": 1, "medium": -2, "high": 3}}, "file_search": {"*": 1}}',
      "smallest",
      "web_search › * › medium",
      1,
      43,
    ],
    [
      "ToolPrices",
      '{"web_search": {"*": 1}, "file_search": {"*": 1}, "search": {"*": 1}}',
      "unknown_name",
      "search",
      1,
      51,
    ],
    ["ToolPrices", '{"web_search": {"a": 1}, "file_search": {"*": 1}}', "every_other_model", "web_search", 1, 16],
    ["ToolPrices", '{"web_search": {"*": 1}}', "map", "file_search", 1, 1],
    [
      "ToolPrices",
      '{"web_search": {"*": {"low": 1}}, "file_search": {"*": 1}}',
      "number",
      "web_search › * › medium",
      1,
      22,
    ],
    ["PremiumRatios", '{"speed_fast": {"*": 1, "*": 2}}', "duplicate", "*", 1, 25],
    ["ContextTiers", `{"m": [{"above": 0, ${TIER}}]}`, "tier_bound", "m › #1 › above", 1, 18],
    ["ContextTiers", `{"m": []}`, "tier_count", "m", 1, 7],
    ["GroupGroupRatio", '{"vip": {"default": -1}}', "smallest", "vip › default", 1, 21],
    ["GroupGroupRatio", '{"vip": {"default": "1"}}', "number", "vip › default", 1, 21],
    ["GroupGroupRatio", '{"vip": 0.5}', "map", "vip", 1, 9],
    ["GroupGroupRatio", '{"vip": {"default": 1000001}}', "largest", "vip › default", 1, 21],
    [SPECIAL, '{"vip": {"+:": "x"}}', "group_missing", "vip › +:", 1, 16],
    [SPECIAL, '{"vip": {"-:vip": ""}}', "own_group_taken", "vip › -:vip", 1, 19],
    [SPECIAL, '{"vip": {"+:a": "", "-:a": ""}}', "group_twice", "vip › -:a", 1, 28],
    [SPECIAL, '{"vip": {"a": "", "+:a": ""}}', "group_twice", "vip › +:a", 1, 26],
    [SPECIAL, '{"vip": {"a": 1}}', "text", "vip › a", 1, 15],
    [SPECIAL, '{"vip": ["a"]}', "map", "vip", 1, 9],
    ["GroupRatio", '{"default": 1, "vip": null}', "number", "vip", 1, 23],
    ["ModelRequestRateLimitGroup", '{"vip": [1]}', "two_numbers", "vip", 1, 9],
    ["ModelRequestRateLimitGroup", '{"vip": [-1, 1]}', "smallest", "vip › #1", 1, 10],
    ["ModelRequestRateLimitGroup", '{"vip": [9007199254740992, 1]}', "largest", "vip › #1", 1, 10],
    ["claude.default_max_tokens", '{"default": 1.5}', "whole", "default", 1, 13],
    ["claude.default_max_tokens", '{"default": 1e308}', "largest", "default", 1, 13],
    ["claude.model_headers_settings", '{"m": {"a b": ["x"]}}', "header_name", "m › a b", 1, 8],
    ["UserUsableGroups", '{"vip": 1}', "text", "vip", 1, 9],
    ["AutoGroups", '["default", {"a": 1, "a": 2}]', "text", "#2", 1, 13],
    ["Chats", '[{"A": "https://a.example"}, {"B": "javascript:x"}]', "link_scheme", "#2 › B", 1, 36],
    ["Chats", '[{"": "https://a.example"}]', "link_name", "#1 › ", 1, 3],
    ["Chats", '[{"A": "https://a.example", "B": "https://b.example"}]', "link_name", "#1", 1, 2],
    ["console_setting.announcements", `[{${MOMENT}}]`, "text", "#1 › content", 1, 2],
    ["console_setting.announcements", `[{"content": " ", ${MOMENT}}]`, "text", "#1 › content", 1, 14],
    [
      "console_setting.announcements",
      `[{"content": "${"x".repeat(501)}", ${MOMENT}}]`,
      "characters",
      "#1 › content",
      1,
      14,
    ],
    ["console_setting.announcements", `[{"content": "<script>", ${MOMENT}}]`, "active_text", "#1 › content", 1, 14],
    [
      "console_setting.announcements",
      '[{"content": "A", "publishDate": "2026-01-31"}]',
      "moment",
      "#1 › publishDate",
      1,
      34,
    ],
    ["console_setting.announcements", `[{"content": "A", "type": "loud", ${MOMENT}}]`, "choice", "#1 › type", 1, 27],
    ["console_setting.announcements", `[{"content": "A", "link": "", ${MOMENT}}]`, "unknown_name", "#1 › link", 1, 19],
    [
      "console_setting.announcements",
      `[${Array.from({ length: 101 }, () => `{"content":"A",${MOMENT}}`).join()}]`,
      "entries",
      "",
      1,
      1,
    ],
    ["console_setting.faq", '[{"question": "A", "answer": "[a](javascript:b)"}]', "active_text", "#1 › answer", 1, 30],
    ["console_setting.faq", '{"question": "A"}', "list", "", 1, 1],
    ["console_setting.api_info", `[{"url": "ftp://a.example", ${ADDRESS}}]`, "web_address", "#1 › url", 1, 10],
    ["console_setting.api_info", `[{"url": "https://a:b@c.example", ${ADDRESS}}]`, "address_login", "#1 › url", 1, 10],
    [
      "console_setting.api_info",
      '[{"url": "https://a.example", "route": "A", "description": "B"}]',
      "choice",
      "#1 › color",
      1,
      2,
    ],
  ])("%s = %s: %s", (name, text, reason, path, line, column) => {
    expect(refusal(name, text)).toMatchObject({
      code: "option_invalid",
      field: name,
      values: { reason, path, line, column },
    });
  });

  test("in a sentence", () => {
    expect(refusal("ModelRatio", '{"gpt-4o": -1}')?.message).toBe(
      "gpt-4o: The smallest value is 0 (line 1, column 12)",
    );
    expect(refusal("ModelRatio", "{")?.message).toBe("Not a valid JSON string (line 1, column 2)");
    expect(refusal("GroupRatio", '{"v\u202eip": 1, "default": 1}')).toMatchObject({
      code: "name_characters",
      values: { path: "v\ufffdip", line: 1, column: 2 },
    });
  });

  test("with the bound that a list or a text is over", () => {
    const many = JSON.stringify(Array.from({ length: 51 }, () => ({ question: "A", answer: "B" })));
    expect(refusal("console_setting.faq", many)?.values).toMatchObject({ reason: "entries", maximum: 50 });
    const long = JSON.stringify([{ question: "A".repeat(201), answer: "B" }]);
    expect(refusal("console_setting.faq", long)?.values).toMatchObject({ reason: "characters", maximum: 200 });
  });

  test("for values that are no JSON too", () => {
    expect(refusal("SMTPPort", "65536")?.values).toEqual({ reason: "largest", maximum: 65_535 });
    expect(refusal("Price", "7.333")?.values).toEqual({ reason: "decimals", decimals: 2 });
    expect(refusal("GitHubOAuthEnabled", "true")?.values).toEqual({ reason: "set_first", option: "GitHubClientId" });
  });

  test("the bound of a tier is no ratio: two million tokens are accepted", () => {
    expect(refusal("ContextTiers", `{"m": [{"above": 2000000, ${TIER}}]}`)).toBeUndefined();
  });

  test("a name that was stored twice before is read on, so that no price falls back to another", () => {
    expect(parseOptions(new Map([["ModelRatio", '{"m": 1, "m": 2}']])).ModelRatio["m"]).toBe("2");
  });
});

const JSON_NAMES = OPTION_NAMES.filter((name) => optionDefinition(name).kind === "json");

/** Spellings of numbers and other values, sound and broken ones. */
const spelling = fc.oneof(
  fc.constantFrom(
    "NaN",
    "-1",
    "1e308",
    "9007199254740993",
    "-0",
    "1e-7",
    "0.10",
    "null",
    '"1"',
    "[]",
    "{}",
    "01",
    "+1",
  ),
  fc.double({ noNaN: true }).map(String),
  fc.json({ maxDepth: 2 }),
);
const name = fc.oneof(
  fc.constantFrom("default", "*", "web_search", "file_search", "__proto__", "constructor", "above", "speed_fast", ""),
  fc.string({ maxLength: 12 }),
);
const map = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(fc.tuple(name, value), { maxLength: 4 }).map((pairs) => {
    const members = pairs.map(([key, text]) => `${JSON.stringify(key)}: ${text}`);
    return `{${members.join(",\n ")}}`;
  });
const list = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(value, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`);
const structured = fc.oneof(
  map(spelling),
  map(map(spelling)),
  list(spelling),
  list(map(spelling)),
  map(list(map(spelling))),
);
/** The default with a piece cut out and another put in. */
const mended = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(6), fc.oneof(spelling, fc.string({ maxLength: 6 })))
    .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length));

/** The value with every number as a number again, to be compared with what JSON.parse reads. */
const plain = (value: unknown): unknown => {
  if (typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value))) return Number(value) + 0;
  if (typeof value === "number") return value + 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

describe.each(JSON_NAMES)("any text for %s", (option) => {
  const { defaultText, read } = optionDefinition(option);
  const anyText = fc.oneof(
    { weight: 1, arbitrary: fc.string() },
    { weight: 4, arbitrary: structured },
    { weight: 4, arbitrary: mended(defaultText) },
  );
  test("is refused with a place inside it, or stored and read back the same", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const refused = refusal(option, text);
        if (refused === undefined) {
          const { normalised } = validateOption(option, text, DEFAULTS);
          expect(read(normalised)).toEqual(read(text));
          expect(plain(read(normalised).value)).toMatchObject(plain(JSON.parse(text)) as object);
          return;
        }
        const lines = text.split("\n");
        const { line, column } = refused.values as { line: number; column: number };
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
        expect(refused.message).toContain(`(line ${line}, column ${column})`);
      }),
      { numRuns: runs(150) },
    );
  });
});
