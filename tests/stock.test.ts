/** Tests of the stock of databases of a run: each is taken once, returned ones are dropped, and none is left after its end. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepStock, leaveToStock, takeFromStock } from "./support/databases/stock.ts";

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-stock-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("each database is taken once, what is left to the stock is dropped soon, and all the others at its end", async () => {
  const folder = await place();
  const made: string[] = [];
  const dropped: string[] = [];
  const end = keepStock(
    folder,
    async (name) => void made.push(name),
    async (name) => void dropped.push(name),
  );
  const taken: string[] = [];
  await expect.poll(() => taken.push(...[takeFromStock(folder)].filter((name) => name !== undefined))).toBe(10);
  expect(new Set(taken).size).toBe(10);
  expect(leaveToStock(folder, taken[0] ?? "")).toBe(true);
  await expect.poll(() => dropped).toEqual([taken[0]]);
  for (const name of taken.slice(1)) leaveToStock(folder, name);
  await end();
  expect(dropped.toSorted()).toEqual(made.toSorted());
  expect(takeFromStock(folder)).toBeUndefined();
});

test("where there is no stock nothing is taken, and whoever is done with a database drops it", async () => {
  const folder = await place();
  expect(takeFromStock(folder)).toBeUndefined();
  expect(leaveToStock(folder, "any")).toBe(false);
});

test("a database that cannot be made is told at the end, and what is there is dropped all the same", async () => {
  const folder = await place();
  const dropped: string[] = [];
  let count = 0;
  const end = keepStock(
    folder,
    async () => {
      count += 1;
      if (count > 2) throw new Error("no room");
    },
    async (name) => void dropped.push(name),
  );
  await expect.poll(() => count).toBe(3);
  await expect(end()).rejects.toThrow("no room");
  expect(dropped).toHaveLength(2);
});
