/** Pages of a source: a server reads the rows of each page and no others, also without statistics and beside an index of the asked column. */
import { describe, expect, test } from "vitest";
import { engines } from "../../../tests/support/databases/databases.ts";
import { makeOldGateway, numbersTo } from "../../../tests/support/old-systems/old-gateway.ts";
import { readAddress } from "./address.ts";
import { openSource, type Source } from "./source.ts";

const SERVERS = (await engines()).filter((engine) => engine !== "sqlite");
const ROWS = 12_000;

/** Rows of `logs` that the server has looked at in this session. */
async function looked(source: Source): Promise<number> {
  const [row] =
    source.engine === "postgres"
      ? await source.select(`SELECT pg_stat_get_xact_tuples_fetched('logs'::regclass)
          + pg_stat_get_xact_tuples_returned('logs'::regclass) AS looked`)
      : await source.select(`SELECT CAST(SUM(VARIABLE_VALUE) AS CHAR) AS looked FROM information_schema.SESSION_STATUS
          WHERE VARIABLE_NAME IN ('HANDLER_READ_KEY', 'HANDLER_READ_NEXT', 'HANDLER_READ_RND', 'HANDLER_READ_RND_NEXT')`);
  return Number(row?.["looked"]);
}

describe.each(SERVERS)("a source on %s", (engine) => {
  test("reads each row of the log for one page", async () => {
    const old = await makeOldGateway(engine, { logs: "id:id created_at type" }, {});
    await old.run(
      `INSERT INTO logs (id, created_at, type) SELECT n, 1700000000 + n, 2 FROM ${numbersTo(engine, ROWS)}`,
      "CREATE INDEX by_time ON logs (created_at, type)",
    );
    const source = await openSource(readAddress(old.address));
    try {
      const wanted = {
        columns: ["id", "created_at"],
        column: "created_at",
        from: 1_700_000_000,
        before: 2_000_000_000,
      };
      const { total, pages } = await source.between("logs", wanted);
      const before = await looked(source);
      let read = 0;
      for await (const rows of pages) read += rows.length;
      expect([total, read]).toEqual([ROWS, ROWS]);
      // PostgreSQL counts an entry of the index and its row.
      expect((await looked(source)) - before).toBeLessThan(ROWS * 2.5);
    } finally {
      await source.close();
      await old.remove();
    }
  });
});
