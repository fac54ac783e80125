/** Query plans of the statements that some work sends: the engine's own EXPLAIN, one line for each access. */
import { CompiledQuery } from "kysely";
import type { Database, Engine } from "../../../server/src/db/database.ts";

/** Statements sent through Kysely while `work` runs. */
async function statementsOf(database: Database, work: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const executor = database.kysely.getExecutor();
  const original = executor.executeQuery.bind(executor);
  const sent: CompiledQuery[] = [];
  executor.executeQuery = (query) => {
    sent.push(query);
    return original(query);
  };
  await work().finally(() => (executor.executeQuery = original));
  return sent;
}

const EXPLAIN: Record<Engine, string> = { sqlite: "explain query plan", postgres: "explain", mysql: "explain" };

type PlanRow = Readonly<Record<string, unknown>>;

/** SQLite names the access in a sentence, PostgreSQL in a line of its tree, MySQL and MariaDB in columns. */
const LINE: Record<Engine, (row: PlanRow) => string> = {
  sqlite: (row) => String(row["detail"]),
  postgres: (row) => String(row["QUERY PLAN"]),
  mysql: (row) =>
    ["table", "type", "key", "rows", "Extra"].map((name) => `${name}=${String(row[name] ?? "none")}`).join(" "),
};

/** The plan of every statement that `work` sends, all lines in their order. */
export async function plansOf(database: Database, work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  for (const { sql, parameters } of await statementsOf(database, work)) {
    const explain = CompiledQuery.raw(`${EXPLAIN[database.engine]} ${sql}`, [...parameters]);
    const { rows } = await database.kysely.executeQuery<PlanRow>(explain);
    lines.push(...rows.map(LINE[database.engine]));
  }
  return lines;
}
