/** Tests of the texts of log events, in the page's language; rows of earlier versions keep theirs. */
import { beforeAll, expect, test, vi } from "vitest";
import en from "../../../locales/en/logs.json" with { type: "json" };
import zh from "../../../locales/zh/logs.json" with { type: "json" };
import type * as I18n from "../../../lib/i18n.ts";
import type * as EventText from "./event-text.ts";
import type { LogRow } from "./log-row.ts";

vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
vi.stubGlobal("navigator", { language: "en" });

let texts: typeof EventText;
let i18n: typeof I18n;
beforeAll(async () => {
  texts = await import("./event-text.ts");
  i18n = await import("../../../lib/i18n.ts");
  i18n.addTexts("en", "logs", en);
  i18n.addTexts("zh", "logs", zh);
});

const rowOf = (event: object, more: object = {}): LogRow =>
  ({ type: 4, use_time_ms: 0, content: "as it was written", other: JSON.stringify({ event, ...more }) }) as LogRow;
const inLanguage = (language: I18n.Language, row: LogRow) => texts.eventText(i18n.translator("logs", language), row);

const TESTED = { code: "channels_tested", values: { count: 12, passed: 9, failed: 3 } };
const FAILED = { code: "channel_test_failed", values: { name: "a", id: 7, reason: "status code: 401" } };

test.each([
  [TESTED, "Tested 12 channels: 9 passed, 3 failed", "测试了 12 个渠道：9 个通过，3 个失败"],
  [FAILED, 'Test of channel "a" (#7) failed: status code: 401', "渠道“a”（#7）测试失败：status code: 401"],
  [{ code: "channels_deleted", values: { count: 1 } }, "Deleted 1 channel", "删除了 1 个渠道"],
  [
    { code: "channels_created", values: { count: 2, name: "b", ids: [3, 4] } },
    'Created 2 channels "b" (#3, #4)',
    "创建了 2 个渠道“b”（#3, #4）",
  ],
  [{ code: "of_a_later_version", values: {} }, "as it was written", "as it was written"],
  [{}, "as it was written", "as it was written"],
])("%j", (event, english, chinese) => {
  const row = rowOf(event);
  expect(inLanguage("en", row).replaceAll("&quot;", '"')).toBe(english);
  expect(inLanguage("zh", row)).toBe(chinese);
});

test("a number of entries and a moment are written as the reader writes them", () => {
  const row = rowOf({ code: "logs_cleared", values: { count: 12_345, before: 1_800_000_000 } });
  expect(inLanguage("en", row)).toMatch(/^Cleared 12,345 log entries from before .*2027/);
});

test("what failed is red, what passed is quiet, and an act is neither", () => {
  expect(texts.eventTone(rowOf(FAILED, { is_test: true }))).toBe("failure");
  expect(texts.eventTone(rowOf(TESTED, { is_test: true }))).toBeUndefined();
  const passed = { ...TESTED, values: { count: 9, passed: 9, failed: 0 } };
  expect(texts.eventTone(rowOf(passed, { is_test: true }))).toBe("quiet");
  expect(texts.eventTone(rowOf({ code: "ratios_reset", values: {} }))).toBeUndefined();
});
