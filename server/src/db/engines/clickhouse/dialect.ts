/** ClickHouse behind Kysely, for statements that read the log: its compiler writes values as literals and reads each row once, its driver has no transactions. */
import { DefaultQueryCompiler, FromNode, IdentifierNode, MysqlAdapter, MysqlIntrospector, SelectionNode } from "kysely";
import type { AliasNode, CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TableNode } from "kysely";
import { type QuestionBound, readsOnly, SlowQuestion } from "../questions.ts";
import { type ClickhouseClient, ClickhouseError } from "./client.ts";
import { literal } from "./literals.ts";
import { LOG_COLUMN_TYPES, LOG_TABLE } from "./log-table.ts";

/** Before the name of a result that a column has too. */
const RESULT = "result:";
/** TIMEOUT_EXCEEDED of clickhouse.com/docs. */
const TIMEOUT_EXCEEDED = 159;

class ClickhouseCompiler extends DefaultQueryCompiler {
  /** Rows that came twice are read once: clickhouse.com/docs/sql-reference/statements/select/from#final-modifier. */
  override visitTable(node: TableNode): void {
    super.visitTable(node);
    const { parentNode: parent } = this;
    if (parent !== undefined && FromNode.is(parent) && node.table.identifier.name === LOG_TABLE) this.append(" final");
  }

  /** A condition on a column would be one on the result of that name: clickhouse.com/docs/sql-reference/syntax#notes-on-usage. */
  override visitAlias(node: AliasNode): void {
    const { parentNode: parent } = this;
    const { alias } = node;
    const isResult = parent !== undefined && SelectionNode.is(parent) && IdentifierNode.is(alias);
    if (!isResult || !(alias.name in LOG_COLUMN_TYPES)) return super.visitAlias(node);
    super.visitAlias({ ...node, alias: IdentifierNode.create(`${RESULT}${alias.name}`) });
  }

  protected override appendValue(parameter: unknown): void {
    this.append(literal(parameter));
  }

  protected override appendImmediateValue(value: unknown): void {
    this.append(literal(value));
  }
}

const withOwnNames = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.startsWith(RESULT) ? name.slice(RESULT.length) : name, value]),
  );

class ClickhouseConnection implements DatabaseConnection {
  readonly #client: ClickhouseClient;

  constructor(client: ClickhouseClient) {
    this.#client = client;
  }

  async executeQuery<R>({ sql }: CompiledQuery): Promise<QueryResult<R>> {
    // The rows' type is the statement's, as with every driver.
    return { rows: (await this.#client.select(sql)).map(withOwnNames) as R[] };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/** Requests wait for a connection in the client; a connection of Kysely's is none of the network. */
class ClickhouseDriver implements Driver {
  readonly #connection: ClickhouseConnection;

  constructor(client: ClickhouseClient) {
    this.#connection = new ClickhouseConnection(client);
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = readsOnly;
  commitTransaction = readsOnly;
  rollbackTransaction = readsOnly;

  /** The client is closed by its owner. */
  async destroy(): Promise<void> {}
}

export const clickhouseDialect = (client: ClickhouseClient): Dialect => ({
  createAdapter: () => new MysqlAdapter(),
  createDriver: () => new ClickhouseDriver(client),
  createIntrospector: (kysely) => new MysqlIntrospector(kysely),
  createQueryCompiler: () => new ClickhouseCompiler(),
});

/** A time limit of its own for each statement. */
export const clickhouseBound = (limitMs: number): QuestionBound => ({
  async run<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const sql = `${query.sql} settings max_execution_time = ${Math.ceil(limitMs / 1000)}`;
      return await connection.executeQuery<R>({ ...query, sql });
    } catch (error) {
      throw error instanceof ClickhouseError && error.number === TIMEOUT_EXCEEDED ? new SlowQuestion(error) : error;
    }
  },
});
