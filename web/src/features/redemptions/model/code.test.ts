/** What people see, search and keep of redemption codes. */
import { expect, test } from "vitest";
import { codesFileName, codesText, searchedText, shortCode } from "./code.ts";

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
