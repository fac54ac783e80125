/** Tests of redemption codes as people see, search and save them. */
import { expect, test } from "vitest";
import { quotaViewOf } from "../../../ui/form/amount.ts";
import { codesFileName, codesText, givenBy, newForm, searchedText, shortCode } from "./code.ts";

const DOLLARS = quotaViewOf({ currency: { sign: "$", perUsd: "1" }, quotaPerUnit: "500000" });
const CODE = "3f9a0c11d2e84b56a1f09c3d7e6512be";

test("a list shows the two ends, and a search keeps no more than the last in the address", () => {
  expect(shortCode(CODE)).toBe("3f9a0c…12be");
  expect(searchedText(` ${CODE.toUpperCase()} `)).toBe("12be");
  expect(searchedText("spring")).toBe("spring");
});

test("the file has one code a line, under the name that they have", () => {
  expect(codesText(["a", "b"])).toBe("a\nb\n");
  expect(codesFileName("$1.00")).toBe("$1.00.txt");
  expect(codesFileName('../春季: "A/B"')).toBe("春季- -A-B.txt");
  expect(codesFileName("..")).toBe("codes.txt");
});

test("a form says what it gives away, and nothing while its amount or number is none", () => {
  const form = newForm(DOLLARS);
  expect(givenBy(form, DOLLARS)).toEqual({ count: 1, quota: 100_000, sum: 100_000 });
  expect(givenBy({ ...form, amount: "10", count: "50" }, DOLLARS)).toEqual({
    count: 50,
    quota: 5_000_000,
    sum: 250_000_000,
  });
  for (const wrong of [{ amount: "" }, { amount: "0" }, { count: "101" }, { count: "few" }])
    expect([wrong, givenBy({ ...form, ...wrong }, DOLLARS)]).toEqual([wrong, undefined]);
});
