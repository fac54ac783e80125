/** A dialect that maps failures of connections by a function, so that an error names which of two databases is away. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TransactionSettings } from "kysely";

/** Gives the error to throw in the place of the one that a driver threw. */
export type NameFailure = (error: unknown) => unknown;

class NamedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #name: NameFailure;

  constructor(inner: DatabaseConnection, name: NameFailure) {
    this.inner = inner;
    this.#name = name;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.inner.executeQuery<R>(query);
    } catch (error) {
      throw this.#name(error);
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    yield* this.inner.streamQuery<R>(query, chunkSize);
  }
}

class NamingDriver implements Driver {
  readonly #inner: Driver;
  readonly #name: NameFailure;

  constructor(inner: Driver, name: NameFailure) {
    this.#inner = inner;
    this.#name = name;
  }

  async #named<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw this.#name(error);
    }
  }

  init = (): Promise<void> => this.#inner.init();

  acquireConnection = (): Promise<NamedConnection> =>
    this.#named(async () => new NamedConnection(await this.#inner.acquireConnection(), this.#name));

  releaseConnection = ({ inner }: NamedConnection): Promise<void> => this.#inner.releaseConnection(inner);

  beginTransaction = ({ inner }: NamedConnection, settings: TransactionSettings): Promise<void> =>
    this.#named(() => this.#inner.beginTransaction(inner, settings));

  commitTransaction = ({ inner }: NamedConnection): Promise<void> =>
    this.#named(() => this.#inner.commitTransaction(inner));

  rollbackTransaction = ({ inner }: NamedConnection): Promise<void> => this.#inner.rollbackTransaction(inner);

  destroy = (): Promise<void> => this.#inner.destroy();
}

/** The same dialect; where no function is given it is that dialect itself. */
export function namedDialect(dialect: Dialect, name: NameFailure | undefined): Dialect {
  if (name === undefined) return dialect;
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new NamingDriver(dialect.createDriver(), name),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}
