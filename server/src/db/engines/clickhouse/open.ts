/** Opens a log on ClickHouse: what reads it goes through Kysely like every other database, what writes it through `clickhouse` (log-table.ts). */
import { Kysely } from "kysely";
import type { LogDatabase } from "../../database.ts";
import type { Schema } from "../../schema.ts";
import { type NameFailure, namedDialect } from "../named-failures.ts";
import { questionDialect } from "../questions.ts";
import type { TimeLimits } from "../time-limits.ts";
import { parseClickhouseUrl } from "./address.ts";
import { type ClickhouseClient, createClickhouseClient } from "./client.ts";
import { clickhouseBound, clickhouseDialect } from "./dialect.ts";
import { type ClickhouseLog, clickhouseLog } from "./log-table.ts";

export interface ClickhouseOptions {
  url: string;
  poolSize: number;
  limits: TimeLimits;
  nameFailure?: NameFailure | undefined;
}

type Named = Pick<ClickhouseClient, "select" | "run" | "insert">;

/** The same client, whose failures go through a function. */
function namedClient(client: ClickhouseClient, name: NameFailure | undefined): ClickhouseClient {
  if (name === undefined) return client;
  const named = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      throw name(error);
    }
  };
  const own: Named = {
    select: (statement) => named(client.select(statement)),
    run: (statement) => named(client.run(statement)),
    insert: (...parts) => named(client.insert(...parts)),
  };
  return { ...client, ...own };
}

interface Opened {
  kysely: Kysely<Schema>;
  clickhouse: ClickhouseLog;
  version: string;
  close: () => Promise<void>;
}

/** A log on ClickHouse. */
export type ClickhouseDatabase = LogDatabase & Required<Pick<LogDatabase, "clickhouse">>;

/** One object for the log, and one for questions, each the `questions` of both. */
function logDatabaseOf({ kysely, ...opened }: Opened, asked: Kysely<Schema>): ClickhouseDatabase {
  const questions: LogDatabase = {
    engine: "clickhouse",
    ...opened,
    kysely: asked,
    get questions() {
      return questions;
    },
  };
  return { engine: "clickhouse", ...opened, kysely, questions };
}

/** Connects and reads the version. Throws what the client throws if the server does not respond. */
export async function openClickhouse({
  url,
  poolSize,
  limits,
  nameFailure,
}: ClickhouseOptions): Promise<ClickhouseDatabase> {
  const client = createClickhouseClient({ address: parseClickhouseUrl(url), connections: poolSize, limits });
  try {
    const [row] = await client.select("select version() as version");
    const named = namedClient(client, nameFailure);
    const dialect = namedDialect(clickhouseDialect(client), nameFailure);
    const kysely = new Kysely<Schema>({ dialect });
    const bound = clickhouseBound(limits.questionMs);
    const asked = new Kysely<Schema>({ dialect: questionDialect(dialect, bound, poolSize) });
    const version = String(row?.["version"] ?? "unknown");
    return logDatabaseOf({ kysely, clickhouse: clickhouseLog(named), version, close: () => client.close() }, asked);
  } catch (error) {
    await client.close();
    throw error;
  }
}
