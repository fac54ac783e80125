/** The proof of an import: the sums of the source's rows beside those of the ledger's opening entries. */
import { sql } from "kysely";
import { type MoneyTable, type Target, entryPrefix } from "./target.ts";

/** Sums of one column, exact. */
export interface SumPair {
  column: string;
  rows: { there: number; here: number };
  there: string;
  here: string;
  isEqual: boolean;
}

/** Columns of money and use, with the column of the ledger that says the same. */
export const COLUMNS = {
  users: {
    quota: "quota_delta",
    used_quota: "used_delta",
    request_count: "request_delta",
    aff_quota: "aff_quota_delta",
  },
  tokens: { remain_quota: "token_quota_delta", used_quota: "used_delta" },
  channels: { used_quota: "used_delta" },
} as const satisfies Record<MoneyTable, Readonly<Record<string, string>>>;

type Amounts = Readonly<Record<string, number>>;

/** Adds up the rows that come over, while they are read. */
export class SumsThere {
  readonly #sums = new Map<string, bigint>();
  readonly #rows = new Map<MoneyTable, number>();

  add(table: MoneyTable, amounts: Amounts): void {
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + 1);
    for (const column of Object.keys(COLUMNS[table])) {
      const name = `${table}.${column}`;
      this.#sums.set(name, (this.#sums.get(name) ?? 0n) + BigInt(amounts[column] ?? 0));
    }
  }

  of(table: MoneyTable, column: string): bigint {
    return this.#sums.get(`${table}.${column}`) ?? 0n;
  }

  rows(table: MoneyTable): number {
    return this.#rows.get(table) ?? 0;
  }
}

/** Entries that are about a table: what a user used is in his own entry and in those of his tokens. */
const entriesOf = (table: MoneyTable, column: string): readonly MoneyTable[] =>
  table === "users" && column === "used_quota" ? ["users", "tokens"] : [table];

const THING_COLUMNS = { users: "user_id", tokens: "token_id", channels: "channel_id" } as const;

interface SumHere {
  total: bigint;
  /** How many rows the entries are about. */
  things: number;
}

/** Sums of the openings by column, each list of entries read once. */
async function sumsHere({ database, origin }: Target, table: MoneyTable): Promise<Map<string, SumHere>> {
  const found = new Map<string, SumHere>();
  const lists = Map.groupBy(Object.entries(COLUMNS[table]), ([column]) => entriesOf(table, column).join());
  for (const columns of lists.values()) {
    const ways = entriesOf(table, columns[0]?.[0] ?? "").map(
      (each) => sql`entry_id LIKE ${`${entryPrefix(origin, each)}%`}`,
    );
    const sums = columns.map(([column, posted]) => sql`COALESCE(SUM(${sql.ref(posted)}), 0) AS ${sql.ref(column)}`);
    const { rows } = await sql<Record<string, number | string>>`SELECT ${sql.join(sums)},
        COUNT(DISTINCT ${sql.ref(THING_COLUMNS[table])}) AS things
      FROM ledger WHERE kind = 'opening' AND (${sql.join(ways, sql` OR `)})`.execute(database.kysely);
    for (const [column] of columns)
      found.set(column, { total: BigInt(rows[0]?.[column] ?? 0), things: Number(rows[0]?.["things"] ?? 0) });
  }
  return found;
}

/** Ledger sums of rows that the source has no more. */
interface LeftOut {
  ids: Readonly<Record<MoneyTable, readonly number[]>>;
  sums: ReadonlyMap<string, bigint>;
}

/** Compares both sides; in a dry run with what would be there. */
export async function compareSums(target: Target, there: SumsThere, gone: LeftOut): Promise<SumPair[]> {
  const pairs: SumPair[] = [];
  for (const table of Object.keys(COLUMNS) as MoneyTable[]) {
    const here = target.isDryRun ? new Map<string, SumHere>() : await sumsHere(target, table);
    for (const column of Object.keys(COLUMNS[table])) {
      const sum = there.of(table, column);
      const posted = here.get(column) ?? { total: 0n, things: 0 };
      const [total, things] = target.isDryRun
        ? [sum, there.rows(table)]
        : [posted.total - (gone.sums.get(`${table}.${column}`) ?? 0n), posted.things - gone.ids[table].length];
      pairs.push({
        column: `${table}.${column}`,
        rows: { there: there.rows(table), here: things },
        there: String(sum),
        here: String(total),
        isEqual: sum === total && things === there.rows(table),
      });
    }
  }
  return pairs;
}
