/** Promises of the order of test files: projects stay whole, so that workers are kept, and no file is lost. */
import { expect, test } from "vitest";
import { byProject } from "./test-order.ts";

const project = (name: string, isolate: boolean) => ({ name, config: { isolate } });
const PURE = project("pure", false);
const BROWSER = project("browser", false);
const FAULTS = project("faults", true);
const of = (owner: typeof PURE, name: string) => ({ project: owner, name });

test("files with processes of their own come first, then whole projects from the last to the first, each in its own order", () => {
  const files = [of(PURE, "a"), of(BROWSER, "1"), of(FAULTS, "x"), of(PURE, "b"), of(BROWSER, "2"), of(FAULTS, "y")];
  const names = (given: readonly { name: string }[]) => given.map(({ name }) => name).join(" ");
  expect(names(byProject(files, [PURE, BROWSER, FAULTS]))).toBe("x y 1 2 a b");
  expect(names(byProject(files.slice(0, 2), [PURE, BROWSER, FAULTS]))).toBe("1 a");
  expect(byProject([], [PURE])).toEqual([]);
});
