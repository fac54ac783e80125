/** The usage log of another gateway: rows of a range of days as history that can be read, without money, since the openings have what it cost. */
import type { Insertable, Transaction } from "kysely";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import { BLANK_ENTRY, logRow } from "../billing/log-row.ts";
import { insertMany } from "../db/bulk.ts";
import { ensureLogPartitions, partitionDays } from "../db/log-partitions.ts";
import { type Queries, retryDeadlocks } from "../db/portable.ts";
import type { LogTable, Schema } from "../db/schema.ts";
import { parseObject } from "../util/json-read.ts";
import { flagIn, nameIn, numberIn, textIn } from "./cells.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import { deferForLog } from "./indexes.ts";
import type { IdsThere } from "./gone.ts";
import type { KnownSource, System } from "./systems.ts";
import { writeBehind } from "./pages.ts";
import { holdRun, type MoneyTable, type Target } from "./target.ts";

/** Unix seconds: from the first, before the second. */
export interface LogRange {
  from: number;
  before: number;
}

const DAY_SECONDS = 86_400;

function dayStart(text: string): number {
  const milliseconds = Date.parse(`${text}T00:00:00Z`);
  // Some days roll over in place of being refused.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 10) !== text)
    throw new Error(`"${text}" is no day: write it as 2026-01-31`);
  return milliseconds / 1000;
}

/**
 * Reads the days of `--logs`, both included, in UTC: `2026-01-01..2026-01-31`, or the first alone for all since.
 * @throws an Error of one line
 */
export function readLogDays(text: string): LogRange {
  const [first = "", last] = text.trim().split("..");
  const range = {
    from: dayStart(first),
    before: last === undefined ? Number.MAX_SAFE_INTEGER : dayStart(last) + DAY_SECONDS,
  };
  if (range.before <= range.from) throw new Error(`"${text.slice(0, 40)}" ends before it begins`);
  return range;
}

/** Numbers here of what has another one there, by table. */
export type Moved = Readonly<Record<MoneyTable, ReadonlyMap<number, number>>>;

/** Where the old program writes its log: its own database, or the one that LOG_SQL_DSN names. */
export interface LogSource {
  source: KnownSource;
  /** Names the place in the marks of its rows. */
  origin: string;
}

export interface LogContext extends LogSource {
  target: Target;
  report: Report;
  range: LogRange;
  /** Rows that come over: what a row of the log names besides may be another thing here. */
  ids: IdsThere;
  moved: Moved;
  /** No import was begun on this database before: it has none of the rows. */
  isFirst: boolean;
  /** One line of progress. */
  progress: (line: string) => void;
}

type LogType = (typeof LOG_TYPE)[keyof typeof LOG_TYPE];

const FAMILY_TYPES: Readonly<Record<number, LogType>> = { 1: 1, 2: 2, 3: 3, 4: 4 };

/** Tests of one-api, and refunds and sign-ins of new-api, are entries of the system here. */
const TYPES: Readonly<Record<System, Readonly<Record<number, LogType>>>> = {
  "one-api": { ...FAMILY_TYPES, 5: LOG_TYPE.system },
  "new-api": { ...FAMILY_TYPES, 5: LOG_TYPE.error, 6: LOG_TYPE.system, 7: LOG_TYPE.system },
  Veloera: { ...FAMILY_TYPES, 5: LOG_TYPE.error },
  "one-hub": FAMILY_TYPES,
  "done-hub": FAMILY_TYPES,
  LiteLLM: { 2: LOG_TYPE.consumption, 5: LOG_TYPE.error },
};

/** The columns that are read of a row, where they exist. */
const COLUMNS = `id user_id created_at type content username token_name model_name quota prompt_tokens completion_tokens
  use_time elapsed_time request_time is_stream channel_id token_id group ip other metadata`.split(/\s+/);

const count = (row: SourceRow, column: string): number => Math.max(0, numberIn(row, column));

/** Milliseconds: one-api and one-hub keep them, new-api seconds. */
const durationMsOf = (row: SourceRow): number =>
  count(row, "elapsed_time") || count(row, "request_time") || count(row, "use_time") * 1000;

/** A field of a JSON text, which is read only where the name stands in it. */
function fieldIn(row: SourceRow, column: string, name: string): unknown {
  const text = textIn(row, column);
  return text.includes(`"${name}"`) ? parseObject(text)?.[name] : undefined;
}

function firstTokenMsOf(row: SourceRow): number {
  const first = fieldIn(row, "other", "frt") ?? fieldIn(row, "metadata", "first_response");
  return typeof first === "number" && first > 0 ? Math.round(first) : 0;
}

