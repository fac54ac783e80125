/** Connections for queries that plain users may run at will: each statement has a timeout, and few of the server's connections are used at once. */
import { CompiledQuery } from "kysely";
import type { DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";

/** A user's query exceeded its timeout. It can be repeated with a smaller range. */
export class SlowQuestion extends Error {
  constructor(cause: unknown) {
    super("A question to the database took too long", { cause });
    this.name = "SlowQuestion";
  }
}

/** How an engine limits the time of a statement. */
export interface QuestionBound {
  /** Runs the statement within the timeout. Throws SlowQuestion beyond it. */
  run<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>>;
}

const POSTGRES_CANCELED = "57014";
/** MariaDB's ER_STATEMENT_TIMEOUT and MySQL's ER_QUERY_TIMEOUT. */
const MYSQL_TIMEOUTS: ReadonlySet<unknown> = new Set([1969, 3024]);

const fieldOf = (error: unknown, name: "code" | "errno"): unknown =>
  error instanceof Error ? (error as Error & Record<typeof name, unknown>)[name] : undefined;

/** In a transaction, because a pooler like PgBouncer passes a session's settings on to other clients. */
export function postgresBound(limitMs: number): QuestionBound {
  const begin = CompiledQuery.raw(`begin read only; set local statement_timeout = ${limitMs}`);
  return {
    async run<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
      await connection.executeQuery(begin);
      try {
        const result = await connection.executeQuery<R>(query);
        await connection.executeQuery(CompiledQuery.raw("commit"));
        return result;
      } catch (error) {
        // A lost connection ends its transaction by itself.
        await connection.executeQuery(CompiledQuery.raw("rollback")).catch(() => undefined);
        throw fieldOf(error, "code") === POSTGRES_CANCELED ? new SlowQuestion(error) : error;
      }
    },
  };
}

/** MariaDB takes the timeout as a prefix, MySQL as a hint. `version` as the server reports it. */
export function mysqlBound(version: string, limitMs: number): QuestionBound {
  const bounded = /mariadb/i.test(version)
    ? (text: string) => `set statement max_statement_time = ${limitMs / 1000} for ${text}`
    : (text: string) => text.replace(/^\s*select\b/i, `select /*+ MAX_EXECUTION_TIME(${limitMs}) */`);
  return {
    async run<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
      try {
        return await connection.executeQuery<R>({ ...query, sql: bounded(query.sql) });
      } catch (error) {
        throw MYSQL_TIMEOUTS.has(fieldOf(error, "errno")) ? new SlowQuestion(error) : error;
      }
    },
  };
}

class BoundedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #bound: QuestionBound;

  constructor(inner: DatabaseConnection, bound: QuestionBound) {
    this.inner = inner;
    this.#bound = bound;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#bound.run<R>(this.inner, query);
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/** User queries have no transactions. */
export const readsOnly = (): Promise<never> =>
  Promise.reject(new Error("Questions only read, each by a statement of its own"));

/** Uses at most so many connections of the pool; further queries wait for one of these. */
class QuestionDriver implements Driver {
  readonly #inner: Driver;
  readonly #bound: QuestionBound;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(inner: Driver, bound: QuestionBound, connections: number) {
    this.#inner = inner;
    this.#bound = bound;
    this.#free = connections;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<BoundedConnection> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return new BoundedConnection(await this.#inner.acquireConnection(), this.#bound);
    } catch (error) {
      this.#giveBack();
      throw error;
    }
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  async releaseConnection(connection: BoundedConnection): Promise<void> {
    try {
      await this.#inner.releaseConnection(connection.inner);
    } finally {
      this.#giveBack();
    }
  }

  beginTransaction = readsOnly;
  commitTransaction = readsOnly;
  rollbackTransaction = readsOnly;

  /** The pool is closed by its owner. */
  async destroy(): Promise<void> {}
}

/** The share of a pool's connections that user queries may use. */
const SHARE = 4;

/** The dialect of user queries on a server, on the pool of `dialect`. */
export function questionDialect(dialect: Dialect, bound: QuestionBound, poolSize: number): Dialect {
  const connections = Math.max(1, Math.floor(poolSize / SHARE));
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new QuestionDriver(dialect.createDriver(), bound, connections),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}
