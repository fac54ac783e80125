/** Tests of typed top-up amounts, and of formatted money. */
import { expect, test } from "vitest";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import { quotaDisplay } from "../../../../contract/src/quota-display.ts";
import { amountOf, amountProblem, discountRate, moneyShown, quotaOf, sharedDecimals } from "./amount.ts";

const INFO: WalletInfo = {
  methods: [],
  amount_unit: "units",
  minimum: 5,
  presets: [],
  quota_per_unit: 500_000,
  group: "default",
  group_ratio: "1",
  top_up_link: "",
  discount: {},
  enable_online_topup: false,
  enable_stripe_topup: false,
  enable_auto_topup: false,
  pay_methods: [],
  min_topup: 5,
  stripe_min_topup: 5,
  amount_options: [],
};

test.each([
  ["10", 10],
  [" $1,000 ", 1000],
  ["0", undefined],
  ["1.5", undefined],
  ["-3", undefined],
  ["1e3", undefined],
  ["", undefined],
  ["9".repeat(16), undefined],
] as const)("%j is %j", (text, amount) => expect(amountOf(text)).toBe(amount));

test("an amount is a whole number of at least the minimum, in units or in quota", () => {
  expect(["4", "5", "x"].map((text) => amountProblem(text, INFO))).toEqual(["minimum", undefined, "form"]);
  expect(quotaOf(7, INFO)).toBe(3_500_000);
  expect(quotaOf(7, { ...INFO, amount_unit: "quota" })).toBe(7);
});

test("a discount is percent off, and tenths to pay in Chinese", () => {
  expect([0.95, 0.9, 0.885].map((share) => discountRate(share, "en"))).toEqual([5, 10, 11.5]);
  expect([0.95, 0.9, 0.885].map((share) => discountRate(share, "zh"))).toEqual([9.5, 9, 8.85]);
});

test("money keeps its decimals, whatever the currency", () => {
  expect(moneyShown("7.30", "CNY", "zh-CN")).toBe("¥7.30");
  expect(moneyShown("1200", "JPY", "en-US")).toBe("¥1,200");
  expect(moneyShown("7.30", "no code", "en-US")).toBe("7.30 no code");
});

test("amounts that stand under each other have the decimals that the finest of them needs", () => {
  const site = { quotaPerUnit: "500000", usdExchangeRate: "7.3", customSign: "", customRate: "1" };
  const dollars = quotaDisplay({ ...site, type: "USD" });
  expect(sharedDecimals([], dollars)).toBe(2);
  expect(sharedDecimals([1_000_000, -5_000, 0], dollars)).toBe(2);
  expect(sharedDecimals([1_000_000, -13_300], dollars)).toBe(4);
  expect(sharedDecimals([1_000_000, 13_300, -1], dollars)).toBe(6);
  expect(sharedDecimals([1], quotaDisplay({ ...site, type: "CNY" }))).toBe(6);
  expect(sharedDecimals([12_345], quotaDisplay({ ...site, type: "TOKENS" }))).toBe(2);
});
