/** Tests of the table of the security standard: each row has a state, a met one names existing tests, the others a reason. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const STATES = ["held", "not held", "not applicable"];
const TEST_FILE = /`((?:server|web|tests|contract)\/[^`]+\.test\.ts)`/g;

interface Row {
  number: string;
  what: string;
  state: string;
  by: string;
}

const rowsOf = (text: string): Row[] =>
  text
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => {
      const [, number = "", what = "", state = "", by = "", ...rest] = line.split("|").map((cell) => cell.trim());
      if (rest.length !== 1) throw new Error(`Not four cells: ${line}`);
      return { number, what, state, by };
    });

const namedTests = ({ by }: Row): string[] => [...by.matchAll(TEST_FILE)].map(([, file = ""]) => file);

function complaintsOf(row: Row): string[] {
  const { number, what, state, by } = row;
  const files = namedTests(row);
  return [
    ...(what === "" ? [`${number}: says nothing`] : []),
    ...(STATES.includes(state) ? [] : [`${number}: no state, but "${state}"`]),
    ...(state === "held" && files.length === 0 ? [`${number}: held by no test`] : []),
    ...(state !== "held" && by.length < 10 ? [`${number}: no reason`] : []),
    ...files
      .filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))
      .map((file) => `${number}: no ${file}`),
  ];
}

test("each row has a state, tests that exist or a reason, and all 17 chapters have rows", () => {
  const rows = rowsOf(readFileSync(new URL("../docs/asvs.md", import.meta.url), "utf8"));
  expect(rows.flatMap(complaintsOf)).toEqual([]);
  const chapters = new Set(rows.map(({ number }) => Number.parseInt(number, 10)));
  expect([...chapters].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
});

test("rows without state, test or reason are found", () => {
  const planted = ["| 1.1 | a |  | b |", "| 1.2 | a | held | by reading |", "| 1.3 | a | not held |  |"];
  planted.push("| 1.4 | a | held | `tests/no-such.test.ts` |", "| 1.5 |  | not applicable | there is none |");
  expect(rowsOf(planted.join("\n")).map((row) => complaintsOf(row).length)).toEqual([2, 1, 1, 1, 1]);
});
