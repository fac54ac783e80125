/** Checks the values bound as query parameters, equally on every engine: what one driver would silently convert to NULL or text is refused on all. */
import { MysqlQueryCompiler, PostgresQueryCompiler, SqliteQueryCompiler } from "kysely";
import type { CompiledQuery, QueryId, RootOperationNode } from "kysely";

/** Throws a TypeError for anything but text, null, a safe integer, a finite number, a bigint or bytes. */
export function assertBindable(parameters: readonly unknown[]): void {
  for (let index = 0; index < parameters.length; index += 1) {
    const value = parameters[index];
    if (typeof value === "string" || value === null || typeof value === "bigint" || value instanceof Uint8Array)
      continue;
    if (typeof value === "number") {
      if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) continue;
      throw new TypeError(`Parameter ${index + 1} is ${value}, which is not a safe number`);
    }
    const kind = value instanceof Date ? "a Date" : value === undefined ? "undefined" : `a ${typeof value}`;
    throw new TypeError(`Parameter ${index + 1} is ${kind}, which no engine stores as it is meant`);
  }
}

function checked(query: CompiledQuery): CompiledQuery {
  assertBindable(query.parameters);
  return query;
}

export class CheckedSqliteCompiler extends SqliteQueryCompiler {
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    return checked(super.compileQuery(node, queryId));
  }
}

export class CheckedPostgresCompiler extends PostgresQueryCompiler {
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    return checked(super.compileQuery(node, queryId));
  }
}

export class CheckedMysqlCompiler extends MysqlQueryCompiler {
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    return checked(super.compileQuery(node, queryId));
  }
}

/** An integer that a driver read as text. Throws a RangeError if a JavaScript number cannot hold it exactly. */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database holds ${text}, which is outside the safe integers`);
  return value;
}

/** A DECIMAL or NUMERIC that a driver read as text: sums of BIGINT columns come as these. */
export const safeDecimal = (text: string): number => (/^-?\d+$/.test(text) ? safeInteger(text) : Number(text));
