/** Tests of the search text for the address, which never holds a whole key. */
import { expect, test } from "vitest";
import { searchedText } from "./key.ts";

const KEY = `${"Vx71".padEnd(44, "a")}0aD4`;

test("a key that is pasted into the search never stands in the address; its end finds it", () => {
  expect(searchedText(`sk-${KEY}`)).toBe("sk-0aD4");
  expect(searchedText(KEY)).toBe("sk-0aD4");
  expect(searchedText("sk-Vx71aaa")).not.toContain("Vx71");
});

test("names and the ends of keys are searched unchanged", () => {
  for (const text of ["ci-evals", "", "sk-", "sk-0aD4", "a name of more than forty letters, which is no key"])
    expect(searchedText(text)).toBe(text);
});
