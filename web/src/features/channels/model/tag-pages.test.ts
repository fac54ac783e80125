/** Tests of the pages in tag mode: every channel stands on one of them, once, tags before those without one. */
import { expect, test } from "vitest";
import { aChannel } from "./sample.ts";
import { joinedPage } from "./tag-pages.ts";

/** 250 channels: `tags` tags with three channels each, the others without one. */
function site(tags: number) {
  const tagged = Array.from({ length: tags }, (_, tag) =>
    [0, 1, 2].map((place) => aChannel({ id: tag * 3 + place + 1, tag: `tag-${String(tag).padStart(2, "0")}` })),
  );
  const untagged = Array.from({ length: 250 - tags * 3 }, (_, place) =>
    aChannel({ id: tags * 3 + place + 1, tag: "" }),
  );
  const listOf =
    <Row>(rows: readonly Row[], size: number) =>
    (p: number) =>
      Promise.resolve({ rows: rows.slice(p * size, (p + 1) * size), total: rows.length });
  return (page: number, size: number) =>
    joinedPage(
      { page, size },
      async (p) => {
        const { rows, total } = await listOf(tagged, size)(p);
        return { rows: rows.flat(), total };
      },
      listOf(untagged, size),
    );
}

test.each([0, 7, 20, 33, 80])(
  "all 250 channels stand on the pages once, whatever their size (%i tags)",
  async (tags) => {
    const pageOf = site(tags);
    for (const size of [1, 10, 20, 50, 100]) {
      const { total, untagged } = await pageOf(1, size);
      expect({ total, untagged }).toEqual({ total: 250 - tags * 2, untagged: 250 - tags * 3 });
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(total / size) }, (_, index) => pageOf(index + 1, size)),
      );
      expect(pages.flatMap(({ channels }) => channels.map(({ id }) => id))).toEqual(
        Array.from({ length: 250 }, (_, index) => index + 1),
      );
      const rowsOf = (channels: readonly { tag: string }[]) =>
        new Set(channels.map(({ tag }) => tag).filter((tag) => tag !== "")).size +
        channels.filter(({ tag }) => tag === "").length;
      expect(pages.slice(0, -1).every(({ channels }) => rowsOf(channels) === size)).toBe(true);
    }
  },
);

test("behind the last page there is nothing, and it is still known how many there are", async () => {
  expect(await site(7)(100, 10)).toEqual({ channels: [], total: 236, untagged: 229 });
});
