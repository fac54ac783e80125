/** Checks the tree against its rules (tests/architecture/rules.ts); tests/architecture/planted.test.ts shows that each rule can fail. */
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { checkCycles } from "./architecture/cycle-rules.ts";
import {
  checkFolders,
  checkImports,
  checkPackages,
  checkRooms,
  checkSides,
  importsOf,
} from "./architecture/import-rules.ts";
import { checkLocales } from "./architecture/locale-rules.ts";
import { IMPORT_EXCEPTIONS, NAMED_ROOMS, PLAIN_FOLDERS, ZONES } from "./architecture/rules.ts";
import {
  checkFeatures,
  checkFolderSizes,
  checkDialects,
  checkHeads,
  checkMachinePaths,
  checkNames,
  checkProviders,
  checkPurity,
  checkReExports,
  checkShortFiles,
  checkSizes,
  checkSmallFolders,
} from "./architecture/structure-rules.ts";
import { missingOptional } from "../tools/complete-lockfile.mjs";
import { type Breach, printed, readTree, ROOT } from "./architecture/tree.ts";

const files = readTree();

const expectNone = (breaches: readonly Breach[]): void => {
  expect(printed(breaches)).toEqual([]);
};

test("the tree was read, and imports were found in it", () => {
  const imports = files.filter(({ path }) => path.startsWith("server/src/")).flatMap(({ text }) => importsOf(text));
  expect(files.length).toBeGreaterThan(50);
  expect(imports.length).toBeGreaterThan(50);
});

test("every import is in the table", () => expectNone(checkImports(files, ZONES, IMPORT_EXCEPTIONS)));

test("every reviewed import exception is still needed", () => {
  const unexcused = checkImports(files, ZONES).length - checkImports(files, ZONES, IMPORT_EXCEPTIONS).length;
  expect(unexcused).toBeGreaterThanOrEqual(IMPORT_EXCEPTIONS.length);
});

test("no import goes in a circle, not even of a type", () => expectNone(checkCycles(files)));

test("tests stay on their side of the wire", () => expectNone(checkSides(files)));

test("every folder is known", () => expectNone(checkFolders(files, ZONES, PLAIN_FOLDERS)));

test("every room of the relay has a row of its own", () => expectNone(checkRooms(files, ZONES, NAMED_ROOMS)));

test("production code uses production packages", () => {
  const listedIn = (path: string): string[] => {
    const { dependencies } = JSON.parse(readFileSync(`${ROOT}${path}`, "utf8")) as { dependencies: object };
    return Object.keys(dependencies);
  };
  const running = listedIn("package.json");
  expectNone(checkPackages(files, /^(?:server|contract)\/src\//, running));
  expectNone(checkPackages(files, /^web\//, [...running, ...listedIn("web/package.json")]));
});

test("the folders of vendors hold the files of their kind", () => expectNone(checkProviders(files)));

test("wire formats have the same files", () => expectNone(checkDialects(files)));

test("every feature has the same name on every side", () => expectNone(checkFeatures(files)));

test("both languages say the same", () => expectNone(checkLocales(files)));

test("every file opens with a sentence about itself", () => expectNone(checkHeads(files)));

test("no name is empty of meaning", () => expectNone(checkNames(files)));

test("no file is longer than the limit", () => expectNone(checkSizes(files)));

test("no file is too short without a reason", () => expectNone(checkShortFiles(files)));

test("no folder holds fewer files of code than make a folder", () => expectNone(checkSmallFolders(files)));

test("no folder holds more files of code than the limit", () => expectNone(checkFolderSizes(files)));

test("nothing names the machine it was written on", () => expectNone(checkMachinePaths(files)));

test("no document holds what a merge left in it", () => {
  const documents = ["", "docs/", "docs/decisions/"].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}${name}`),
  );
  // Written so that formatting, which makes quotes and tables of such lines, does not hide them.
  const left = /<{7} |>{7} |(?:> ){7}|^\| ={7} /m;
  expect(documents.length).toBeGreaterThan(10);
  expect(documents.filter((name) => left.test(readFileSync(`${ROOT}${name}`, "utf8")))).toEqual([]);
});

test("nothing is a barrel", () => expectNone(checkReExports(files)));

test("pure code is pure, and the environment is read in one place", () => expectNone(checkPurity(files)));

test("the lockfile is whole, names no download address, and package.json pins exact versions", () => {
  const lock = readFileSync(`${ROOT}package-lock.json`, "utf8");
  const { packages } = JSON.parse(lock) as { packages: Record<string, object> };
  const manifests = ["package.json", "web/package.json"].map(
    (path) => JSON.parse(readFileSync(`${ROOT}${path}`, "utf8")) as Record<string, Record<string, string>>,
  );
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
  const listed = manifests.flatMap((manifest) => kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {})));
  const loose = listed.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  expect([...missingOptional(packages).keys()]).toEqual([]);
  // The link to the workspace leads to its folder.
  expect(lock.replace('"resolved": "web"', "")).not.toContain('"resolved"');
  expect(loose).toEqual([]);
});
