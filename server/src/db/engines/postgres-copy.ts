/** COPY of PostgreSQL: a client of the pool takes rows of text as the parameter of `COPY ... FROM STDIN`, inside the transaction that it is in. */
import type { ClientBase, Connection, Submittable } from "pg";
import { RowsOfText } from "./rows-of-text.ts";

interface Copied {
  command: string;
  rowCount: number;
  rows: readonly never[];
}

/** The driver's connection has these, but not in its types. */
interface CopyingConnection {
  query(statement: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** What the driver calls as the server's messages come. */
class CopyStatement implements Submittable {
  readonly #statement: string;
  readonly #rows: RowsOfText;
  readonly #ended = Promise.withResolvers<Copied>();

  constructor(statement: string, rows: RowsOfText) {
    this.#statement = statement;
    this.#rows = rows;
  }

  get ended(): Promise<Copied> {
    return this.#ended.promise;
  }

  submit(connection: Connection): void {
    (connection as Connection & CopyingConnection).query(this.#statement);
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#rows.text));
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {
    // What follows says that the transaction continues.
  }

  handleReadyForQuery(): void {
    this.#ended.resolve({ command: "COPY", rowCount: this.#rows.count, rows: [] });
  }

  handleError(error: Error): void {
    this.#ended.reject(error);
  }
}

type Query = (statement: unknown, parameters?: unknown, ...more: unknown[]) => unknown;

/** Lets a client of a pool copy. Its `query` rejects with the server's error, as ever. */
export function letCopy(client: ClientBase): void {
  const query = client.query.bind(client) as Query;
  const copying: Query = (statement, parameters, ...more) => {
    const [rows] = Array.isArray(parameters) ? (parameters as readonly unknown[]) : [];
    if (!(rows instanceof RowsOfText)) return query(statement, parameters, ...more);
    const copy = new CopyStatement(String(statement), rows);
    query(copy);
    return copy.ended;
  };
  // Its overloads are those of the driver, which answers all others.
  client.query = copying as typeof client.query;
}
