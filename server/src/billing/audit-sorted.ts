/** Balances against the ledger for MySQL and MariaDB: both in one list that is sorted. A join with the sums makes them a table with a key, row by row, which takes several times as long. */

interface Summed {
  table: "users" | "tokens";
  /** The column of ledger and holds that names a row of the table. */
  by: "user_id" | "token_id";
  /** Column of the table to the one of the ledger that comes to it. */
  columns: Readonly<Record<string, string>>;
}

const SUMMED = {
  users: {
    table: "users",
    by: "user_id",
    columns: {
      quota: "quota_delta",
      used_quota: "used_delta",
      request_count: "request_delta",
      aff_quota: "aff_quota_delta",
    },
  },
  tokens: { table: "tokens", by: "token_id", columns: { remain_quota: "token_quota_delta", used_quota: "used_delta" } },
} as const satisfies Readonly<Record<string, Summed>>;

export type SummedTable = keyof typeof SUMMED;

/** The columns that are compared, in the order of `sortedStatement`; the last is what is held. */
export const summedColumns = (table: SummedTable): string[] => [...Object.keys(SUMMED[table].columns), "held"];

/**
 * A statement that gives rows of the table whose columns are not what ledger and holds come to: `key_0`, and `actual_` and `expected_` with a number for
 * each column. Entries of rows that are gone count for none.
 * @param limit of rows
 */
export function sortedStatement(name: SummedTable, limit: number): string {
  const { table, by, columns }: Summed = SUMMED[name];
  const pairs = [...Object.entries(columns), ["held", "held"] as const];
  /** The same columns in each part of the list: what stands there, and what it should be. */
  const part = (
    from: string,
    id: string,
    cellsOf: (own: string, posted: string) => readonly [string, string],
  ): string => {
    const cells = pairs.map(([own, posted], index) => {
      const [actual, expected] = cellsOf(own, posted);
      return `${actual} AS a_${index}, ${expected} AS e_${index}`;
    });
    return `SELECT ${id} AS id, ${from === table ? 1 : 0} AS is_there, ${cells.join(", ")} FROM ${from}`;
  };
  const parts = [
    part(table, "id", (own) => [own, "0"]),
    part("ledger", by, (own, posted) => ["0", own === "held" ? "0" : posted]),
    part("holds", by, (own) => ["0", own === "held" ? "amount" : "0"]),
  ];
  const sums = pairs.map((_, index) => `SUM(a_${index}) AS actual_${index}, SUM(e_${index}) AS expected_${index}`);
  const isWrong = pairs.map((_, index) => `SUM(a_${index}) <> SUM(e_${index})`);
  return `SELECT SQL_BIG_RESULT id AS key_0, ${sums.join(", ")} FROM (${parts.join(" UNION ALL ")}) both_sides
    GROUP BY id HAVING SUM(is_there) > 0 AND (${isWrong.join(" OR ")}) ORDER BY id LIMIT ${limit}`;
}
