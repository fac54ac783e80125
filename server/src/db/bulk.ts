/** Many rows in one statement, for work that comes in pages: inserted, or changed by amounts, at the least cost that each engine has. */
import { CompiledQuery, type Insertable, sql, type Transaction } from "kysely";
import { assertBindable } from "./bindable.ts";
import type { Engine } from "./database.ts";
import { quoteName } from "./migrations/columns.ts";
import type { Schema } from "./schema.ts";

/** SQLite takes 32,766 parameters in a statement, MySQL and PostgreSQL 65,535. */
const PARAMETERS_MAX = 30_000;

/** Texts of inserts by table and columns and count: the last page alone has another count. */
const texts = new Map<string, string>();
const TEXTS_MAX = 100;

function insertText(
  engine: Engine,
  table: string,
  { columns, count }: { columns: readonly string[]; count: number },
): string {
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

/** PostgreSQL reads the rows from one JSON text by the types of its own table. */
async function insertFromJson(
  transaction: Transaction<Schema>,
  table: string,
  { columns, rows }: { columns: readonly string[]; rows: readonly object[] },
): Promise<void> {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  await sql`INSERT INTO ${sql.table(table)} (${list})
    SELECT ${list} FROM json_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.execute(
    transaction,
  );
}

/** Inserts rows that have the same columns in the same order. */
async function insertAlike(
  engine: Engine,
  transaction: Transaction<Schema>,
  { table, columns, rows }: { table: string; columns: readonly string[]; rows: readonly object[] },
): Promise<void> {
  const perStatement = Math.max(1, Math.floor(PARAMETERS_MAX / columns.length));
  for (let from = 0; from < rows.length; from += perStatement) {
    const part = rows.slice(from, from + perStatement);
    const parameters = part.flatMap((row): unknown[] => Object.values(row));
    assertBindable(parameters);
    if (engine === "postgres") await insertFromJson(transaction, table, { columns, rows: part });
    else {
      const text = insertText(engine, table, { columns, count: part.length });
      await transaction.executeQuery(CompiledQuery.raw(text, parameters));
    }
  }
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
  const alike = Map.groupBy(rows as readonly object[], (row) => Object.keys(row).join(","));
  for (const [names, part] of alike)
    await insertAlike(engine, transaction, { table, columns: names.split(","), rows: part });
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
