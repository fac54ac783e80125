/** Tests of the texts of numbers: money has the digits it needs, times below a second are milliseconds, and days to come are not cut short. */
import { beforeAll, expect, test, vi } from "vitest";
import type * as Format from "./format.ts";

const stored = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
  removeItem: (key: string) => stored.delete(key),
});
vi.stubGlobal("navigator", { language: "en" });

let format: typeof Format;
beforeAll(async () => {
  stored.set("status", JSON.stringify({ quota_per_unit: 500_000, display_in_currency: true }));
  format = await import("./format.ts");
});

test("an amount without given decimals has as many as it needs, and is never rounded to nothing", () => {
  const quotas = [0, 0.2, 1, 400, 1200, 4_850, 6_170, 617_000, 5_000_000, -1200];
  expect(quotas.map((quota) => format.formatQuota(quota))).toEqual([
    "$0.00",
    "<$0.000001",
    "$0.000002",
    "$0.000800",
    "$0.0024",
    "$0.0097",
    "$0.0123",
    "$1.23",
    "$10.00",
    "−$0.0024",
  ]);
  expect(format.formatQuota(1200, 2)).toBe("$0.00");
});

test("a share never reads as nothing where it is something", () => {
  expect([0.001, 0, 0.4, 1].map(format.formatPercent)).toEqual(["<1%", "0%", "40%", "100%"]);
});

test("durations below a second are in milliseconds, longer ones in seconds", () => {
  expect(
    [0, 0.4, 20, 999, 999.4, 999.6, 1000, 6240, 118_400, 3_723_400].map((ms) => format.formatDurationMs(ms)),
  ).toEqual(["0 ms", "0 ms", "20 ms", "999 ms", "999 ms", "1.0 s", "1.0 s", "6.2 s", "118.4 s", "3,723 s"]);
  expect(format.formatDurationMs(1904, 2)).toBe("1.90 s");
});

test("what lies ahead is rounded to the nearest unit, what is over is counted when it is full", () => {
  const day = 86_400;
  expect(
    [30 * day - 61, 30 * day, 1.4 * day, 23.7 * 3600, 59.6 * 60, 3599, 45, 0].map(format.formatRelativeSeconds),
  ).toEqual(["in 30 days", "in 30 days", "in 1 day", "in 1 day", "in 1 h", "in 1 h", "in 45 s", "0 s ago"]);
  expect([-59, -119, -3599, -2 * day + 1].map(format.formatRelativeSeconds)).toEqual([
    "59 s ago",
    "1 min ago",
    "59 min ago",
    "1 day ago",
  ]);
});

test("Chinese times have a space between the figure and its unit, as its other texts have", async () => {
  const { setLanguage } = await import("./i18n.ts");
  vi.stubGlobal("document", { documentElement: {} });
  await setLanguage("zh");
  const distances = [-17, -180, -7200, -86_400, 26 * 86_400];
  expect(distances.map(format.formatRelativeSeconds)).toEqual(["17 秒前", "3 分钟前", "2 小时前", "1 天前", "26 天后"]);
  await setLanguage("en");
});
