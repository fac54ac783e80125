/** Tests that the files which the short form keeps and leaves exist, and that each one left is covered by a file that it runs. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { KEPT_FOLDERS, keptIn, LEFT_TO_ALL } from "../support/soak/left-to-all.ts";

test("each file of a whole system that the short form keeps is there", () => {
  const kept = KEPT_FOLDERS.flatMap(keptIn);
  expect(kept.length).toBeGreaterThan(KEPT_FOLDERS.length);
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
});

test("each file of a faster level that it leaves out is there, and is held by a file that it runs", () => {
  const found = Object.entries(LEFT_TO_ALL).filter(
    ([file, { heldBy }]) => existsSync(file) && existsSync(heldBy) && LEFT_TO_ALL[heldBy] === undefined,
  );
  expect(found.map(([file]) => file)).toEqual(Object.keys(LEFT_TO_ALL));
});
