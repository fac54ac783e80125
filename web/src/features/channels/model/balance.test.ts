/** Tests of shown balances: currencies are never added up, and a warning fits the currency. */
import { expect, test } from "vitest";
import { balanceSums, formatMoney, hasBalance, isLow, wasAsked } from "./balance.ts";
import { aChannel } from "./sample.ts";

const failure = { code: "timeout", values: { seconds: 30 }, time: 5 } as const;
const told = (balance: number, balance_currency = "USD") =>
  aChannel({ balance, balance_currency, balance_updated_time: 9 });

test("a failure is something to show and no balance", () => {
  expect([wasAsked(aChannel()), hasBalance(aChannel())]).toEqual([false, false]);
  const failed = aChannel({ balance_failure: failure });
  expect([wasAsked(failed), hasBalance(failed)]).toEqual([true, false]);
});

test("sums are kept apart by currency, and only of what is known", () => {
  expect(balanceSums([aChannel(), aChannel({ balance: 5 })])).toEqual([]);
  expect(balanceSums([told(1.5), told(-1, "CNY"), told(2), aChannel()])).toEqual([
    { currency: "USD", amount: 3.5 },
    { currency: "CNY", amount: -1 },
  ]);
});

test.each([
  [9.99, "USD", true],
  [10, "USD", false],
  [69, "CNY", true],
  [70, "CNY", false],
  [1, "EUR", false],
  [0, "EUR", true],
  [-3, "USD", true],
])("%d %s is low: %s", (balance, balance_currency, expected) =>
  expect(isLow({ balance, balance_currency })).toBe(expected),
);

test("an amount in a currency of its own has that currency's sign or code, and a real minus", () => {
  const told = [
    [110.354, "CNY"],
    [-3, "CNY"],
    [1234.5, "USD"],
    [9.1, "EUR"],
    [-0.5, "EUR"],
    [0, "USD"],
  ] as const;
  expect(told.map(([amount, currency]) => formatMoney(amount, currency))).toEqual([
    "¥110.35",
    "−¥3.00",
    "$1,234.50",
    "9.10 EUR",
    "−0.50 EUR",
    "$0.00",
  ]);
});
