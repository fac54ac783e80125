/** Tests of the short form: the choices that stand for the others are always the same, and every choice is run by some file. */
import { expect, test } from "vitest";
import { shortEngines } from "./support/databases/databases.ts";
import { everyFourth, inTurn } from "./support/soak/short-or-long.ts";

const PATHS = Array.from({ length: 100 }, (_, index) => `server/src/room-${index % 7}/file-${index}.test.ts`);

test("what falls to a path is always the same, and each choice falls to a third of the paths or more", () => {
  const fallen = PATHS.flatMap((path) => inTurn(path, ["a", "b"]));
  expect(PATHS.flatMap((path) => inTurn(path, ["a", "b"]))).toEqual(fallen);
  for (const choice of ["a", "b"]) expect(fallen.filter((each) => each === choice).length).toBeGreaterThan(33);
  expect(inTurn("a path", [])).toEqual([]);
});

test("of many choices every fourth stands for the others, and of few at least one", () => {
  expect(everyFourth([0, 1, 2, 3, 4, 5, 6, 7, 8])).toEqual([0, 4, 8]);
  expect(everyFourth(["only"])).toEqual(["only"]);
  expect(everyFourth([])).toEqual([]);
});

test("a file runs on SQLite and one other engine, on the one that is here where there is one only, and each on its own", () => {
  const all = PATHS.map((path) => shortEngines(["sqlite", "postgres", "mysql"], path).join(" "));
  expect(new Set(all)).toEqual(new Set(["sqlite postgres", "sqlite mysql"]));
  expect(shortEngines(["sqlite", "mysql"], "a")).toEqual(["sqlite", "mysql"]);
  expect(shortEngines(["sqlite"], "a")).toEqual(["sqlite"]);
});

test("a file of the whole system or of a feature runs on one engine of those that are here, and each engine has its files", () => {
  for (const level of ["tests/faults", "tests/attacks", "server/src/console/tokens", "server/src/notify"]) {
    const all = PATHS.map((_, index) => shortEngines(["sqlite", "postgres", "mysql"], `${level}/${index}.test.ts`));
    expect(all.filter((engines) => engines.length !== 1)).toEqual([]);
    expect(new Set(all.flat())).toEqual(new Set(["sqlite", "postgres", "mysql"]));
    expect(shortEngines(["sqlite"], `${level}/a.test.ts`)).toEqual(["sqlite"]);
  }
});

test("what moves money runs on SQLite and another engine, and so does a feature whose file is named", () => {
  for (const folder of ["billing", "console/wallet", "console/redemptions", "console/groups"])
    expect(shortEngines(["sqlite", "mysql"], `server/src/${folder}/a.test.ts`)).toEqual(["sqlite", "mysql"]);
  expect(shortEngines(["sqlite", "mysql"], "server/src/console/tokens/a.test.ts", true)).toEqual(["sqlite", "mysql"]);
});
