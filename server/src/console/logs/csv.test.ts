/** CSV cells: quoted as RFC 4180 says, and never a formula, whatever a caller put into a name. */
import { expect, test } from "vitest";
import { csvCell, csvLine } from "./export.ts";

test.each([
  ["plain", "plain"],
  ["", ""],
  ["=1+1", "'=1+1"],
  ["+49", "'+49"],
  ["-2", "'-2"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\tx", "'\tx"],
  ["\rx", `"'\rx"`],
  ['=cmd|"x"', `"'=cmd|""x"""`],
  ["  =1", "'  =1"],
  ["＝1+1", "'＝1+1"],
  ["name;=HYPERLINK(1)", "name;'=HYPERLINK(1)"],
  ["name;  @x;-1;b", "name;'  @x;'-1;b"],
  ["two\n=lines", `"two\n'=lines"`],
  ["a=b; c - d", "a=b; c - d"],
  ["a,b", '"a,b"'],
  ["two\nlines", '"two\nlines"'],
  ['say "no"', '"say ""no"""'],
])("%j is written as %j", (text, cell) => expect(csvCell(text)).toBe(cell));

test("numbers keep their sign, records end with CR LF", () => {
  expect(csvLine([-5, true, "x"])).toBe("-5,true,x\r\n");
});
