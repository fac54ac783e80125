/** Many rows in one statement, for work that comes in pages: inserted, or changed by amounts, at the least cost that each engine has. */
import { CompiledQuery, type Insertable, sql, type Transaction } from "kysely";
import { assertBindable } from "./bindable.ts";
import type { Engine } from "./database.ts";
import { loadRows } from "./engines/mysql-load.ts";
import { RowsOfText } from "./engines/rows-of-text.ts";
import { RowsOfValues } from "./engines/sqlite-protocol.ts";
import { quoteName } from "./migrations/columns.ts";
import type { Schema } from "./schema.ts";

/** MySQL takes 65,535 parameters in a statement. */
const PARAMETERS_MAX = 30_000;

/** Fewer are not worth the statements around them. */
const ROWS_TO_LOAD = 100;

/** Texts of inserts by table and columns and count: the last page alone has another count. */
const texts = new Map<string, string>();
const TEXTS_MAX = 100;

function insertText(table: string, columns: readonly string[], count: number, engine: Engine = "mysql"): string {
  const name = `${engine} ${table} ${count} ${columns.join(",")}`;
  const known = texts.get(name);
  if (known !== undefined) return known;
  const row = `(${columns.map(() => "?").join(",")})`;
  const list = columns.map((column) => quoteName(engine, column)).join(",");
  const text = `INSERT INTO ${quoteName(engine, table)} (${list}) VALUES ${Array.from({ length: count }, () => row).join(",")}`;
  if (texts.size >= TEXTS_MAX) texts.clear();
  texts.set(name, text);
  return text;
}

/** PostgreSQL reads the rows from lines of text: a third of what their values in one JSON text cost it. */
async function copyRows(
  transaction: Transaction<Schema>,
  table: string,
  { columns, rows }: { columns: readonly string[]; rows: readonly (readonly unknown[])[] },
): Promise<void> {
  const list = columns.map((column) => quoteName("postgres", column)).join(", ");
  const text = `COPY ${quoteName("postgres", table)} (${list}) FROM STDIN`;
  await transaction.executeQuery(CompiledQuery.raw(text, [new RowsOfText(rows)]));
}

/** MySQL reads them as values of one statement where it takes no lines of text, at twice the cost. */
async function insertAsValues(
  transaction: Transaction<Schema>,
  table: string,
  { columns, rows }: { columns: readonly string[]; rows: readonly (readonly unknown[])[] },
): Promise<void> {
  const perStatement = Math.max(1, Math.floor(PARAMETERS_MAX / columns.length));
  for (let from = 0; from < rows.length; from += perStatement) {
    const part = rows.slice(from, from + perStatement);
    const text = insertText(table, columns, part.length);
    await transaction.executeQuery(CompiledQuery.raw(text, part.flat()));
  }
}

/** Inserts rows that have the same columns in the same order. */
async function insertAlike(
  engine: Engine,
  transaction: Transaction<Schema>,
  { table, columns, rows }: { table: string; columns: readonly string[]; rows: readonly object[] },
): Promise<void> {
  const values = rows.map((row): unknown[] => Object.values(row));
  for (const each of values) assertBindable(each);
  if (engine === "postgres") return copyRows(transaction, table, { columns, rows: values });
  if (engine === "mysql") {
    const isLoaded = values.length >= ROWS_TO_LOAD && (await loadRows(transaction, table, { columns, rows: values }));
    // It says too what is wrong with a row.
    return isLoaded ? undefined : insertAsValues(transaction, table, { columns, rows: values });
  }
  // The text of a statement with the places of a thousand rows takes as long as what it does.
  await transaction.executeQuery(CompiledQuery.raw(insertText(table, columns, 1, engine), [new RowsOfValues(values)]));
}

/** Whether the row has these columns, in this order. */
function hasColumns(row: object, columns: readonly string[]): boolean {
  let index = 0;
  for (const name in row) {
    if (name !== columns[index]) return false;
    index += 1;
  }
  return index === columns.length;
}

/**
 * Inserts rows, those with the same columns at once. Texts have to be `storable`.
 * @throws TypeError for a value that no engine stores as it is meant, and what the engine throws; then the transaction has to end
 */
export async function insertMany<T extends keyof Schema>(
  engine: Engine,
  transaction: Transaction<Schema>,
  { table, rows }: { table: T; rows: readonly Insertable<Schema[T]>[] },
): Promise<void> {
  let left = rows as readonly object[];
  while (left[0] !== undefined) {
    const columns = Object.keys(left[0]);
    const alike = left.filter((row) => hasColumns(row, columns));
    await insertAlike(engine, transaction, { table, columns, rows: alike });
    left = alike.length === left.length ? [] : left.filter((row) => !hasColumns(row, columns));
  }
}

/** What is added to columns of the row with this id. */
export type Amounts = Readonly<Record<string, number>> & { id: number };

/** The rows of `amounts` as a table `v` with whole numbers. */
function amountsTable(engine: Engine, columns: readonly string[], amounts: readonly Amounts[]) {
  const text = JSON.stringify(amounts);
  if (engine === "postgres")
    return sql`json_to_recordset(${text}::json) AS v(${sql.join(columns.map((column) => sql`${sql.ref(column)} bigint`))})`;
  if (engine === "mysql") {
    const read = columns.map((column) => sql`${sql.ref(column)} BIGINT PATH ${sql.lit(`$.${column}`)}`);
    return sql`JSON_TABLE(${text}, '$[*]' COLUMNS (${sql.join(read)})) AS v`;
  }
  const read = columns.map((column) => sql`json_extract(value, ${sql.lit(`$.${column}`)}) AS ${sql.ref(column)}`);
  return sql`(SELECT ${sql.join(read)} FROM json_each(${text})) AS v`;
}

/** Adds amounts to whole-number columns of the rows with these ids, each id once, with one statement. */
export async function addAmounts(
  engine: Engine,
  transaction: Transaction<Schema>,
  { table, columns, amounts }: { table: keyof Schema; columns: readonly string[]; amounts: readonly Amounts[] },
): Promise<void> {
  if (amounts.length === 0) return;
  const from = amountsTable(engine, ["id", ...columns], amounts);
  const [own, added] = [(column: string) => sql.ref(`${table}.${column}`), (column: string) => sql.ref(`v.${column}`)];
  const isSame = sql`${own("id")} = v.id`;
  const sums = columns.map((column) => {
    const target = engine === "mysql" ? own(column) : sql.ref(column);
    return sql`${target} = ${own(column)} + ${added(column)}`;
  });
  await (
    engine === "mysql"
      ? sql`UPDATE ${sql.table(table)} JOIN ${from} ON ${isSame} SET ${sql.join(sums)}`
      : sql`UPDATE ${sql.table(table)} SET ${sql.join(sums)} FROM ${from} WHERE ${isSame}`
  ).execute(transaction);
}
