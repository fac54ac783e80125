/** Tests of order numbers: they are unique, and valid at every gateway. */
import { expect, test } from "vitest";
import { newTradeNumber } from "./payment-method.ts";

test("100,000 numbers of one second are 100,000, of letters that every gateway takes", () => {
  const now = Date.UTC(2026, 10, 23, 1, 2, 3);
  const numbers = new Set(Array.from({ length: 100_000 }, () => newTradeNumber(now)));
  expect(numbers.size).toBe(100_000);
  for (const number of numbers) if (!/^TP20261123010203[0-9A-Z]{16}$/.test(number)) throw new Error(number);
});
