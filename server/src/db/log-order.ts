/** Rows of the log in the order of time: along an index where the engine has one, and on ClickHouse, which has none backwards, in windows of time that grow. */
import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from "kysely";
import type { LogDatabase } from "./database.ts";
import type { Schema } from "./schema.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** How far back ClickHouse looks first: it reads all rows of a window, and most questions are about the newest. */
const WINDOWS_S = [HOUR, 8 * HOUR, 3 * DAY, 30 * DAY] as const;

/** Which of the newest rows are wanted. */
export interface Newest {
  limit: number;
  offset?: number;
  /** No wanted row is younger than this time (Unix seconds), as far as is known; the present if undefined. */
  end?: number | undefined;
}

/** The rows from `offset` on, newest first. */
export async function newestFirst<Row>(
  { engine }: Pick<LogDatabase, "engine">,
  query: SelectQueryBuilder<Schema, "logs", Row>,
  { limit, offset = 0, end }: Newest,
): Promise<Row[]> {
  const rows = query.orderBy("logs.created_at", "desc").orderBy("logs.id", "desc").limit(limit).offset(offset);
  const now = Math.floor(Date.now() / 1000);
  const last = Math.min(end ?? now, now);
  for (const window of engine === "clickhouse" ? WINDOWS_S : []) {
    const found = await rows.where("logs.created_at", ">=", last - window).execute();
    if (found.length === limit) return found;
  }
  return rows.execute();
}

type Ids = SelectQueryBuilder<Schema, "logs", { id: number }>;

/** The newest rows that a query of ids finds, as a query of their columns: they are found along an index alone, and only then read. */
export function newestRows({ kysely }: Pick<LogDatabase, "kysely">, ids: Ids, limit: number) {
  const newest = ids
    .select("logs.created_at")
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(limit)
    .as("newest");
  return (
    kysely
      .selectFrom("logs")
      // By both: a partition is found by the time.
      .innerJoin(newest, (join) =>
        join.onRef("newest.id", "=", "logs.id").onRef("newest.created_at", "=", "logs.created_at"),
      )
      .orderBy("logs.created_at", "desc")
      .orderBy("logs.id", "desc")
  );
}

/** What is read of a call whose receipt is. */
const RECEIPT_COLUMNS = [
  "logs.other",
  "logs.prompt_tokens",
  "logs.quota",
  "logs.created_at",
  "logs.model_name",
  "logs.token_id",
  "logs.user_id",
  "logs.channel_id",
  "logs.group_name",
] as const;

/** The newest rows that a query of ids finds, with their receipts. ClickHouse has no index along which they would be found first. */
export function newestReceipts(
  logs: Pick<LogDatabase, "engine" | "kysely">,
  ids: Ids,
  newest: Pick<Newest, "limit" | "end">,
) {
  if (logs.engine === "clickhouse") return newestFirst(logs, ids.clearSelect().select(RECEIPT_COLUMNS), newest);
  return newestRows(logs, ids, newest.limit).select(RECEIPT_COLUMNS).execute();
}

/** The time that ids of calls begin with (http/request-id.ts). */
const TIMED_ID = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{3}/;
/** A row is written when its call is over, and one of a refund when its task has failed. */
const LONGEST_CALL = 32 * DAY;
/** Clocks of two machines may differ by this. */
const CLOCKS = DAY;

/** When the rows of a call can be, where its id says so: Unix seconds. */
function timesOfRequest(requestId: string): { start: number; end: number } | undefined {
  const [, year = "", month = "", day = "", hour = "", minute = "", second = ""] = TIMED_ID.exec(requestId) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
  return Number.isNaN(time) ? undefined : { start: time - CLOCKS, end: time + LONGEST_CALL };
}

/** True for the rows of a call. ClickHouse has no index by its id, and looks where the time is that the id says. */
export function isOfRequest(
  { engine }: Pick<LogDatabase, "engine">,
  builder: ExpressionBuilder<Schema, "logs">,
  requestId: string,
): Expression<SqlBool> {
  const times = engine === "clickhouse" ? timesOfRequest(requestId) : undefined;
  const is = builder("logs.request_id", "=", requestId);
  if (times === undefined) return is;
  return builder.and([is, builder.between("logs.created_at", times.start, times.end)]);
}
