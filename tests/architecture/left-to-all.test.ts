/** Tests that each file the short form excludes exists, and is covered by a file that it runs. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { LEFT_TO_ALL } from "../support/soak/left-to-all.ts";

test("each file that the short form leaves out is there, and is held by a file that it runs", () => {
  const found = Object.entries(LEFT_TO_ALL).filter(
    ([file, { heldBy }]) => existsSync(file) && existsSync(heldBy) && LEFT_TO_ALL[heldBy] === undefined,
  );
  expect(found.map(([file]) => file)).toEqual(Object.keys(LEFT_TO_ALL));
});
