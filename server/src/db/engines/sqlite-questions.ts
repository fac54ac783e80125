/** User queries on SQLite: a separate reader thread, running while there are any, whose statements check their deadline. */
import {
  OperationNodeTransformer,
  TableNode,
  WhereNode,
  sql,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type QueryId,
  type QueryResult,
  type RawBuilder,
  type RootOperationNode,
  type SelectQueryNode,
  type UnknownRow,
} from "kysely";
import type { SqliteThread } from "./sqlite-thread.ts";

type QuestionThread = Pick<SqliteThread, "pending" | "send" | "close">;

/** An idle thread takes 8 MB. */
const IDLE_MS = 60_000;

/** Starts its thread with the first query and ends it some time after the last. */
export class SqliteQuestions {
  readonly #start: (onDeath: () => void) => Promise<QuestionThread>;
  #thread: Promise<QuestionThread> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #open = 0;
  #isClosed = false;

  constructor(start: (onDeath: () => void) => Promise<QuestionThread>) {
    this.#start = start;
  }

  /** Sends a query to the thread. Rejects if the thread cannot be started or ends; the next query starts another one. */
  async send(request: Parameters<SqliteThread["send"]>[0]): Promise<unknown> {
    if (this.#isClosed) throw new Error("The database is closed");
    clearTimeout(this.#idle);
    this.#open += 1;
    try {
      return await (await this.#current()).send(request);
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    }
  }

  #current(): Promise<QuestionThread> {
    if (this.#thread !== undefined) return this.#thread;
    const forget = (): void => {
      if (this.#thread === started) this.#thread = undefined;
    };
    const started = this.#start(forget);
    started.catch(forget);
    this.#thread = started;
    return started;
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await (await thread?.catch(() => undefined))?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#end();
  }
}

const HOUR_SECONDS = 3_600;
/** The deadline is checked at one of so many rows, by row id: 250,000 entries of an index take no longer than without. */
const byId = (table: string) => sql`${sql.ref(`${table}.id`)} % 1024`;
/** For tables without a row id: the rows of one hour of so many. */
const byHour = (table: string) => sql`${sql.ref(`${table}.hour`)} / ${sql.lit(HOUR_SECONDS)} % 8`;

/** Tables in which one user may have very many rows. */
const LARGE: Readonly<Record<string, (table: string) => RawBuilder<unknown>>> = {
  logs: byId,
  tasks: byId,
  usage_hours: byHour,
  token_call_hours: byHour,
};

class ClockTransformer extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const query = super.transformSelectQuery(node, queryId);
    const [from] = query.from?.froms ?? [];
    if (from === undefined || !TableNode.is(from)) return query;
    const { name } = from.table.identifier;
    const sample = LARGE[name]?.(name);
    if (sample === undefined) return query;
    const isInTime = sql`(${sample} <> 0 or in_time() = 1)`.toOperationNode();
    const where = query.where === undefined ? WhereNode.create(isInTime) : and(query.where, isInTime);
    return { ...query, where };
  }
}

const and = (where: WhereNode, operation: OperationNode): WhereNode =>
  WhereNode.cloneWithOperation(where, "And", operation);

/** Adds a deadline check of sqlite-worker.ts to every scan of a large table. */
export class ClockPlugin implements KyselyPlugin {
  readonly #transformer = new ClockTransformer();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.#transformer.transformNode(node, queryId);
  }

  transformResult({ result }: { result: QueryResult<UnknownRow> }): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}
