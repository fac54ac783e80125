/** Reads the rows of a table page after page, so that no single answer of the database is huge. */

/** Rows fetched at a time. */
const PAGE_ROWS = 5_000;

type Fetch<Row> = (afterId: number, limit: number) => Promise<Row[]>;

/** All rows that `fetch` finds, page after page by id. */
export async function forEachPage<Row extends { id: number }>(
  fetch: Fetch<Row>,
  apply: (rows: readonly Row[]) => void,
  pageRows = PAGE_ROWS,
): Promise<void> {
  for (let afterId = 0; ;) {
    const rows = await fetch(afterId, pageRows);
    apply(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    afterId = last.id;
  }
}
