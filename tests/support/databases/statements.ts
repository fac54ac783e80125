/** Intercepts statements of a part of the server to its real database: waits after a read, or makes a write fail. */
import type { KyselyPlugin, PluginTransformQueryArgs, QueryId, UnknownRow } from "kysely";
import type { Database } from "../../../server/src/db/database.ts";

type QueryNode = PluginTransformQueryArgs["node"];

export interface Watch {
  isWatched(node: QueryNode): boolean;
  /** Before the statement is sent; what it throws is the statement's error. */
  before?(): void;
  /** When the rows are there, before who asked for them has them. */
  after?(): Promise<void>;
}

/** The same database, with `watch` on the statements that go through this one. */
export function watchedDatabase(database: Database, watch: Watch): Database {
  const watched = new WeakSet<QueryId>();
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (watch.isWatched(node)) {
        watch.before?.();
        watched.add(queryId);
      }
      return node;
    },
    async transformResult({ queryId, result }) {
      if (watched.has(queryId)) await watch.after?.();
      return result as typeof result & { rows: UnknownRow[] };
    },
  };
  return { ...database, kysely: database.kysely.withPlugin(plugin) };
}

/** Name of the table a statement reads (the first of its FROM) or writes; undefined for any other statement. */
export function targetOf(node: QueryNode): string | undefined {
  const table =
    node.kind === "SelectQueryNode"
      ? node.from?.froms[0]
      : node.kind === "UpdateQueryNode"
        ? node.table
        : node.kind === "InsertQueryNode"
          ? node.into
          : undefined;
  return table?.kind === "TableNode" && "table" in table ? nameOf(table.table) : undefined;
}

const nameOf = (table: unknown): string => (table as { identifier: { name: string } }).identifier.name; // Kysely's SchemableIdentifierNode
