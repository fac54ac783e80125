/** Pages are prepared while others are written, in their order, and a failure of either side is thrown once nothing is under way any more. */
import { expect, test } from "vitest";
import { writeBehind } from "./pages.ts";
import type { SourceRow } from "./source.ts";

async function* pagesOf(count: number): AsyncGenerator<readonly SourceRow[]> {
  for (let page = 1; page <= count; page += 1) yield [{ id: String(page) }];
}
const idOf = (rows: readonly SourceRow[]): string => rows[0]?.["id"] ?? "";

test("the next page is prepared while one is written, and written behind it", async () => {
  const acts: string[] = [];
  const isSecondPrepared = Promise.withResolvers<void>();
  await writeBehind(
    pagesOf(3),
    async (rows) => {
      acts.push(`prepare ${idOf(rows)}`);
      if (idOf(rows) === "2") isSecondPrepared.resolve();
      return idOf(rows);
    },
    async (page) => {
      acts.push(`write ${page}`);
      // It never comes where a page is prepared only once the one before it is written.
      await isSecondPrepared.promise;
      acts.push(`written ${page}`);
    },
  );
  const written = acts.filter((act) => !act.startsWith("prepare"));
  expect(written).toEqual(["write 1", "written 1", "write 2", "written 2", "write 3", "written 3"]);
  expect(acts.indexOf("prepare 2")).toBeLessThan(acts.indexOf("written 1"));
});

test("a page that waits for what was written before finds it, and one without rows is passed over", async () => {
  const written: string[] = [];
  const seen: number[] = [];
  await writeBehind(
    pagesOf(4),
    async (rows, settled) => {
      await settled();
      seen.push(written.length);
      return idOf(rows) === "3" ? undefined : idOf(rows);
    },
    async (page) => {
      await Promise.resolve();
      written.push(page);
    },
  );
  expect([seen, written]).toEqual([
    [0, 1, 2, 2],
    ["1", "2", "4"],
  ]);
});

test.each(["prepare", "write"] as const)(
  "a failure to %s the last page but one is thrown, and no page is written behind it",
  async (side) => {
    const written: string[] = [];
    const failOn = (name: string, page: string): void => {
      if (name === side && page === "2") throw new Error(`cannot ${name}`);
    };
    const ended = writeBehind(
      pagesOf(3),
      async (rows) => {
        failOn("prepare", idOf(rows));
        return idOf(rows);
      },
      async (page) => {
        await Promise.resolve();
        failOn("write", page);
        written.push(page);
      },
    );
    await expect(ended).rejects.toThrow(`cannot ${side}`);
    expect(written).toEqual(["1"]);
  },
);
