/** Amounts of balances: exact in any form, and in the currency of the site that was asked. */
import { expect, test } from "vitest";
import { amountIn, BalanceFault, currencyAbroad, less } from "./balance.ts";

test.each([
  ["110.00", "110"],
  [49.58894, "49.58894"],
  [1e-7, "0.0000001"],
  [-3, "-3"],
  [" 0.10 ", "0.1"],
])("%j is the amount %s", (value, amount) => expect(amountIn(value)).toBe(amount));

test.each([[undefined], [null], [""], ["1,5"], [Number.NaN], [Number.POSITIVE_INFINITY], [[]], ["0x10"]])(
  "%j is no amount",
  (value) => expect(() => amountIn(value)).toThrow(BalanceFault),
);

test("what was used is taken off without a rounding", () => {
  expect(less("0.3", "0.1")).toBe("0.2");
  expect(less("120.5", "1234.5678", "0.01")).toBe("108.154322");
});

test.each([
  ["https://api.moonshot.ai", "USD"],
  ["https://api.moonshot.cn/v1", "CNY"],
  ["https://relay.example", "CNY"],
  ["https://notmoonshot.ai", "CNY"],
])("%s counts in %s", (baseUrl, currency) => expect(currencyAbroad(baseUrl, ".moonshot.ai")).toBe(currency));