function planLog(row: SourceRow, { source, origin, ids, moved }: LogContext): Insertable<LogTable> | undefined {
  const type = TYPES[source.system][numberIn(row, "type")];
  if (type === undefined) return undefined;
  const here = (table: MoneyTable, id: number): number => (ids[table].has(id) ? (moved[table].get(id) ?? id) : 0);
  return logRow({
    ...BLANK_ENTRY,
    requestId: `imported:${origin}:${textIn(row, "id")}`,
    createdAt: numberIn(row, "created_at"),
    type,
    userId: here("users", numberIn(row, "user_id")),
    username: nameIn(row, "username", 64),
    tokenId: here("tokens", numberIn(row, "token_id")),
    tokenName: nameIn(row, "token_name", 128),
    channelId: here("channels", numberIn(row, "channel_id")),
    modelName: nameIn(row, "model_name", 255),
    groupName: nameIn(row, "group", 64),
    quota: type === LOG_TYPE.consumption ? count(row, "quota") : 0,
    promptTokens: count(row, "prompt_tokens"),
    completionTokens: count(row, "completion_tokens"),
    useTimeMs: durationMsOf(row),
    firstTokenMs: firstTokenMsOf(row),
    isStream: flagIn(row, "is_stream") === true,
    ip: textIn(row, "ip"),
    content: textIn(row, "content"),
    other: JSON.stringify({ imported: source.system }),
  });
}

const NONE: ReadonlySet<string> = new Set();

/** Which rows of a page are here already, or were delivered to a database of the log's own. Their times lead to their partitions. */
async function knownMarks(
  { database: { hasLogDatabase, logs } }: Target,
  transaction: Transaction<Schema>,
  rows: readonly Insertable<LogTable>[],
): Promise<ReadonlySet<string>> {
  const marks = rows.map(({ request_id }) => request_id ?? "");
  const times = rows.map(({ created_at }) => created_at);
  const known = (queries: Queries) =>
    queries
      .selectFrom("logs")
      .select("request_id")
      .where("request_id", "in", marks)
      .where("created_at", ">=", Math.min(...times))
      .where("created_at", "<=", Math.max(...times))
      .execute();
  const found = [...(await known(transaction)), ...(hasLogDatabase ? await known(logs.kysely) : [])];
  return new Set(found.map(({ request_id }) => request_id));
}

/** Writes those of a page that are not here, in one transaction. @returns how many */
async function writeLogs(
  { target, isFirst }: Pick<LogContext, "target" | "isFirst">,
  rows: readonly Insertable<LogTable>[],
): Promise<number> {
  if (rows.length === 0 || (target.isDryRun && isFirst)) return rows.length;
  return retryDeadlocks(() =>
    target.database.kysely.transaction().execute(async (transaction) => {
      if (!target.isDryRun) await holdRun(target, transaction);
      const here = isFirst ? NONE : await knownMarks(target, transaction, rows);
      const fresh = rows.filter(({ request_id }) => !here.has(request_id ?? ""));
      if (!target.isDryRun && fresh.length > 0)
        await insertMany(target.database.engine, transaction, { table: "logs", rows: fresh });
      return fresh.length;
    }),
  );
}

/** The partitions of rows of long ago, where the engine has them. */
async function makeRoomFor({ database }: Target, rows: readonly Insertable<LogTable>[]): Promise<void> {
  const times = rows.map((row) => row.created_at);
  await ensureLogPartitions(database, times, partitionDays(0));
}

/** Looks before anything is written. @param isApart a database of the log's own. Throws an Error of one line where the log is not in it. */
export async function checkLogs({ system, tables, select }: KnownSource, isApart: boolean): Promise<void> {
  if (system === "LiteLLM" && isApart)
    throw new Error("LiteLLM has its log beside everything else: --log-source is not for it");
  if (system === "LiteLLM") return;
  if (tables.has("logs") && (await select("SELECT id FROM logs LIMIT 1")).length > 0) return;
  throw new Error(
    isApart
      ? "The database of --log-source has no rows in a table logs: it is the one that LOG_SQL_DSN names there"
      : "The table logs is empty: the old program writes its log to another database (LOG_SQL_DSN); name it with --log-source",
  );
}

/**
 * Brings the rows of the range that are not here yet, a page at a time. Balances, the dashboard's sums and the books stay as they are.
 * @param track is given the pages with their number of rows, to say how far they are
 */
export async function importLogs(
  context: LogContext,
  track: (pages: AsyncIterable<readonly SourceRow[]>, total: number) => AsyncIterable<readonly SourceRow[]>,
): Promise<void> {
  const { source, target, report, range, isFirst } = context;
  const columns = source.tables.get("logs") ?? [];
  const wanted = { columns: COLUMNS.filter((name) => columns.includes(name)), column: "created_at", ...range };
  const { total, pages } = await source.between("logs", wanted);
  await deferForLog(context, { rows: total, isFirst });
  await writeBehind(
    track(pages, total),
    async (rows) => {
      const planned = rows.flatMap((row) => planLog(row, context) ?? []);
      report.count("logs", "found", rows.length);
      report.count("logs", "refused", rows.length - planned.length);
      return planned;
    },
    async (planned) => {
      if (!target.isDryRun) await makeRoomFor(target, planned);
      const brought = await writeLogs(context, planned);
      report.count("logs", "brought", brought);
      report.count("logs", "known", planned.length - brought);
    },
  );
}
