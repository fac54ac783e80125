/** Imports one table with money: planned page by page, written behind, each row with the ledger entry of its balance in the source. */
import { numberIn } from "./cells.ts";
import { reported, writeBehind } from "./pages.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import type { SumsThere } from "./sums.ts";
import type { KnownSource } from "./systems.ts";
import { readTable } from "./tables.ts";
import { type Here, hereOf, type KnownRow, type MoneyRow, type MoneyTable, type Target, writePage } from "./target.ts";

/** What the stages of one import share. */
export interface Books {
  report: Report;
  sums: SumsThere;
  /** Numbers here of rows whose own number was taken, by their numbers there. */
  moved: Record<MoneyTable, Map<number, number>>;
  /** No import was begun on this database before. */
  isFirst: boolean;
}

export interface Stage<Table extends MoneyTable> {
  table: Table;
  /** Why a row does not come over; counted and listed. */
  refuses?: (row: SourceRow) => boolean;
  plan: (row: SourceRow) => MoneyRow<Table>;
  openingOf: (row: SourceRow) => KnownRow["opening"];
  amounts: (row: SourceRow) => Readonly<Record<string, number>>;
  /** Called with each page's numbers, by the numbers there. */
  onWritten?: (ids: ReadonlyMap<number, number>) => void;
}

const NUMBER_OF = { users: "user", tokens: "token", channels: "channel" } as const;

interface Prepared<Table extends MoneyTable> {
  rows: readonly (KnownRow | MoneyRow<Table>)[];
  /** Numbers here of those that are here, by their numbers there. */
  known: ReadonlyMap<number, number>;
  /** Those whose numbers rows of this database have. */
  taken: ReadonlySet<number>;
}

/** Plans those of the rows that are not here yet. */
async function prepareRows<Table extends MoneyTable>(
  { target, books: { sums }, stage, here }: Work<Table>,
  rows: readonly SourceRow[],
  taken: ReadonlySet<number>,
): Promise<Prepared<Table>> {
  const { table, plan, openingOf, amounts } = stage;
  const known = await here.known(
    target.database.kysely,
    rows.map((row) => numberIn(row, "id")),
  );
  const planned = rows.map((row) => {
    sums.add(table, amounts(row));
    const sourceId = numberIn(row, "id");
    return known.has(sourceId) ? { sourceId, opening: openingOf(row) } : plan(row);
  });
  return { rows: planned, known, taken };
}

async function writeRows<Table extends MoneyTable>(
  { target, books: { report, moved }, stage, here }: Work<Table>,
  { rows, known, taken }: Prepared<Table>,
): Promise<void> {
  const { table } = stage;
  const written = await writePage<Table>(target, { table, here, known }, rows);
  report.count(table, "brought", written.brought.length);
  report.count(table, "known", rows.length - written.brought.length);
  for (const [there, here] of written.ids) if (there !== here) moved[table].set(there, here);
  stage.onWritten?.(written.ids);
  for (const id of written.brought) {
    const isMoved = target.isDryRun ? taken.has(id) : written.ids.get(id) !== id;
    if (isMoved) report.add(`${NUMBER_OF[table]}_number_taken`, `#${id}`);
  }
}

interface Work<Table extends MoneyTable> {
  target: Target;
  books: Books;
  stage: Stage<Table>;
  here: Here;
}

/** Plans a page. Rows that get another number come first, and are written at once, so that what names them by it finds it. */
async function preparePage<Table extends MoneyTable>(
  work: Work<Table>,
  all: readonly SourceRow[],
  settled: () => Promise<void>,
): Promise<Prepared<Table> | undefined> {
  const { target, books, stage, here } = work;
  const rows = all.filter((row) => stage.refuses?.(row) !== true);
  books.report.count(stage.table, "refused", all.length - rows.length);
  // What a page before brought is asked for here.
  if (!books.isFirst) await settled();
  const ids = rows.map((row) => numberIn(row, "id"));
  const taken = await here.taken(target.database.kysely, ids);
  const moving = rows.filter((row) => taken.has(numberIn(row, "id")));
  if (moving.length > 0) {
    await settled();
    await writeRows(work, await prepareRows(work, moving, taken));
  }
  const staying = moving.length === 0 ? rows : rows.filter((row) => !taken.has(numberIn(row, "id")));
  return staying.length === 0 ? undefined : prepareRows(work, staying, taken);
}

/** Brings one table with money. Throws where an amount cannot be kept, or another import has begun meanwhile. */
export async function importTable<Table extends MoneyTable>(
  { source, target, progress }: { source: KnownSource; target: Target; progress: (line: string) => void },
  books: Books,
  stage: Stage<Table>,
): Promise<void> {
  const { table } = stage;
  const here = await hereOf(target, table, books.isFirst);
  const work: Work<Table> = { target, books, stage, here };
  const pages = readTable(source, table, books.report);
  await writeBehind<Prepared<Table>>(
    reported(pages, { table, total: await source.count(table) }, progress),
    (rows, settled) => preparePage(work, rows, settled),
    (prepared) => writeRows(work, prepared),
  );
}
